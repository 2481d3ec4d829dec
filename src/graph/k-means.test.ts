import { expect, it } from 'vitest'
import { seededRandom } from '../model/seeded-random.js'
import { kMeans } from './k-means.js'

const labels = (points: readonly (readonly [number, number])[], k: number, seed = 1) =>
  Array.from(
    kMeans({ points: Float64Array.from(points.flat()), dimension: 2, k, random: seededRandom(seed) }),
  )

it('finds heaps that lie apart, whatever the seed', () => {
  const random = seededRandom(2)
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [10 * (i % 3), 10 * Math.floor(i / 3)] as const)
  const points = Array.from({ length: 400 }, (_, i) => {
    const [x, y] = corners[i % 8]!
    return [x + random(), y + random()] as const
  })
  for (let seed = 0; seed < 20; seed++) {
    const found = labels(points, 8, seed)
    for (const [i, label] of found.entries()) expect(label).toBe(found[i % 8])
    expect(new Set(found).size).toBe(8)
  }
})

it('takes the tighter of two ways to cut a rectangle', () => {
  const found = labels(
    [
      [0, 0],
      [0, 1],
      [5, 0],
      [5, 1],
    ],
    2,
  )
  expect(found[0]).toBe(found[1])
  expect(found[2]).toBe(found[3])
  expect(found[0]).not.toBe(found[2])
})

it('points that coincide are one heap, however many are asked for', () => {
  expect(new Set(labels(Array(6).fill([1, 2]), 3)).size).toBe(1)
  expect(
    new Set(
      labels(
        [
          [1, 2],
          [1, 2],
          [3, 4],
        ],
        3,
      ),
    ).size,
  ).toBe(2)
})

it('the same seed gives the same labels', () => {
  const random = seededRandom(9)
  const points = Array.from({ length: 300 }, () => [random(), random()] as const)
  expect(labels(points, 5, 4)).toEqual(labels(points, 5, 4))
})
