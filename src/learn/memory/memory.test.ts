import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { UsageError } from '../../errors.js'
import { createKnowledgeGraph } from '../../graph/create-knowledge-graph.js'
import { type Capability, capabilityId } from '../../model/capability.js'
import type { Edge } from '../../model/edge.js'
import type { Json, JsonObject } from '../../model/json.js'
import { silentLog } from '../../model/log.js'
import { newId } from '../../model/new-id.js'
import { createRedact } from '../../model/redact.js'
import { formatToolId } from '../../model/tool.js'
import type { Trace } from '../../model/trace.js'
import { openStore } from '../../store/open-store.js'
import type { Store } from '../../store/store.js'
import { learnFromTraces } from '../learn-from-traces.js'
import { rebuildGraph } from '../rebuild-graph.js'
import { exportMemory } from './export-memory.js'
import { type ImportOptions, importMemory } from './import-memory.js'
import type { MemoryFile } from './memory-file.js'
import { resetMemory } from './reset-memory.js'

const now = () => 1_700_000_000_000
const redact = createRedact(['s3cret-word'])
const [read, write, list] = ['read', 'write', 'list'].map((name) => formatToolId('fs', name)) as [
  ...[ReturnType<typeof formatToolId>, ReturnType<typeof formatToolId>, ReturnType<typeof formatToolId>],
]
const createGraph = () => createKnowledgeGraph({ now, cosine: () => undefined })
const folders: string[] = []
let theirs: Store
let ours: Store

async function newStore(): Promise<Store> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-memory-'))
  folders.push(dataDirectory)
  const signal = new AbortController().signal
  return openStore({ dataDirectory, signal, onProgress() {}, log: silentLog })
}

beforeAll(async () => {
  theirs = await newStore()
  ours = await newStore()
}, 120_000)
afterAll(async () => {
  await theirs.close()
  await ours.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})
beforeEach(async () => {
  for (const store of [theirs, ours])
    await resetMemory({ store, withPreferences: true, by: 'test', now, newId })
})

/** A run of two calls, the second after the first. */
async function learn(store: Store, from = read, to = write, success = true): Promise<void> {
  const id = newId()
  const root: Trace = {
    ...{ id, runId: id, intent: 'send s3cret-word', success, startedAt: 1_000, endedAt: 2_000 },
    ...{ dependsOn: [], links: [] },
  }
  const call = { ...root, parentId: id, arguments: { key: 'a private argument' }, result: 'a private result' }
  const first = { ...call, id: newId(), tool: from, success: true, endedAt: 1_400 }
  const failed = success ? {} : { errorCode: 'TOOL_ERROR' }
  const second = { ...call, ...failed, id: newId(), tool: to, startedAt: 1_500, dependsOn: [first.id] }
  const graph = createGraph()
  graph.load(await store.loadEdges())
  await learnFromTraces([[root, first, second]], { graph, store })
}

const exported = (store: Store) => exportMemory({ store, redact, now })
const take = (given: unknown, fields: Partial<ImportOptions> = {}) =>
  importMemory(given, {
    ...{ store: ours, createGraph, isAgain: false, withPreferences: false, by: 'command line', now, newId },
    ...fields,
  })
const asSent = (memory: MemoryFile): JsonObject => JSON.parse(JSON.stringify(memory))
const known = async (store: Store) => ({ ...(await exported(store)), exportedAt: 0 })

async function fillTheirs(): Promise<void> {
  await learn(theirs)
  await learn(theirs, read, write, false)
  const schema = { properties: { 's3cret-word': {} } }
  await theirs.saveOutputSchemas([
    { schema: { tool: read, schema, version: 1, samples: 2, updatedAt: 5 }, replaced: undefined },
  ])
  await theirs.saveAdaptiveThresholds([
    {
      context: 'read|fs|1',
      suggest: 0.65,
      execute: 0.9,
      window: ['true-positive'],
      outcomes: 21,
      updatedAt: 5,
    },
  ])
  await theirs.savePreferences([
    { tool: read, approvals: 3, rejections: 0, streak: 3, updatedAt: 5 },
    { tool: write, approvals: 0, rejections: 1, streak: -1, updatedAt: 5 },
  ])
  await theirs.saveLearnedState('next-tools', {
    version: 1,
    weights: { transition: 1.5 },
    sequences: [{ session: 'private session', intent: 'a private intent', steps: [] }],
  })
}

it('a memory holds what was learned, and nothing of what was asked, given or got', async () => {
  await fillTheirs()
  const memory = await exported(theirs)
  expect(memory.edges.length).toBeGreaterThan(0)
  expect(memory.betaStates.map(({ id, observations }) => [id, observations])).toEqual([
    [read, 2],
    [write, 2],
  ])
  expect(memory.ranker).toEqual({ version: 1, weights: { transition: 1.5 } })
  const text = JSON.stringify(memory)
  for (const word of ['s3cret-word', 'private', 'session', 'intent', 'traces'])
    expect(text).not.toContain(word)
})

