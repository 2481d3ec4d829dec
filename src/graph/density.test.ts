import { expect, it } from 'vitest'
import { density } from './density.js'

it('is the share of ordered pairs, and 0 where there are none', () => {
  expect(density(3, 3)).toBe(0.5)
  expect([density(0, 0), density(1, 0)]).toEqual([0, 0])
})
