import { expect, it } from 'vitest'
import { formatDuration } from './format-duration.js'

it.each([
  [12.4, '12 ms'],
  [1_500, '1.5 s'],
  [185_000, '3 min'],
  [7_500_000, '2 h 5 min'],
])('%d ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