it('a memory holds nothing of capabilities, neither their code nor what is known of them', async () => {
  await learn(theirs)
  const before = await known(theirs)
  const id = capabilityId('file-private-report', 'abcdef0123')
  await theirs.addCapability({
    ...{ id, name: 'file_private_report', description: 'private', intents: ['a private intent'] },
    ...{ code: "return 'private'", structure: 'abcdef0123', inputSchema: {}, tools: [read], calls: [] },
    ...{ origin: 'learned', uses: 1, successes: 1, meanMs: 5, recent: [], createdAt: 1, lastUsedAt: 1 },
  })
  await theirs.saveLearned({
    traces: [],
    edges: [
      {
        ...{ from: read, to: id, type: 'sequence', source: 'inferred' },
        ...{ count: 2, successes: 2, failures: 0, firstSeen: 1, lastSeen: 2 },
      },
    ],
    betaShifts: [{ tool: id, shift: { decay: 1, successes: 1, failures: 0, observations: 1, at: 5 } }],
  })
  const schema = { tool: id, schema: {}, version: 1, samples: 2, updatedAt: 5 }
  await theirs.saveOutputSchemas([{ schema, replaced: undefined }])
  await theirs.savePreferences([{ tool: id, approvals: 3, rejections: 0, streak: 3, updatedAt: 5 }])
  expect(await known(theirs)).toEqual(before)
})

it('a reset forgets learned capabilities and says how many; those that people wrote stay', async () => {
  const written = ['written', 'seen'].map((name): Capability => {
    const structure = `${name}-structure`
    return {
      ...{ id: capabilityId(name, structure), name, description: '', intents: [], code: '', structure },
      ...{ inputSchema: {}, tools: [read], calls: [], uses: 0, successes: 0, meanMs: 0, recent: [] },
      ...{ origin: name === 'seen' ? 'learned' : 'manual', createdAt: 1, lastUsedAt: 1 },
    }
  })
  for (const capability of written) await ours.addCapability(capability)
  const options = { store: ours, withPreferences: false, by: 'command line', now, newId }
  expect(await resetMemory(options)).toMatchObject({ capabilities: 1 })
  expect(await resetMemory(options)).toMatchObject({ capabilities: 0 })
  expect(await ours.loadCapabilities()).toEqual([written[0]])
  await ours.forgetCapability(written[0]!.id)
})

it('what is imported into an empty store is all there, but for preferences, and a rebuild changes nothing', async () => {
  await fillTheirs()
  const memory = asSent(await exported(theirs))
  expect(await take(memory)).toMatchObject({
    ...{ refusedEdges: 0, betaStates: 2, outputSchemas: 1, thresholds: 1 },
    ...{ preferences: 0, preferencesLeftOut: 2, isRankerTaken: true },
  })
  const before = await known(ours)
  expect(before).toEqual({ ...(await known(theirs)), preferences: [] })
  const rebuilt = await rebuildGraph({ store: ours, graph: createGraph(), templates: [] })
  expect(rebuilt).toMatchObject({ added: [], removed: [], changed: [] })
  expect(await known(ours)).toEqual(before)
})

it('what is imported is added to what is known, and lasts when everything is rebuilt, again and again', async () => {
  await fillTheirs()
  await learn(ours)
  await ours.saveOutputSchemas([
    { schema: { tool: read, schema: {}, version: 1, samples: 1, updatedAt: 1 }, replaced: undefined },
  ])
  const own = await known(ours)
  const memory = await exported(theirs)
  expect(await take(asSent(memory))).toMatchObject({ outputSchemas: 0, edges: memory.edges.length })
  await rebuildGraph({ store: ours, graph: createGraph(), templates: [] })
  const after = await known(ours)
  const count = (edges: readonly Edge[]) => edges.reduce((sum, edge) => sum + edge.count, 0)
  expect(count(after.edges)).toBe(count(own.edges) + count(memory.edges))
  const [ownRead, theirRead, bothRead] = [own, memory, after].map(({ betaStates }) => betaStates[0]!)
  expect(bothRead!.observations).toBe(3)
  // As if it had been seen before: it has faded by the one outcome here.
  expect(bothRead!.alpha).toBeCloseTo(ownRead!.alpha + (theirRead!.alpha - 1) * 0.955, 10)
  await rebuildGraph({ store: ours, graph: createGraph(), templates: [] })
  expect(await known(ours)).toEqual(after)
})

it('the same memory is taken once, unless that is meant', async () => {
  await fillTheirs()
  const memory = asSent(await exported(theirs))
  await take(memory)
  const once = await known(ours)
  // Another order of its keys is the same memory.
  const turned = Object.fromEntries(Object.entries(memory).reverse())
  await expect(take(turned)).rejects.toThrow('imported before, on 2023-11-14')
  expect(await known(ours)).toEqual(once)
  await take(memory, { isAgain: true })
  expect((await known(ours)).edges[0]!.count).toBe(once.edges[0]!.count * 2)
})

