import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { DataflowTemplate } from '../model/dataflow-template.js'
import type { Json, JsonObject } from '../model/json.js'
import { silentLog } from '../model/log.js'
import { createRedact } from '../model/redact.js'
import type { ServerState } from '../model/server.js'
import type { Speculation, SpeculationConfig } from '../model/speculation.js'
import { formatToolId } from '../model/tool.js'
import type { CallTool, ToolResult } from '../model/tool-call.js'
import { openStore } from '../store/open-store.js'
import type { Store } from '../store/store.js'
import { type OpenSpeculation, type OpenSpeculationOptions, openSpeculation } from './open-speculation.js'
import { makeServer, makeTool, testConfig } from './test-gateway.contract.js'

const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-open-speculation-'))
const secret = 'sk-3f9a77c1e0'
const annotations = { readOnlyHint: true }
const tools = [
  makeTool('files', 'list', { annotations }),
  makeTool('files', 'read', { annotations }),
  makeTool('files', 'shred'),
]
const list = formatToolId('files', 'list')
const read = formatToolId('files', 'read')
const names = Array.from({ length: 12 }, (_, at) => `file${at}.md`)

let store: Store
let open: OpenSpeculation[] = []
beforeAll(async () => {
  const { signal } = new AbortController()
  store = await openStore({ dataDirectory, signal, onProgress() {}, log: silentLog })
})
afterAll(async () => {
  await store.close()
  rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 3 })
})
beforeEach(() => store.forgetLearned())
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()))
  open = []
})

interface TestHouse {
  readonly speculation: OpenSpeculation
  /** `read file1.md`, and `ahead` where nobody asked for it. */
  readonly made: string[]
  readonly entries: Map<string, Speculation>
  changed(): void
  servers: readonly ServerState[]
  ask(tool: string, args: JsonObject, session?: string): Promise<string>
  /** Looks ahead, and waits until that is done. */
  look(session?: string): Promise<void>
}

