import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../model/seeded-random.js'
import { betaMean, betaVariance } from './beta-moments.js'
import { sampleBeta } from './sample-beta.js'

const size = 20_000
const draw = (alpha: number, beta: number, seed = 1): number[] => {
  const random = seededRandom(seed)
  return Array.from({ length: size }, () => sampleBeta(alpha, beta, random))
}

/** True distribution functions, each by another way than the one that samples. */
const cases: readonly [number, number, (x: number) => number][] = [
  [1, 1, (x) => x],
  [8, 2, (x) => ofWhole(8, 2, x)],
  [2, 8, (x) => ofWhole(2, 8, x)],
  [21, 3, (x) => ofWhole(21, 3, x)],
  [0.5, 0.5, (x) => (2 / Math.PI) * Math.asin(Math.sqrt(x))],
  [0.3, 1, (x) => x ** 0.3],
  [1, 4.7, (x) => 1 - (1 - x) ** 4.7],
]

describe.each(cases)('Beta(%d, %d)', (alpha, beta, distribution) => {
  const drawn = draw(alpha, beta)

  it('has the true mean and variance', () => {
    const mean = drawn.reduce((sum, x) => sum + x, 0) / size
    const variance = drawn.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (size - 1)
    expect(Math.abs(mean - betaMean({ alpha, beta }))).toBeLessThan(
      4 * Math.sqrt(betaVariance({ alpha, beta }) / size),
    )
    expect(variance / betaVariance({ alpha, beta })).toBeCloseTo(1, 1)
  })

  it('is not told from the true distribution by Kolmogorov and Smirnov', () => {
    // 1.63 / sqrt(n) is exceeded by one seed of a hundred.
    expect(distance(drawn, distribution)).toBeLessThan(1.63 / Math.sqrt(size))
  })
})

it('is told from another one: the test can fail', () => {
  expect(distance(draw(8, 2), (x) => ofWhole(8, 3, x))).toBeGreaterThan(1.63 / Math.sqrt(size))
})

it('the same seed gives the same draws', () => {
  expect(draw(2, 3, 7)).toEqual(draw(2, 3, 7))
  expect(draw(2, 3, 7)).not.toEqual(draw(2, 3, 8))
})

it('stays a number within [0, 1] for tiny and huge shapes, and whatever the source gives', () => {
  for (const [alpha, beta] of [
    [1e-4, 1e-4],
    [1e-3, 50],
    [1e6, 1],
    [1e6, 1e6],
  ] as const)
    for (const x of draw(alpha, beta).slice(0, 500)) expect(x >= 0 && x <= 1, `${x}`).toBe(true)
  const edges = [0, 1 - 2 ** -32, 0.5]
  let at = 0
  expect(sampleBeta(1, 1, () => edges[at++ % edges.length]!)).toBeGreaterThanOrEqual(0)
})

function distance(drawn: readonly number[], distribution: (x: number) => number): number {
  const sorted = [...drawn].sort((a, b) => a - b)
  return sorted.reduce((most, x, i) => {
    const expected = distribution(x)
    return Math.max(most, Math.abs(expected - i / size), Math.abs(expected - (i + 1) / size))
  }, 0)
}

/** Of whole parameters: at least `alpha` of `alpha + beta - 1` uniform numbers are below x. */
function ofWhole(alpha: number, beta: number, x: number): number {
  const n = alpha + beta - 1
  let [sum, choose] = [0, 1]
  for (let k = 0; k <= n; k++) {
    if (k >= alpha) sum += choose * x ** k * (1 - x) ** (n - k)
    choose = (choose * (n - k)) / (k + 1)
  }
  return sum
}
