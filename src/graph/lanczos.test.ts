import { expect, it } from 'vitest'
import { seededRandom } from '../model/seeded-random.js'
import { lanczos } from './lanczos.js'

const find = (rows: readonly (readonly number[])[], count: number, known: readonly Float64Array[] = []) =>
  lanczos({
    order: rows.length,
    multiply(vector, product) {
      for (const [i, row] of rows.entries())
        product[i] = row.reduce((sum, value, n) => sum + value * vector[n]!, 0)
    },
    count,
    known,
    random: seededRandom(1),
  })
const diagonal = (values: readonly number[]) =>
  values.map((value, i) => values.map((_, n) => (i === n ? value : 0)))
const close = (found: readonly { readonly value: number }[], expected: readonly number[], digits = 5) => {
  expect(found).toHaveLength(expected.length)
  for (const [i, { value }] of found.entries()) expect(value).toBeCloseTo(expected[i]!, digits)
}

it('finds the largest values of a matrix it only multiplies with', () => {
  const values = Array.from({ length: 200 }, (_, i) => (i < 5 ? 1 - i / 10 : 0.3 * Math.sin(i)))
  close(find(diagonal(values), 5), [1, 0.9, 0.8, 0.7, 0.6])
})

it('finds a value as often as it is there', () => {
  close(find(diagonal([0.5, 0.9, 0.9, 0.1, 0.9, 0.5, -1]), 5), [0.9, 0.9, 0.9, 0.5, 0.5])
  const large = Array.from({ length: 300 }, (_, i) => (i % 60 === 0 ? 0.9 : 0.4 * Math.cos(i)))
  close(find(diagonal(large), 5), Array(5).fill(0.9))
  close(find(diagonal([1, 1, 1]), 3), [1, 1, 1])
})

it('its vectors are of length 1 and orthogonal to one another and to those known before', () => {
  const random = seededRandom(3)
  const order = 150
  const rows = Array.from({ length: order }, () => new Array<number>(order).fill(0))
  for (let i = 0; i < order; i++)
    for (let n = 0; n <= i; n++) rows[n]![i] = rows[i]![n] = (random() - 0.5) / Math.sqrt(order)
  const [first] = find(rows, 1)
  const rest = find(rows, 6, [first!.vector])
  const all = [first!, ...rest]
  for (const [i, a] of all.entries())
    for (const [n, b] of all.entries())
      expect(a.vector.reduce((sum, value, at) => sum + value * b.vector[at]!, 0)).toBeCloseTo(
        i === n ? 1 : 0,
        4,
      )
  close(
    all,
    find(rows, 7).map(({ value }) => value),
    3,
  )
})

it('gives fewer where there are no more', () => {
  close(find(diagonal([3, 1, 2]), 9), [3, 2, 1])
  close(find(diagonal([3, 1]), 9, [Float64Array.of(1, 0)]), [1])
  expect(find(diagonal([3]), 2, [Float64Array.of(1)])).toEqual([])
})