it('an edge that would close a cycle with what was seen here is left out', async () => {
  await learn(theirs, write, read)
  await learn(theirs, list, read)
  await learn(ours, read, write)
  const { refusedEdges } = await take(asSent(await exported(theirs)))
  expect(refusedEdges).toBe(1)
  const rebuilt = await rebuildGraph({ store: ours, graph: createGraph(), templates: [] })
  expect(rebuilt).toMatchObject({ added: [], removed: [], changed: [] })
})

it('preferences are taken where that is said and nobody has answered here, and are in the audit', async () => {
  await fillTheirs()
  await ours.savePreferences([{ tool: write, approvals: 1, rejections: 0, streak: 1, updatedAt: 9 }])
  const before = (await ours.listPermissionAudit({ limit: 1_000 })).length
  const imported = await take(asSent(await exported(theirs)), { withPreferences: true })
  expect(imported).toMatchObject({ preferences: 1, preferencesLeftOut: 1 })
  expect(await ours.loadPreferences()).toEqual([
    { tool: read, approvals: 3, rejections: 0, streak: 3, updatedAt: now() },
    { tool: write, approvals: 1, rejections: 0, streak: 1, updatedAt: 9 },
  ])
  const audit = await ours.listPermissionAudit({ limit: 1_000 })
  expect(audit).toHaveLength(before + 1)
  expect(audit[0]).toMatchObject({
    ...{ what: 'preference', subject: read, before: 'none', after: 'approved', isEscalation: true },
    ...{ by: 'command line' },
  })
})

it('times of a clock that is ahead are now, and states beyond reach are cut', async () => {
  await fillTheirs()
  const memory = await exported(theirs)
  const far = {
    ...memory,
    edges: memory.edges.map((edge) => ({ ...edge, lastSeen: now() + 1e12 })),
    betaStates: [{ ...memory.betaStates[0]!, alpha: 500_000 }],
  }
  await take(asSent(far))
  expect((await ours.loadEdges()).every(({ lastSeen }) => lastSeen === now())).toBe(true)
  expect((await ours.loadBetaStates('tool'))[0]!.alpha).toBe(24)
})

it('a file that is not sound changes nothing and says what is wrong', async () => {
  await fillTheirs()
  const memory = asSent(await exported(theirs))
  const edge = (memory.edges as JsonObject[])[0]!
  const state = (memory.betaStates as JsonObject[])[0]!
  const bad: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /no memory of PML/],
    [[], /no memory of PML/],
    [{ edges: [] }, /no memory of PML/],
    [{ ...memory, version: 2 }, /made by a newer PML/],
    [{ ...memory, version: '1' }, /version/],
    [{ ...memory, edges: 'many' }, /edges: expected a list, got "many"/],
    [{ ...memory, edges: [{ ...edge, count: -1 }] }, /edges\[0\]\.count/],
    [{ ...memory, edges: [{ ...edge, count: 2 ** 40 }] }, /edges\[0\]\.count/],
    [{ ...memory, edges: [{ ...edge, to: edge.from }] }, /two tools/],
    [{ ...memory, edges: [{ ...edge, from: 'no tool' }] }, /server:name/],
    [{ ...memory, edges: [{ ...edge, type: 'magic' }] }, /edges\[0\]\.type/],
    [{ ...memory, edges: [{ ...edge, successes: 900 }] }, /no more successes/],
    [{ ...memory, betaStates: [{ ...state, alpha: 0.5 }] }, /betaStates\[0\]\.alpha/],
    [{ ...memory, betaStates: [{ ...state, alpha: '9' }] }, /betaStates\[0\]\.alpha/],
    [{ ...memory, thresholds: [{ context: 'x', suggest: 0.1 }] }, /thresholds\[0\]/],
    [{ ...memory, ranker: { version: 1, weights: { transition: 'x' } } }, /ranker\.weights/],
    [{ ...memory, traces: [] }, /traces: unknown key/],
  ]
  const before = await known(ours)
  for (const [given, expected] of bad) {
    const error = await take(given as Json).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(UsageError)
    expect((error as Error).message).toMatch(expected)
  }
  expect(await known(ours)).toEqual(before)
  expect(await ours.loadLearnedState('imports')).toBeUndefined()
})

it('a reset says what it forgot, and the memory can be imported again after it', async () => {
  await fillTheirs()
  const memory = asSent(await exported(theirs))
  await take(memory, { withPreferences: true })
  const options = { store: ours, by: 'command line', now, newId }
  const forgotten = await resetMemory({ ...options, withPreferences: false })
  expect(forgotten).toMatchObject({ betaStates: 2, outputSchemas: 1, thresholds: 1, preferences: 0 })
  expect(await ours.loadPreferences()).toMatchObject([{ approvals: 3 }, { rejections: 1 }])
  expect(await resetMemory({ ...options, withPreferences: true })).toMatchObject({ edges: 0, preferences: 2 })
  expect((await known(ours)).preferences).toEqual([])
  expect(await take(memory)).toMatchObject({ betaStates: 2 })
})
