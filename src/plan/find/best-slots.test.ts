import { expect, it } from 'vitest'
import { seededRandom } from '../../model/seeded-random.js'
import { bestSlots } from './best-slots.js'

const byNumber = (a: number, b: number) => a < b

it('gives the highest values first, and ties in the order asked for', () => {
  const values = Float64Array.of(1, 3, 0, 3, 2, 3)
  expect(bestSlots(values, 4, byNumber)).toEqual([1, 3, 5, 4])
  expect(bestSlots(values, 4, (a, b) => a > b)).toEqual([5, 3, 1, 4])
})

it('leaves out what has no value, and gives nothing for nothing', () => {
  expect(bestSlots(Float64Array.of(0, -1, Number.NaN, 1), 9, byNumber)).toEqual([3])
  expect(bestSlots(Float64Array.of(1, 2), 0, byNumber)).toEqual([])
  expect(bestSlots(new Float64Array(0), 3, byNumber)).toEqual([])
})

it('is the head of the sorted list, whatever the values', () => {
  const random = seededRandom(42)
  const below = (bound: number) => Math.floor(random() * bound)
  for (let round = 0; round < 300; round++) {
    const values = Float64Array.from({ length: below(60) }, () => below(9))
    const count = below(20)
    const sorted = [...values.keys()].filter((slot) => values[slot]! > 0)
    sorted.sort((a, b) => values[b]! - values[a]! || a - b)
    expect(bestSlots(values, count, byNumber)).toEqual(sorted.slice(0, count))
  }
})
