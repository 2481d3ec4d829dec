import { expect, it } from 'vitest'
import type { Json } from '../model/json.js'
import { createRedact } from '../model/redact.js'
import { keepValue } from './keep-value.js'

const secret = 's3cret-token-value'
const redact = createRedact([secret])

it('a small value is kept whole, without its secrets', () => {
  expect(keepValue({ a: [1, `x ${secret}`, null], b: {} }, redact)).toEqual({
    a: [1, 'x [redacted]', null],
    b: {},
  })
})

it('of a large value its shape is kept, with the first items', () => {
  const rows = Array.from({ length: 1000 }, (_, at) => ({ id: at, text: 'lorem '.repeat(100) }))
  expect(keepValue({ total: 1000, rows }, redact)).toEqual({
    total: 1000,
    rows: [
      ...[0, 1, 2].map((id) => ({
        id,
        text: `${'lorem '.repeat(100).slice(0, 200)}... 400 more characters`,
      })),
      '... 997 more',
    ],
  })
})

it('whatever is large stays below the limit, and is valid JSON', () => {
  let deep: Json = 'bottom'
  for (let depth = 0; depth < 100_000; depth++) deep = [deep]
  const keys = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, at) => [`key ${at}`, { [`x${at}`]: [[at]] }]),
  )
  const longKeys = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}`.repeat(4_000), at]))
  const bushy = (levels: number): Json =>
    levels === 0
      ? 'leaf'
      : Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`k${at}`, bushy(levels - 1)]))
  for (const value of [deep, keys, longKeys, bushy(6), 'x'.repeat(5_000_000)])
    expect(JSON.stringify(keepValue(value as Json, redact)).length).toBeLessThan(20_000)
})

it('a secret is never cut in half and left there', () => {
  const text = `${'x'.repeat(200 - secret.length / 2)}${secret}${'y'.repeat(20_000)}`
  expect(JSON.stringify(keepValue([text], redact))).not.toContain(secret.slice(0, 6))
})

it('keys lose their secrets, whole or summarised', () => {
  const rows = Array.from({ length: 5_000 }, (_, at) => at)
  expect(keepValue({ [secret]: 1 }, redact)).toEqual({ '[redacted]': 1 })
  expect(JSON.stringify(keepValue({ [`of ${secret}`]: rows }, redact))).not.toContain(secret)
})
