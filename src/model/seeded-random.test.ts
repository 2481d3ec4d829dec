import { expect, it } from 'vitest'
import { seededRandom } from './seeded-random.js'

it('the same seed gives the same numbers in [0, 1), spread evenly', () => {
  const take = (seed: number) => Array.from({ length: 1_000 }, seededRandom(seed))
  expect(take(1)).toEqual(take(1))
  expect(take(1)).not.toEqual(take(2))
  expect(take(1).every((n) => n >= 0 && n < 1)).toBe(true)
  expect(take(1).reduce((sum, n) => sum + n, 0) / 1_000).toBeCloseTo(0.5, 1)
})
