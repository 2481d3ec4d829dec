import { describe, expect, it } from 'vitest'
import { makeTool } from './make-tool.contract.js'
import { orderWrites } from './order-writes.js'
import type { PickedTool } from './picked-tool.js'

function pick(id: string, clause: number, readOnlyHint?: boolean): PickedTool {
  const tool = makeTool(id)
  const annotations = readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }
  return {
    tool: { ...tool, definition: { ...tool.definition, ...annotations } },
    score: 1,
    clause,
    serves: '',
    by: 'intent',
  }
}
const between = (picks: readonly PickedTool[]) =>
  orderWrites(
    picks,
    picks.map(({ tool }) => tool.name),
    [],
  ).map(({ from, to }) => `${from} ${to}`)

describe('two tools of one server', () => {
  it('are run as the request says where one of them writes', () => {
    expect(between([pick('f:read', 1, true), pick('f:write', 0, false)])).toEqual(['write read'])
    expect(between([pick('f:read', 0, true), pick('f:delete', 1, false)])).toEqual(['read delete'])
  })

  it('run together where both read, say nothing, share a clause, or stand on other servers', () => {
    expect(between([pick('f:a', 0, true), pick('f:b', 1, true)])).toEqual([])
    expect(between([pick('f:a', 0), pick('f:b', 1)])).toEqual([])
    expect(between([pick('f:a', 0, false), pick('f:b', 0, false)])).toEqual([])
    expect(between([pick('f:a', 0, false), pick('g:b', 1, false)])).toEqual([])
  })

  it('get no second way where there is one, in either direction', () => {
    const picks = [pick('f:a', 0, false), pick('f:b', 1, false)]
    const edge = { probability: 0.9, parts: {}, fields: [], why: '' }
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const)
      expect(orderWrites(picks, ['a', 'b'], [{ ...edge, from, to }])).toEqual([])
  })
})
