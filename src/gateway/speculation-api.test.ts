import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { silentLog } from '../model/log.js'
import { createRedact } from '../model/redact.js'
import type { Speculation } from '../model/speculation.js'
import { formatToolId } from '../model/tool.js'
import { openStore } from '../store/open-store.js'
import type { Store } from '../store/store.js'
import type { CatalogueView } from './catalogue-view.js'
import { showSpeculation } from './speculation-api.js'
import { makeTool, testConfig } from './test-gateway.contract.js'
import { makeSpeculation } from './test-speculation.contract.js'

const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-speculation-api-'))
const list = formatToolId('files', 'list')
const dayMs = 86_400_000
let store: Store
let unwritten: readonly Speculation[]
let mode: 'on' | 'shadow'

beforeAll(async () => {
  const signal = new AbortController().signal
  store = await openStore({ dataDirectory, signal, onProgress() {}, log: silentLog })
})
afterAll(async () => {
  await store.close()
  rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 3 })
})
beforeEach(async () => {
  await store.forgetLearned()
  unwritten = []
  mode = 'on'
})

function show(query: Record<string, string> = {}) {
  const known = makeTool('files', 'list')
  const names = { resolve: (name: string) => (name === 'list' ? known : undefined) }
  return showSpeculation(new URLSearchParams(query), {
    config: () => ({ ...testConfig, speculation: { ...testConfig.speculation, mode } }),
    store: async () => store,
    flush: () => store.saveSpeculations(unwritten),
    redact: createRedact(['the-secret']),
    view: { current: () => ({ names }) } as unknown as CatalogueView,
  })
}

const none = { predicted: 0, started: 0, hits: 0, joined: 0, wasted: 0, refused: 0, right: 0, wrong: 0 }

it('says that nothing was predicted, and how it is switched now', async () => {
  mode = 'shadow'
  const { since, ...report } = await show()
  expect(report).toEqual({
    mode: 'shadow',
    preset: 'careful',
    all: { ...none, savedMs: 0, cost: 0 },
    tools: [],
    bySource: {},
    refusals: {},
    of: 0,
    recent: [],
  })
  expect(Math.abs(Date.now() - 7 * dayMs - since)).toBeLessThan(10_000)
})

it('adds up what became of predictions by tool, by source and by refusal, who saved most first', async () => {
  unwritten = [
    makeSpeculation({ tool: list, outcome: 'hit', savedMs: 40, cost: 0.01 }),
    makeSpeculation({ outcome: 'joined', savedMs: 100, source: 'row' }),
    makeSpeculation({ outcome: 'wasted' }),
    makeSpeculation(),
    makeSpeculation({ decision: 'refused', refusal: 'below cut-off', outcome: 'right' }),
    makeSpeculation({ decision: 'refused', refusal: 'below cut-off', outcome: 'wrong' }),
    makeSpeculation({ decision: 'refused', refusal: 'not safe', tool: list, source: 'row' }),
    makeSpeculation({ decision: 'shadow', outcome: 'right' }),
  ]
  const { all, tools, bySource, refusals, of, recent } = await show()
  expect(all).toEqual({
    predicted: 8,
    started: 4,
    hits: 1,
    joined: 1,
    wasted: 1,
    refused: 3,
    right: 2,
    wrong: 1,
    savedMs: 140,
    cost: 0.01,
  })
  expect(tools.map(({ tool, predicted, savedMs }) => [tool, predicted, savedMs])).toEqual([
    ['files:read', 6, 100],
    ['files:list', 2, 40],
  ])
  expect(bySource).toEqual({
    result: expect.objectContaining({
      predicted: 6,
      started: 3,
      hits: 1,
      refused: 2,
      savedMs: 40,
      cost: 0.01,
    }),
    row: expect.objectContaining({ predicted: 2, started: 1, joined: 1, refused: 1, savedMs: 100 }),
  })
  expect(refusals).toEqual({ 'below cut-off': 2, 'not safe': 1 })
  expect([of, recent.length]).toEqual([8, 8])
})

it('tells of one tool, by any form of its name, and of one that nobody lists any more', async () => {
  unwritten = [makeSpeculation({ tool: list }), makeSpeculation(), makeSpeculation()]
  for (const tool of ['list', 'files:list']) {
    const { all, tools, of, recent } = await show({ tool })
    expect([all.predicted, tools.length, of, recent.map((one) => one.tool)]).toEqual([1, 1, 1, [list]])
  }
  expect((await show({ tool: 'files:read' })).all.predicted).toBe(2)
  expect((await show({ tool: 'nobody:x' })).all.predicted).toBe(0)
})

it('goes back as far as is asked for, and a week where nothing is said', async () => {
  unwritten = [makeSpeculation(), makeSpeculation({ predictedAt: Date.now() - 8 * dayMs })]
  expect((await show()).all.predicted).toBe(1)
  expect((await show({ since: '0' })).all.predicted).toBe(2)
  expect((await show({ since: String(Date.now() + dayMs) })).all.predicted).toBe(0)
})

it('of a large ledger the sums are whole, and what is read row by row says of how many it is', async () => {
  const now = Date.now()
  unwritten = Array.from({ length: 5_040 }, (_, at) =>
    makeSpeculation({
      predictedAt: now - at,
      arguments: { at },
      decision: 'refused',
      refusal: 'cost',
    }),
  )
  const { all, refusals, bySource, of, recent } = await show()
  expect([all.predicted, of, refusals.cost, bySource.result?.predicted]).toEqual([5_040, 5_000, 5_000, 5_000])
  expect(recent.map((one) => one.arguments.at)).toEqual(Array.from({ length: 20 }, (_, at) => at))
})

it('tells no secret', async () => {
  const tool = formatToolId('files', 'read_the-secret')
  unwritten = [makeSpeculation({ tool, arguments: { path: 'x/the-secret' } })]
  expect(JSON.stringify(await show())).not.toContain('the-secret')
})

it.each(['', 'yesterday', '-1', '1.5', '1e400'])('refuses since=%j', async (since) => {
  await expect(show({ since })).rejects.toThrow('"since" must be a time in milliseconds since 1970.')
})
