/**
 * Lanczos' method: the largest eigenvalues of a large symmetric matrix that is known by its products alone. From one vector its images
 * span a space in which the matrix is tridiagonal, and the ends of that small matrix's spectrum soon are those of the large one's.
 *
 * Every new vector is made orthogonal to all before it (full reorthogonalisation): without that, eigenvalues come up again as ghosts.
 * One start finds one vector for each value, however many there are. So, orthogonal to what was found, it is started again until
 * nothing larger comes up: graphs of like parts have the same value several times.
 *
 * Reference: C. Lanczos. An iteration method for the solution of the eigenvalue problem of linear differential and integral
 * operators. Journal of Research of the National Bureau of Standards 45(4), 1950. Bounds and reorthogonalisation: B. N. Parlett.
 * The Symmetric Eigenvalue Problem, chapter 13. SIAM, 1998.
 */
import { tridiagonalEigen } from './tridiagonal-eigen.js'

export interface LanczosOptions {
  readonly order: number
  /** Writes the matrix times `vector` to `product`. */
  multiply(vector: Float64Array, product: Float64Array): void
  /** How many are wanted. */
  readonly count: number
  /** Eigenvectors of length 1 that are known before and not looked for. */
  readonly known: readonly Float64Array[]
  /** Of the start vectors. */
  readonly random: () => number
}

export interface Eigenpair {
  readonly value: number
  /** Of length 1. */
  readonly vector: Float64Array
}

/** Largest value first; fewer than `count` where there are no more. */
export function lanczos(options: LanczosOptions): readonly Eigenpair[] {
  const { order, count, known } = options
  let found: readonly Eigenpair[] = []
  let stepsLeft = mostSteps
  while (stepsLeft > 0 && known.length + found.length < order) {
    const atLeast = found.length < count ? -Infinity : found[count - 1]!.value + tolerance
    const apart = [...known, ...found.map(({ vector }) => vector)]
    const { pairs, steps } = explore(options, { apart, atLeast, stepsLeft })
    stepsLeft -= steps
    if (pairs.length === 0) break
    found = [...found, ...pairs].sort((a, b) => b.value - a.value).slice(0, count)
  }
  return found
}

/**
 * How far the matrix may take a vector away from its direction. A value is wrong by about the square of it over the distance to the next
 * value. Those that stand clear of the others, which clusters hang on, are far better by the time that the last one is as good as this.
 */
const tolerance = 1e-3
/** Of all starts together: where values lie as close as on a long chain, what was reached is taken. */
const mostSteps = 240
const stepsBetweenLooks = 20
/** A start after the first that shows nothing larger by then has nothing to find. */
const stepsToShow = 40
/** Of a vector of length 1, what is nothing but rounding. */
const nothing = 1e-10

interface Exploration {
  /** Vectors to stay orthogonal to. */
  readonly apart: readonly Float64Array[]
  /** Smaller values are not looked for. */
  readonly atLeast: number
  readonly stepsLeft: number
}

function explore(
  { order, multiply, count, random }: LanczosOptions,
  { apart, atLeast, stepsLeft }: Exploration,
): { readonly pairs: readonly Eigenpair[]; readonly steps: number } {
  const basis: Float64Array[] = []
  const diagonal: number[] = []
  const beside: number[] = []
  const steps = Math.min(stepsLeft, order - apart.length)
  const product = new Float64Array(order)
  let next = startVector(order, apart, random)
  for (;;) {
    basis.push(next)
    multiply(next, product)
    diagonal.push(dot(next, product))
    subtract(product, diagonal.at(-1)!, next)
    if (basis.length > 1) subtract(product, beside.at(-1)!, basis.at(-2)!)
    makeOrthogonal(product, apart)
    makeOrthogonal(product, basis)
    const length = Math.sqrt(dot(product, product))
    beside.push(length)
    if (length < nothing || basis.length === steps) break
    if (basis.length % stepsBetweenLooks === 0 && isFound(diagonal, beside, count, atLeast)) break
    next = new Float64Array(order)
    for (let i = 0; i < order; i++) next[i] = product[i]! / length
  }

  const { values, vectors } = tridiagonalEigen(diagonal, beside, 'whole')
  const wanted = Array.from(values.subarray(0, count)).filter((value) => value > atLeast)
  return {
    pairs: wanted.map((value, i) => ({ value, vector: combine(basis, vectors, i) })),
    steps: basis.length,
  }
}

/** The last element of a small vector, times what leads out of the space, is how far the large one is from an eigenvector. */
function isFound(
  diagonal: readonly number[],
  beside: readonly number[],
  count: number,
  atLeast: number,
): boolean {
  const { values, vectors } = tridiagonalEigen(diagonal, beside, 'last')
  const out = beside.at(-1)!
  let wanted = 0
  while (wanted < count && values[wanted]! > atLeast) {
    if (Math.abs(out * vectors[wanted]!) > tolerance) return false
    wanted += 1
  }
  return wanted > 0 || diagonal.length >= stepsToShow
}

function startVector(order: number, apart: readonly Float64Array[], random: () => number): Float64Array {
  const vector = Float64Array.from({ length: order }, () => random() - 0.5)
  // Twice: where little is left after the first time, most of that is rounding.
  for (let time = 0; time < 2; time++) {
    makeOrthogonal(vector, apart)
    const length = Math.sqrt(dot(vector, vector))
    for (let i = 0; i < order; i++) vector[i]! /= length
  }
  return vector
}

/** The `at`-th of the small vectors, in terms of the large ones. */
function combine(basis: readonly Float64Array[], small: Float64Array, at: number): Float64Array {
  const sum = new Float64Array(basis[0]!.length)
  for (const [i, vector] of basis.entries()) subtract(sum, -small[at * basis.length + i]!, vector)
  return sum
}

/**
 * Takes off `vector` what lies along the others, of length 1 and orthogonal to one another. Four at a time: each pass over a vector costs
 * as much as the arithmetic, and most of the time goes here.
 */
function makeOrthogonal(vector: Float64Array, others: readonly Float64Array[]): void {
  const order = vector.length
  let at = 0
  for (; at + 3 < others.length; at += 4) {
    const a = others[at]!
    const b = others[at + 1]!
    const c = others[at + 2]!
    const d = others[at + 3]!
    let alongA = 0
    let alongB = 0
    let alongC = 0
    let alongD = 0
    for (let i = 0; i < order; i++) {
      const value = vector[i]!
      alongA += a[i]! * value
      alongB += b[i]! * value
      alongC += c[i]! * value
      alongD += d[i]! * value
    }
    for (let i = 0; i < order; i++)
      vector[i]! -= alongA * a[i]! + alongB * b[i]! + (alongC * c[i]! + alongD * d[i]!)
  }
  for (; at < others.length; at++) subtract(vector, dot(others[at]!, vector), others[at]!)
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

function subtract(from: Float64Array, times: number, vector: Float64Array): void {
  for (let i = 0; i < from.length; i++) from[i]! -= times * vector[i]!
}
