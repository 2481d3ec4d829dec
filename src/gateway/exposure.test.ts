import { describe, expect, it } from 'vitest'
import type { ToolId } from '../model/tool.js'
import { chooseExposure, type ExposureOptions } from './exposure.js'
import { makeTool } from './test-gateway.contract.js'

const many = (count: number, tokens = 100) =>
  Array.from({ length: count }, (_, i) => makeTool('s', `t${String(i).padStart(3, '0')}`, { tokens }))
const choose = (options: Partial<ExposureOptions>) =>
  chooseExposure({
    mode: 'auto',
    tools: [],
    contextWindow: 200_000,
    hybridBudget: 1_000,
    pinned: new Set(),
    usage: new Map(),
    ...options,
  })
const names = (options: Partial<ExposureOptions>) => choose(options).tools.map((tool) => tool.name)
const id = (name: string) => `s:${name}` as ToolId

describe('auto', () => {
  it.each([
    [20, 500, 'direct'],
    [21, 10, 'meta'],
    [20, 501, 'meta'],
    [0, 0, 'direct'],
  ])('%i tools of %i tokens are served %s', (count, tokens, effective) => {
    const exposure = choose({ tools: many(count, tokens) })
    expect(exposure).toMatchObject({ effective, withMetaTools: true })
    expect(exposure.tools.length).toBe(effective === 'direct' ? count : 0)
  })

  it('counts what can be called: quarantined and gone tools take no room', () => {
    const changed = { definition: { name: 'x', inputSchema: {} }, hash: 'other', seenAt: 1 }
    const blocked = [makeTool('s', 'x', { changed }), makeTool('s', 'y', { listed: false })]
    expect(choose({ tools: [...many(20), ...blocked] }).tools.length).toBe(20)
  })

  it('decides by an estimate until the counts are there', () => {
    const long = makeTool('s', 'long', { description: 'word '.repeat(20_000) })
    expect(choose({ tools: [long] }).effective).toBe('meta')
  })
})

it('meta shows our tools alone, proxy the servers alone', () => {
  expect(choose({ mode: 'meta', tools: many(3) })).toMatchObject({
    withMetaTools: true,
    tools: [],
    tokens: 0,
  })
  expect(choose({ mode: 'proxy', tools: many(300) })).toMatchObject({ withMetaTools: false, tokens: 30_000 })
})

describe('hybrid', () => {
  it('takes pinned tools first, then the most used while the budget lasts, ties by id', () => {
    const usage = new Map([
      [id('t004'), 5],
      [id('t007'), 9],
    ])
    const pinned = new Set([id('t009')])
    expect(names({ mode: 'hybrid', tools: many(10), hybridBudget: 400, usage, pinned })).toEqual([
      't000',
      't004',
      't007',
      't009',
    ])
  })

  it('keeps pinned tools above the budget and lets small tools in where a large one does not fit', () => {
    const tools = [
      makeTool('s', 'a', { tokens: 900 }),
      makeTool('s', 'b', { tokens: 500 }),
      makeTool('s', 'c', { tokens: 50 }),
    ]
    expect(names({ mode: 'hybrid', tools, hybridBudget: 100, pinned: new Set([id('b')]) })).toEqual(['b'])
    expect(names({ mode: 'hybrid', tools, hybridBudget: 100 })).toEqual(['c'])
  })
})
