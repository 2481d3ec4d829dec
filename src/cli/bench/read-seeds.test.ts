import { expect, it } from 'vitest'
import { readSeeds } from './read-seeds.js'

it('one seed, or each of a range', () => {
  expect(readSeeds({ seed: '42' })).toEqual([42])
  expect(readSeeds({ seed: '42', seeds: '7' })).toEqual([7])
  expect(readSeeds({ seed: '42', seeds: '42-44' })).toEqual([42, 43, 44])
})

it.each([
  [{ seed: 'x' }, '--seed: expected a whole number, got "x"'],
  [{ seed: '1-2' }, '--seed: expected a whole number, got "1-2"'],
  [{ seed: '1', seeds: '4-' }, '--seeds: expected a whole number, got ""'],
  [{ seed: '1', seeds: '4-2' }, '--seeds: expected a range like 42-46'],
  [{ seed: '1', seeds: '1-2-3' }, '--seeds: expected a range like 42-46'],
  [{ seed: '1', seeds: '1-1000' }, 'of at most 100'],
])('%j is refused', (given, why) => {
  expect(() => readSeeds(given)).toThrow(why)
})
