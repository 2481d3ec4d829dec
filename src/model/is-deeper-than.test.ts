import { expect, it } from 'vitest'
import { isDeeperThan } from './is-deeper-than.js'

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))

it.each([undefined, null, 'text', 1, {}])('%j has no depth', (value) => {
  expect(isDeeperThan(value, 0)).toBe(false)
})

it('counts levels beneath the first, of arrays and objects alike, however many there are', () => {
  expect(isDeeperThan(nested(3), 2)).toBe(false)
  expect(isDeeperThan({ a: { b: [] } }, 1)).toBe(true)
  expect(isDeeperThan(nested(100_000), 99_999)).toBe(false)
  expect(isDeeperThan(nested(100_001), 99_999)).toBe(true)
})
