import { expect, it } from 'vitest'
import { seededRandom } from '../model/seeded-random.js'
import { tridiagonalEigen } from './tridiagonal-eigen.js'

it('knows the values of a chain, which have a formula', () => {
  // 0 on the diagonal, 1 beside it: 2 cos(pi j / (n + 1))
  const order = 12
  const { values } = tridiagonalEigen(Array(order).fill(0), Array(order - 1).fill(1), 'whole')
  for (const [j, value] of values.entries())
    expect(value).toBeCloseTo(2 * Math.cos((Math.PI * (j + 1)) / (order + 1)), 12)
})

it('its vectors are eigenvectors, of length 1 and orthogonal, and the last elements are theirs', () => {
  const random = seededRandom(5)
  const order = 60
  const diagonal = Array.from({ length: order }, () => random() - 0.5)
  const beside = Array.from({ length: order - 1 }, () => random())
  const { values, vectors } = tridiagonalEigen(diagonal, beside, 'whole')
  const row = (i: number) => vectors.subarray(i * order, (i + 1) * order)
  for (let i = 0; i < order; i++) {
    const vector = row(i)
    for (let n = 0; n < order; n++) {
      const before = n > 0 ? beside[n - 1]! * vector[n - 1]! : 0
      const after = n < order - 1 ? beside[n]! * vector[n + 1]! : 0
      expect(before + diagonal[n]! * vector[n]! + after).toBeCloseTo(values[i]! * vector[n]!, 10)
    }
    for (let other = 0; other <= i; other++)
      expect(vector.reduce((sum, value, n) => sum + value * row(other)[n]!, 0)).toBeCloseTo(
        other === i ? 1 : 0,
        10,
      )
  }
  const last = tridiagonalEigen(diagonal, beside, 'last')
  for (let i = 0; i < order; i++) {
    expect(last.values[i]).toBeCloseTo(values[i]!, 12)
    expect(Math.abs(last.vectors[i]!)).toBeCloseTo(Math.abs(row(i)[order - 1]!), 10)
  }
})

it('takes a matrix apart that falls into blocks, down to single numbers', () => {
  expect([...tridiagonalEigen([1, 3, 2], [0, 0], 'last').values]).toEqual([3, 2, 1])
  expect([...tridiagonalEigen([4], [], 'whole').values]).toEqual([4])
  const [high, low] = tridiagonalEigen([0, 0], [1], 'whole').values
  expect(high).toBeCloseTo(1, 14)
  expect(low).toBeCloseTo(-1, 14)
})
