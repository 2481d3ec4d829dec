import { expect, test } from 'vitest'
import { createWasteBudget } from './waste-budget.js'

const limits = { wastePerHour: 3, wastePerServerPerHour: 2 }

test('a call counts from its start until it is used, in all and on its server', () => {
  const budget = createWasteBudget({ now: () => 0 })
  const used = budget.spend('a')
  budget.spend('a')
  expect(budget.hasRoom('a', limits)).toBe(false)
  expect(budget.hasRoom('b', limits)).toBe(true)
  budget.spend('b')
  expect(budget.hasRoom('b', limits)).toBe(false)
  used()
  used()
  expect(budget.hasRoom('a', limits)).toBe(true)
  budget.spend('a')
  expect(budget.hasRoom('c', limits)).toBe(false)
})

test('what was wasted counts for an hour', () => {
  let ms = 0
  const budget = createWasteBudget({ now: () => ms })
  for (const at of [0, 1, 2]) {
    ms = at
    budget.spend('a')
  }
  ms = 3_599_999
  expect(budget.hasRoom('b', limits)).toBe(false)
  ms = 3_600_000
  expect(budget.hasRoom('b', limits)).toBe(true)
  expect(budget.hasRoom('a', limits)).toBe(false)
  ms = 3_600_001
  expect(budget.hasRoom('a', limits)).toBe(true)
})

test('a limit that is no number leaves no room, and one without end some', () => {
  const budget = createWasteBudget({ now: () => 0 })
  expect(budget.hasRoom('a', { wastePerHour: Number.NaN, wastePerServerPerHour: 1 })).toBe(false)
  expect(budget.hasRoom('a', { wastePerHour: 1, wastePerServerPerHour: Number.NaN })).toBe(false)
  const none = { wastePerHour: Number.POSITIVE_INFINITY, wastePerServerPerHour: Number.POSITIVE_INFINITY }
  for (let n = 0; n < 10_000; n++) budget.spend('a')
  expect(budget.hasRoom('a', none)).toBe(false)
})
