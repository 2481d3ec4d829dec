import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKnowledgeGraph } from '../graph/create-knowledge-graph.js'
import type { EdgeKey } from '../model/edge.js'
import { silentLog } from '../model/log.js'
import { createRedact } from '../model/redact.js'
import { formatToolId, hashDefinition, type Tool, type ToolDefinition } from '../model/tool.js'
import { memorySpool } from '../store/memory-spool.contract.js'
import { openStore } from '../store/open-store.js'
import type { Store } from '../store/store.js'
import { createLearning, type Learning } from './create-learning.js'
import { followTemplates } from './follow-templates.js'
import { createThompson } from './thresholds/create-thompson.js'

function makeTool(name: string, required: readonly string[] = [], listed = true): Tool {
  const definition: ToolDefinition = { name, inputSchema: { type: 'object', required: [...required] } }
  return {
    id: formatToolId('s', name),
    server: 's',
    name,
    definition,
    hash: hashDefinition(definition),
    listed,
    flags: [],
  }
}
const listIssues = makeTool('list_issues')
const closeIssue = makeTool('close_issue', ['issue_number'])
const feeds = { from: 's:list_issues', to: 's:close_issue', type: 'provides' }

let tools: readonly Tool[]
let listeners: Set<() => void>
let errors: unknown[]
let following: { close(): void } | undefined

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  tools = []
  listeners = new Set()
  errors = []
})
afterEach(() => {
  following?.close()
  vi.useRealTimers()
})

function follow(learning: Pick<Learning, 'replaceTemplates'>): void {
  following = followTemplates({
    catalogue: {
      tools: () => tools,
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    learning,
    onError: (error) => void errors.push(error),
  })
}
function change(next: readonly Tool[]): void {
  tools = next
  for (const listener of listeners) listener()
}
/** Remembers what it is given; rejects while `trouble` is set. */
function recorder() {
  const given: (readonly EdgeKey[])[] = []
  const learning = {
    given,
    trouble: undefined as Error | undefined,
    async replaceTemplates(keys: readonly EdgeKey[]) {
      given.push(keys)
      if (learning.trouble !== undefined) throw learning.trouble
    },
  }
  return learning
}

describe('guessing', () => {
  it('waits until the catalogue is still, and then happens once', async () => {
    const learning = recorder()
    follow(learning)
    for (const next of [[listIssues], [listIssues, closeIssue]]) {
      change(next)
      await vi.advanceTimersByTimeAsync(900)
    }
    expect(learning.given).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(learning.given).toEqual([[feeds]])
  })

  it('does not happen again where the tools are the same, whatever else has changed', async () => {
    const learning = recorder()
    follow(learning)
    change([listIssues, closeIssue])
    await vi.advanceTimersByTimeAsync(2_000)
    change([{ ...listIssues, tokens: 7 }, closeIssue, makeTool('gone', [], false)])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(learning.given).toHaveLength(1)
    change([listIssues, makeTool('close_issue', ['issue_number', 'reason'])])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(learning.given).toHaveLength(2)
    change([])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(learning.given.at(-1)).toEqual([])
  })

  it('is left out for more tools than anybody’s graph is for', async () => {
    const learning = recorder()
    follow(learning)
    change(Array.from({ length: 20_001 }, (_, i) => ({ ...listIssues, id: formatToolId('s', `t${i}`) })))
    await vi.advanceTimersByTimeAsync(2_000)
    expect(learning.given).toEqual([])
  })

  it('that was not saved is told of, and tried again though nothing changes', async () => {
    const learning = recorder()
    learning.trouble = new Error('the store is away')
    follow(learning)
    change([listIssues, closeIssue])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(errors).toEqual([learning.trouble])
    learning.trouble = undefined
    await vi.advanceTimersByTimeAsync(60_000)
    expect(learning.given).toEqual([[feeds], [feeds]])
    expect(errors).toHaveLength(1)
  })

  it('that fails by itself ends nothing else', async () => {
    const learning = recorder()
    follow(learning)
    const broken = { ...listIssues, name: undefined } as never
    change([broken])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(errors).toHaveLength(1)
    change([listIssues, closeIssue])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(learning.given).toEqual([[feeds]])
  })

  it('ends with close, also what was about to be tried again', async () => {
    const learning = recorder()
    learning.trouble = new Error('the store is away')
    follow(learning)
    change([listIssues, closeIssue])
    await vi.advanceTimersByTimeAsync(2_000)
    following!.close()
    expect(listeners.size).toBe(0)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(learning.given).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('with real learning', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-templates-'))
  let store: Store
  beforeAll(async () => {
    const { signal } = new AbortController()
    store = await openStore({ dataDirectory, signal, onProgress() {}, log: silentLog })
  })
  afterAll(async () => {
    await store.close()
    rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 3 })
  })

  it('guesses stand in the graph and in the store, and go with their tools', async () => {
    const createGraph = () => createKnowledgeGraph({ now: () => 0, cosine: () => undefined })
    const graph = createGraph()
    follow(
      createLearning({
        graph,
        createGraph,
        analysis: { settled: async () => ({ revision: 0, pageRank: new Map(), communities: new Map() }) },
        thompson: createThompson(),
        spool: memorySpool(),
        store: async () => store,
        redact: createRedact([]),
        log: silentLog,
      }),
    )
    change([listIssues, closeIssue])
    await vi.advanceTimersByTimeAsync(2_000)
    await vi.waitFor(async () => expect(await store.loadEdges()).toHaveLength(1))
    expect(graph.edges()).toMatchObject([{ ...feeds, source: 'template', count: 0 }])
    change([listIssues])
    await vi.advanceTimersByTimeAsync(2_000)
    await vi.waitFor(async () => expect(await store.loadEdges()).toEqual([]))
    expect(graph.edges()).toEqual([])
    expect(errors).toEqual([])
  })
})
