/**
 * Eigenvalues and eigenvectors of a symmetric tridiagonal matrix: implicit QR with Wilkinson's shift. Each sweep chases a bulge down the
 * diagonals with plane rotations; the last element off the diagonal vanishes in two or three sweeps, then the one before it.
 *
 * Reference: G. H. Golub, C. F. Van Loan. Matrix Computations, 4th edition, 8.3. Johns Hopkins University Press, 2013.
 */
export interface TridiagonalEigen {
  /** Largest first. */
  readonly values: Float64Array
  /** One after the other, in the order of the values: whole vectors, or the last element of each. */
  readonly vectors: Float64Array
}

/**
 * `beside[i]` stands between `diagonal[i]` and `diagonal[i + 1]`. The last elements alone cost the square of the order, whole vectors its
 * third power.
 */
export function tridiagonalEigen(
  diagonal: readonly number[],
  beside: readonly number[],
  part: 'whole' | 'last',
): TridiagonalEigen {
  const order = diagonal.length
  const main = Float64Array.from(diagonal)
  const off = Float64Array.from(beside.slice(0, order - 1))
  const width = part === 'whole' ? order : 1
  // A row for each vector, so that a rotation runs along two rows: the unit matrix, or its last column.
  const rows = new Float64Array(order * width)
  if (part === 'last') rows[order - 1] = 1
  else for (let i = 0; i < order; i++) rows[i * order + i] = 1

  let sweepsLeft = 30 * order
  for (let high = order - 1; high > 0 && sweepsLeft > 0; ) {
    if (isNegligible(main, off, high - 1)) {
      off[high - 1] = 0
      high -= 1
      continue
    }
    let low = high - 1
    while (low > 0 && !isNegligible(main, off, low - 1)) low -= 1
    sweep(main, off, { low, high }, rows, width)
    sweepsLeft -= 1
  }

  const sorted = Array.from(main.keys()).sort((a, b) => main[b]! - main[a]! || a - b)
  const vectors = new Float64Array(order * width)
  for (const [place, i] of sorted.entries())
    for (let n = 0; n < width; n++) vectors[place * width + n] = rows[i * width + n]!
  return { values: Float64Array.from(sorted, (i) => main[i]!), vectors }
}

function isNegligible(main: Float64Array, off: Float64Array, i: number): boolean {
  return Math.abs(off[i]!) <= Number.EPSILON * (Math.abs(main[i]!) + Math.abs(main[i + 1]!))
}

function sweep(
  main: Float64Array,
  off: Float64Array,
  { low, high }: { readonly low: number; readonly high: number },
  rows: Float64Array,
  width: number,
): void {
  const half = (main[high - 1]! - main[high]!) / 2
  const corner = off[high - 1]!
  const root = Math.sqrt(half * half + corner * corner)
  const shift = main[high]! - (corner * corner) / (half + (half < 0 ? -root : root))
  let kept = main[low]! - shift
  let bulge = off[low]!
  for (let i = low; i < high; i++) {
    const length = Math.sqrt(kept * kept + bulge * bulge)
    const cos = length === 0 ? 1 : kept / length
    const sin = length === 0 ? 0 : bulge / length
    if (i > low) off[i - 1] = length
    const a = main[i]!
    const b = main[i + 1]!
    const between = off[i]!
    main[i] = cos * cos * a + 2 * cos * sin * between + sin * sin * b
    main[i + 1] = sin * sin * a - 2 * cos * sin * between + cos * cos * b
    off[i] = cos * sin * (b - a) + (cos * cos - sin * sin) * between
    kept = off[i]!
    if (i < high - 1) {
      bulge = sin * off[i + 1]!
      off[i + 1]! *= cos
    }
    rotate(rows, i * width, width, cos, sin)
  }
}

/** The row that starts at `first`, and the one after it. */
function rotate(rows: Float64Array, first: number, width: number, cos: number, sin: number): void {
  for (let i = first; i < first + width; i++) {
    const a = rows[i]!
    const b = rows[i + width]!
    rows[i] = cos * a + sin * b
    rows[i + width] = cos * b - sin * a
  }
}