function openHouse(
  changes: Partial<OpenSpeculationOptions> = {},
  settings: Partial<SpeculationConfig> = {},
): TestHouse {
  const made: string[] = []
  const asked = new WeakSet<AbortSignal>()
  const listeners = new Set<() => void>()
  const callTool: CallTool = async ({ tool, arguments: args, signal }) => {
    made.push(`${tool.slice(6)} ${args.path}${asked.has(signal) ? '' : ' ahead'}`)
    return answerOf(tool, args)
  }
  const speculation = openSpeculation({
    callTool,
    config: () => ({ ...testConfig.speculation, preset: 'eager', ...settings }),
    tool: (id) => tools.find((tool) => tool.id === id),
    servers: {
      servers: () => house.servers,
      onChange(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    isSafe: ({ definition }) => definition.annotations?.readOnlyHint === true,
    runsUnasked: () => true,
    foresight: {
      hear() {},
      nextTools: (_, { among }) => [{ tool: read, p: 0.97, signals: {} }].filter(({ tool }) => among(tool)),
      threshold: () => 0.6,
    },
    store: async () => store,
    onEntry: (entry) => void house.entries.set(entry.id, entry),
    redact: createRedact([secret]),
    log: silentLog,
    ...changes,
  })
  open.push(speculation)
  const house: TestHouse = {
    ...{ speculation, made, entries: new Map(), servers: [makeServer('files')] },
    changed: () => listeners.forEach((listener) => void listener()),
    async ask(tool, args, session = 's') {
      const { signal } = new AbortController()
      asked.add(signal)
      const id = formatToolId('files', tool)
      const result = await speculation.callTool({ tool: id, arguments: args, session, signal })
      return result.content[0]!.text!
    },
    async look(session = 's') {
      speculation.lookAhead(session)
      // A prediction that took long puts off the next one.
      for (let waited = 0; waited < 100; waited += 5) await sleep(5)
    },
  }
  return house
}

function answerOf(tool: string, { path }: JsonObject): ToolResult {
  return text(tool === list ? JSON.stringify({ files: names }) : `This is ${path}.`)
}

function text(said: string): ToolResult {
  return { content: [{ type: 'text', text: said }] }
}

type Method = (...args: unknown[]) => Promise<unknown>

/** The store, but for one method. */
function changedStore(
  name: keyof Store,
  instead: (save: Method, ...args: unknown[]) => Promise<unknown>,
): Store {
  return new Proxy(store, {
    get(target, key) {
      const value = Reflect.get(target, key) as unknown
      if (typeof value !== 'function') return value
      const method = value.bind(target) as Method
      return key === name ? (...args: unknown[]) => instead(method, ...args) : method
    },
  })
}

function wayOf({ tool, parameter, after, source, value }: DataflowTemplate): string {
  return JSON.stringify([tool, parameter, after, source, value])
}

/** Until every call was learned from: that is done when nobody waits. */
function learned(): Promise<void> {
  return sleep(300)
}

/** As an agent reads them one by one. */
async function readSome(house: TestHouse, count: number, session = 's'): Promise<void> {
  await house.ask('list', { path: '.' }, session)
  for (const name of names.slice(0, count)) {
    await house.look(session)
    await house.ask('read', { path: name }, session)
  }
}

it('runs the next of several likely reads ahead, and gives it to who asks', async () => {
  const house = openHouse()
  await readSome(house, 6)
  await house.look()
  expect(house.made).toContain(`read ${names[6]} ahead`)
  // From the third file on none had to be made when it was asked for.
  const asked = house.made.filter((call) => !call.endsWith('ahead'))
  expect(['list .', `read ${names[0]}`, `read ${names[1]}`]).toEqual(expect.arrayContaining(asked))
  expect([...house.entries.values()].some(({ outcome }) => outcome === 'hit')).toBe(true)
  expect(await house.ask('read', { path: names[6]! })).toBe(`This is ${names[6]}.`)
})

it('knows after a restart what it had learned, of ways and of what predictions are worth', async () => {
  const house = openHouse()
  await house.speculation.load(store)
  await readSome(house, 10)
  await house.speculation.close()
  const templates = await store.loadDataflowTemplates()
  expect(templates.some(({ tool, parameter }) => tool === read && parameter === 'path')).toBe(true)
  const state = JSON.stringify(await store.loadLearnedState('speculation'))
  expect(state).toContain(`${read} `)
  expect((await store.listSpeculations({ since: 0, limit: 100 })).length).toBeGreaterThan(0)

  const next = openHouse()
  await next.speculation.load(store)
  await next.ask('list', { path: '.' })
  await next.look()
  const fresh = openHouse()
  await fresh.ask('list', { path: '.' })
  await fresh.look()
  expect(next.made).toContain(`read ${names[0]} ahead`)
  // One that knows nothing has nothing to go by.
  expect(fresh.made).toEqual(['list .'])
})

it('what is to be forgotten is not written again, and nothing goes by it', async () => {
  const house = openHouse()
  await house.speculation.load(store)
  await readSome(house, 6)
  await house.speculation.flush()
  await house.speculation.forget()
  await store.forgetLearned()
  await house.speculation.flush()
  expect(await store.loadDataflowTemplates()).toEqual([])
  expect(await store.loadLearnedState('speculation')).toBeUndefined()
  const before = house.made.length
  await house.ask('list', { path: '.' }, 'other')
  await house.look('other')
  expect(house.made.slice(before)).toEqual(['list .'])
})

it('what the store did not take is written the next time', async () => {
  let refused: readonly DataflowTemplate[] | undefined
  const flaky = changedStore('saveDataflowTemplates', async (save, changed, removed) => {
    if (refused !== undefined) return save(changed, removed)
    refused = changed as readonly DataflowTemplate[]
    throw new Error('away')
  })
  const house = openHouse({ store: async () => flaky })
  await house.speculation.load(store)
  await readSome(house, 4)
  await learned()
  await house.speculation.flush()
  expect(refused!.length).toBeGreaterThan(5)
  expect(await store.loadDataflowTemplates()).toEqual([])
  await house.speculation.flush()
  const saved = (await store.loadDataflowTemplates()).map(wayOf)
  expect(saved).toEqual(expect.arrayContaining(refused!.map(wayOf)))
})

it('who waits for what is written waits for what is being written, too', async () => {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = changedStore('saveLearnedState', async (save, ...args) => {
    await held
    return save(...args)
  })
  const house = openHouse({ store: async () => slow })
  await house.speculation.load(store)
  await readSome(house, 2)
  await learned()
  const first = house.speculation.flush()
  await sleep(20)
  let isDone = false
  const second = house.speculation.flush().then(() => {
    isDone = true
  })
  await sleep(50)
  expect(isDone).toBe(false)
  release()
  await Promise.all([first, second])
  expect(await store.loadLearnedState('speculation')).toBeDefined()
})

it('writes over nothing that it could not read', async () => {
  await store.saveLearnedState('speculation', { version: 1, of: 'before' })
  const house = openHouse()
  await readSome(house, 2)
  await house.speculation.flush()
  await house.speculation.close()
  expect(await store.loadLearnedState('speculation')).toEqual({ version: 1, of: 'before' })
})

it.each([
  null,
  'text',
  { version: 1, predictor: 7, careful: [], eager: { cells: 1 }, timesToLive: 'x' },
])('starts anew with a state that is none: %j', async (state) => {
  await store.saveLearnedState('speculation', state)
  const house = openHouse()
  await house.speculation.load(store)
  await readSome(house, 6)
  expect(house.made.some((call) => call.endsWith('ahead'))).toBe(true)
})

it('a secret is in nothing that is stored, wherever in calls and results it stood', async () => {
  const callTool: CallTool = async ({ tool }) =>
    text(
      tool === list
        ? JSON.stringify({ files: [secret, ...names], [secret]: { [secret]: names }, next: `${secret}/x` })
        : `password: ${secret}`,
    )
  const house = openHouse({ callTool })
  await house.speculation.load(store)
  for (const path of [secret, ...names.slice(0, 4), secret, `${secret}/x`, secret]) {
    await house.ask('list', { path, [secret]: secret })
    house.speculation.hear('s', `read ${secret}`)
    await house.look()
    await house.ask('read', { path, [secret]: names[0]! })
    const known = { path: `${secret}/${house.made.length}`, [secret]: house.entries.size }
    house.speculation.prepare('s', [{ tool: read, arguments: known }], 1)
  }
  await house.speculation.close()
  const rows = await store.listSpeculations({ since: 0, limit: 1_000 })
  const templates = await store.loadDataflowTemplates()
  const state = await store.loadLearnedState('speculation')
  expect(rows.length).toBeGreaterThan(5)
  expect(templates.length).toBeGreaterThan(5)
  for (const kept of [rows, templates, state, [...house.entries.values()]])
    expect(JSON.stringify(kept)).not.toContain(secret)
})

it('a session that has ended is forgotten: its values are proposed to nobody, its results given to nobody', async () => {
  const house = openHouse()
  await readSome(house, 6)
  await house.look()
  expect(house.speculation.prepared('s').length).toBeGreaterThan(0)
  expect(house.speculation.prepared('other')).toEqual([])
  house.speculation.endSession('s')
  expect(house.speculation.prepared('s')).toEqual([])
  const before = house.made.length
  await house.look()
  // Nothing of the listing is known any more; a value that was given often may be.
  const after = house.made.slice(before)
  const unread = names.slice(6).map((name) => `read ${name} ahead`)
  expect(after.filter((call) => unread.includes(call))).toEqual([])
})

it('nothing that was read before a write, a restart or another list of tools is given after it', async () => {
  const house = openHouse()
  house.changed()
  const prepare = async (): Promise<void> => {
    house.speculation.prepare('s', [{ tool: read, arguments: { path: 'x' } }], 1)
    await sleep(5)
    expect(house.speculation.prepared('s').length).toBe(1)
  }
  await prepare()
  await house.ask('shred', { path: 'x' })
  expect(house.speculation.prepared('s')).toEqual([])
  await prepare()
  house.changed()
  expect(house.speculation.prepared('s').length).toBe(1)
  house.servers = [makeServer('files', { pids: [7] })]
  house.changed()
  expect(house.speculation.prepared('s')).toEqual([])
  await prepare()
  house.servers = [makeServer('files', { pids: [7], toolCount: 2 })]
  house.changed()
  expect(house.speculation.prepared('s')).toEqual([])
})

it('runs nothing ahead that a person is to be asked about', async () => {
  const house = openHouse({ runsUnasked: (tool) => tool !== read })
  await house.speculation.load(store)
  await readSome(house, 6)
  expect(house.made.filter((call) => call.endsWith('ahead'))).toEqual([])
})

it('runs nothing ahead on a server that is in trouble, and says why', async () => {
  const house = openHouse()
  const trouble = { kind: 'offline', message: 'gone', hint: 'wait', at: 1 } as const
  house.servers = [makeServer('files', { trouble })]
  house.speculation.prepare('s', [{ tool: read, arguments: { path: 'x' } }], 1)
  await sleep(5)
  expect(house.made).toEqual([])
  expect([...house.entries.values()].map(({ refusal }) => refusal)).toEqual(['server not well'])
})

it('off learns nothing and keeps no score; shadow does both, and calls nothing', async () => {
  const shadow = openHouse({}, { mode: 'shadow' })
  await readSome(shadow, 6)
  expect(shadow.made.filter((call) => call.endsWith('ahead'))).toEqual([])
  const seen = [...shadow.entries.values()]
  expect(seen.some(({ decision, outcome }) => decision === 'shadow' && outcome === 'right')).toBe(true)
  const off = openHouse({}, { mode: 'off' })
  await off.speculation.load(store)
  await readSome(off, 6)
  await off.speculation.flush()
  expect(off.made.length).toBe(7)
  expect(off.entries.size).toBe(0)
  expect(await store.loadDataflowTemplates()).toEqual([])
})

/**
 * Some .25 to .4 of processor time were measured on busy machines, with calls of .3 ms, before sessions were looked at when they rest. The margin is for the
 * machine. What this keeps out: predictions planned by an old limit, which took 1.3 by the clock.
 */
const mostSlower = 1
/** Other work on the machine makes all of it slower: the best of several counts. */
const rounds = 3

it('a flood of calls costs little more, however fast they come', async () => {
  const rows = Array.from({ length: 60 }, (_, at) => ({ id: `id-${at}`, path: `file${at}.md`, size: at }))
  const listing = JSON.stringify(rows)
  const work = calibrated()
  const flood = async (mode: 'on' | 'off'): Promise<number> => {
    const callTool: CallTool = async ({ tool, arguments: args }) => {
      await turn()
      work(0.3)
      return text(tool === list ? listing : `This is ${args.path}.`)
    }
    const { ask, speculation } = openHouse({ callTool }, { mode })
    const begin = process.cpuUsage()
    for (let at = 0; at < 2_000; at++) {
      const session = `s${at % 5}`
      await ask(at % 10 === 0 ? 'list' : 'read', { path: `file${at % 60}.md` }, session)
      speculation.lookAhead(session)
    }
    const { user, system } = process.cpuUsage(begin)
    await speculation.close()
    return user + system
  }
  await flood('on')
  const [on, off]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    off.push(await flood('off'))
    on.push(await flood('on'))
  }
  expect(Math.min(...on) / Math.min(...off) - 1).toBeLessThan(mostSlower)
}, 120_000)

/** What a call costs the gateway's thread, in steps: a clock would count what other processes take, too. */
function calibrated(): (ms: number) => void {
  let sum = 0
  const steps = (count: number): void => {
    for (let at = 0; at < count; at++) sum = (sum * 31 + at) | 0
  }
  let msOfMillion = Number.POSITIVE_INFINITY
  for (let round = 0; round < 20; round++) {
    const begin = performance.now()
    steps(1_000_000)
    msOfMillion = Math.min(msOfMillion, performance.now() - begin)
  }
  return (ms) => steps((ms / msOfMillion) * 1_000_000)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

it('makes templates anew from what is kept of past calls', async () => {
  const { speculation } = openHouse()
  await speculation.load(store)
  const trace = (at: number, tool: typeof list, args: JsonObject, result: Json) => ({
    ...{ id: `trace${at}`, runId: 'past', tool, arguments: args, result, success: true },
    ...{ startedAt: at * 1_000, endedAt: at * 1_000 + 5, dependsOn: [], links: [] },
  })
  await store.saveLearned({
    traces: [trace(1, list, { path: '/d' }, names.map((name) => `[FILE] ${name}`).join('\n'))],
    edges: [],
  })
  for (const [at, name] of names.entries())
    await store.saveLearned({ traces: [trace(at + 2, read, { path: `/d/${name}` }, 'text')], edges: [] })
  expect(await speculation.rebuild()).toBe(names.length + 1)
  const ways = (await store.loadDataflowTemplates()).filter(({ tool }) => tool === read)
  expect(ways.some(({ source }) => source.startsWith('["join"'))).toBe(true)
})
