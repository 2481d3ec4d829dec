import { expect, it } from 'vitest'
import { createThompson } from './create-thompson.js'

const outcomes = (...successes: boolean[]) => successes.map((success, at) => ({ success, at }))

it('what was never called is Beta(1, 1)', () => {
  expect(createThompson().of('a:b')).toEqual({ alpha: 1, beta: 1, observations: 0, updatedAt: 0 })
})

it('an outcome counts from the next look on, and says what the store is to add', () => {
  const thompson = createThompson()
  const shift = thompson.take('a:b', outcomes(true, true, false))
  expect(shift).toMatchObject({ observations: 3, at: 2, failures: 1 })
  expect(thompson.of('a:b')).toMatchObject({ beta: 2, observations: 3, updatedAt: 2 })
  expect(thompson.of('a:c').observations).toBe(0)
})

it('tools and capabilities are counted apart', () => {
  const thompson = createThompson()
  thompson.take('a:b', outcomes(true, true))
  thompson.take('cap:send-report-1a2b3c', outcomes(false))
  expect([thompson.total('tool'), thompson.total('capability')]).toEqual([2, 1])
  expect(thompson.rows('capability').map(({ id }) => id)).toEqual(['cap:send-report-1a2b3c'])
})

it('nothing taken leaves no row', () => {
  const thompson = createThompson()
  thompson.take('a:b', [])
  expect(thompson.rows('tool')).toEqual([])
})

it('its rows, loaded elsewhere, are the same states', () => {
  const one = createThompson()
  one.take('a:b', outcomes(true, false, true))
  one.take('a:c', outcomes(false))
  const other = createThompson()
  other.take('old:one', outcomes(true))
  other.load('tool', one.rows('tool'))
  expect(other.rows('tool')).toEqual(one.rows('tool'))
  expect(other.total('tool')).toBe(4)
})

it('a row that is no Beta state is left out', () => {
  const thompson = createThompson()
  const row = { alpha: 2, beta: 1, observations: 1, updatedAt: 0 }
  thompson.load('tool', [
    { id: 'a:good', ...row },
    { id: 'a:nan', ...row, alpha: Number.NaN },
    { id: 'a:low', ...row, beta: 0.2 },
    { id: 'a:count', ...row, observations: Number.POSITIVE_INFINITY },
  ])
  expect(thompson.rows('tool').map(({ id }) => id)).toEqual(['a:good'])
})
