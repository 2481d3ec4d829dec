import { describe, expect, it } from 'vitest'
import { type Experience, noExperience, type PastRun } from '../model/experience.js'
import type { JsonObject } from '../model/json.js'
import type { ToolId } from '../model/tool.js'
import { reusePastRun } from './reuse-past-run.js'

const past = (intent: string, args: JsonObject, id = 'run-1'): PastRun => ({
  id,
  intent,
  endedAt: 0,
  tasks: [{ id: 'a', tool: 'mail:send' as ToolId, arguments: args, dependsOn: [] }],
})
const experience = (...runs: readonly (readonly [PastRun, number])[]): Experience => ({
  ...noExperience,
  runsLike: () => runs.map(([run, similarity]) => ({ run, similarity })),
})
const reuse = (before: string, args: JsonObject, now: string) =>
  reusePastRun(now, experience([past(before, args), 1]))
const argumentsOf = (...given: Parameters<typeof reuse>) => reuse(...given)?.tasks[0]?.arguments

describe('reusePastRun', () => {
  it.each<[string, JsonObject, string, JsonObject]>([
    ['mail a@b.org', { to: 'a@b.org', cc: 'x@y.org' }, 'mail c@d.org', { to: 'c@d.org', cc: 'x@y.org' }],
    [
      'mail "hi" to Bob',
      { to: ['Bob'], body: { text: 'hi' } },
      'mail "yo" to Ann',
      { to: ['Ann'], body: { text: 'yo' } },
    ],
    ['wait 5 minutes', { minutes: 5 }, 'wait 7 minutes', { minutes: 7 }],
    ['wait 5 minutes', { minutes: '5' }, 'wait 7 minutes', { minutes: '7' }],
    ['pay $1,000 now', { amount: 1000 }, 'pay $2,500.50 now', { amount: 2500.5 }],
    ['pay $1,000 now', { amount: '$1,000' }, 'pay $2,500 now', { amount: '$2,500' }],
    ['pay $1,000 now', { amount: '1000' }, 'pay $2,500 now', { amount: '2500' }],
    ['copy Bob to Ann', { from: 'Bob', to: 'Ann' }, 'copy Ann to Bob', { from: 'Ann', to: 'Bob' }],
    [
      'wait 5 minutes',
      { minutes: 5, isLoud: true, note: null },
      'wait 7 minutes',
      { minutes: 7, isLoud: true, note: null },
    ],
    ['send it', { to: 'me' }, 'send it', { to: 'me' }],
    // The same value may be within a text that nobody asked to change.
    ['greet Bob', { text: 'Hello Bob' }, 'greet Bob', { text: 'Hello Bob' }],
  ])('takes from %j with %j for %j the arguments %j', (before, args, now, expected) => {
    expect(argumentsOf(before, args, now)).toEqual(expected)
  })

  it('leaves references alone', () => {
    const args = { text: { $from: 'Bob.text' }, list: [{ $from: 'Bob', $as: 'text' }], to: 'Bob' }
    expect(argumentsOf('mail Bob', args, 'mail Ann')).toEqual({ ...args, to: 'Ann' })
  })

  it('says which values stand in this intent, and where they went', () => {
    const reused = reuse('mail "hi" to Bob', { to: ['Bob'], 'odd key': { text: 'hi' } }, 'mail "yo" to Ann')
    expect(reused).toMatchObject({ similarity: 1, times: 1, run: { id: 'run-1' } })
    expect(reused?.rebound).toEqual([
      { task: 'a', argument: 'to[0]', text: 'Ann' },
      { task: 'a', argument: '["odd key"].text', text: 'yo' },
    ])
  })

  it.each<[string, string, JsonObject, string]>([
    ['a value more', 'mail Bob', { to: 'Bob' }, 'mail Bob at 10:30'],
    ['another kind of value', 'mail Bob', { to: 'Bob' }, 'mail a@b.org'],
    ['a text for a number', 'set "5" there now', { x: 5 }, 'set "five" there now'],
    ['one value that was two', 'copy Bob to Bob', { from: 'Bob', to: 'Bob' }, 'copy Bob to Ann'],
    ['a value whose place is unknown', 'weather in Paris', { city: 'FR-75' }, 'weather in London'],
    ['a value within another text', 'greet Bob', { to: 'Bob', text: 'Hello Bob' }, 'greet Ann'],
    ['a secret that is no longer known', 'send it', { key: '[redacted]' }, 'send it'],
  ])('plans anew for %s', (_, before, args, now) => {
    expect(reuse(before, args, now)).toBeUndefined()
  })

  it('passes over a run with a value that is another each time', () => {
    const stale = { ...past('close it', { key: 'PROJ-118' }), isStale: true }
    expect(reusePastRun('close it', experience([stale, 1]))).toBeUndefined()
  })

  it('takes the first run that fits, and none for other words', () => {
    const wrong = past('mail a@b.org', { to: 'a@b.org' }, 'wrong')
    const right = past('mail Bob', { to: 'Bob' }, 'right')
    expect(reusePastRun('mail Ann', experience([wrong, 1], [right, 0.96]))).toMatchObject({
      run: { id: 'right' },
      times: 2,
    })
    expect(reusePastRun('mail Ann', experience([right, 0.9]))).toBeUndefined()
    expect(reusePastRun('mail Ann', noExperience)).toBeUndefined()
  })

  it('keeps fields with odd names fields', () => {
    const args = JSON.parse('{"__proto__":{"to":"Bob"}}') as JsonObject
    expect(JSON.stringify(argumentsOf('mail Bob', args, 'mail Ann'))).toBe('{"__proto__":{"to":"Ann"}}')
  })
})
