import { expect, it } from 'vitest'
import type { Json } from '../model/json.js'
import { createRedact } from '../model/redact.js'
import { isSummary } from './is-summary.js'
import { keepValue } from './keep-value.js'

const redact = createRedact(['s3cret-word'])

it('whatever keepValue leaves out is seen', () => {
  let deep: Json = 'bottom'
  for (let depth = 0; depth < 100; depth++) deep = [deep]
  const large: readonly Json[] = [
    'x'.repeat(20_000),
    Array.from({ length: 5_000 }, (_, at) => at),
    Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`key ${at}`, at])),
    Array.from({ length: 3 }, () =>
      Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`k${at}`, 'y'.repeat(190)])),
    ),
    { rows: [{ text: 'z'.repeat(15_000) }] },
    deep,
  ]
  for (const value of large) expect(isSummary(keepValue(value, redact))).toBe(true)
})

it('what is kept whole is none, also with dots in it', () => {
  for (const value of [
    '',
    'and so on ...',
    '... 3 dots',
    { '...': 1, a: [null, 2, '...'] },
    Array(100).fill('a'),
  ])
    expect(isSummary(keepValue(value, redact))).toBe(false)
})
