import { expect, it } from 'vitest'
import type { ToolId } from '../model/tool.js'
import { type KeyedCall, type Look, simulateAhead } from './simulate-ahead.js'

/** Each call with what was predicted before it: `[['a', 'a:.9 b:.5']]`. `+` goes on with the turn, `!` may write. */
function looks(...calls: readonly (readonly [came: string, predicted: string])[]): readonly Look[] {
  return calls.map(([came, predicted], at) => ({
    moment: {
      session: 's',
      at,
      key: came.replace(/^[+!]/, ''),
      call: { tool: 'set:t' as ToolId, arguments: {}, turn: at },
      isRead: !came.startsWith('!'),
      startsTurn: !came.startsWith('+'),
      isNear: () => false,
    },
    predicted: predicted.split(' ').filter(Boolean).map(toCall),
  }))
}

function toCall(text: string): KeyedCall {
  const [key, p] = text.split(':')
  return {
    ...{ key: key!, tool: 'set:t' as ToolId, arguments: {}, sources: {}, weakest: 'result' },
    ...{ next: 0, p: Number(p), toolP: 1 },
  }
}

const run = (
  session: readonly Look[],
  { least = 0, drops = false }: { least?: number; drops?: boolean } = {},
) =>
  simulateAhead(session, { mayRun: ({ p }) => p >= least, drops: ({ isRead }) => drops && !isRead }).map(
    ({ at, call, used }) => `${at} ${call.key} ${used ? 'used' : 'wasted'}`,
  )

it('the surest are run, at most three a turn', () => {
  expect(run(looks(['b', 'a:.2 b:.9 c:.5 d:.4']))).toEqual(['0 b used', '0 c wasted', '0 d wasted'])
  expect(run(looks(['b', 'a:.2 b:.9 c:.5 d:.4']), { least: 0.6 })).toEqual(['0 b used'])
})

it('what was run waits for three calls, is not run twice meanwhile, and not again when it was wasted', () => {
  const session = looks(
    ['x', 'a:.9'],
    ['y', 'a:.9'],
    ['a', 'a:.9'],
    ['x', 'b:.9'],
    ['y', ''],
    ['z', ''],
    ['b', 'b:.9'],
  )
  expect(run(session)).toEqual(['0 a used', '3 b wasted'])
})

it('what was used may be run again', () => {
  expect(run(looks(['a', 'a:.9'], ['a', 'a:.9']))).toEqual(['0 a used', '1 a used'])
})

it('nothing is run in the middle of a turn', () => {
  expect(run(looks(['x', 'a:.9'], ['+b', 'b:.9'], ['+a', '']))).toEqual(['0 a used'])
})

it('a call that may write drops what was kept, where that is asked for', () => {
  const session = looks(['!w', 'a:.9'], ['a', ''])
  expect(run(session)).toEqual(['0 a used'])
  expect(run(session, { drops: true })).toEqual(['0 a wasted'])
})
