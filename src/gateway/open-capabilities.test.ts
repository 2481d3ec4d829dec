import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { codeTool } from '../model/capability.js'
import type { Json, JsonObject } from '../model/json.js'
import { silentLog } from '../model/log.js'
import type { Plan } from '../model/plan.js'
import { createRedact } from '../model/redact.js'
import type { Run, TaskOutcome } from '../model/run.js'
import { formatToolId, type ToolId } from '../model/tool.js'
import { openStore } from '../store/open-store.js'
import type { Store } from '../store/store.js'
import { type OpenCapabilities, type OpenCapabilitiesOptions, openCapabilities } from './open-capabilities.js'
import { makeTool } from './test-gateway.contract.js'

const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-open-capabilities-'))
const secret = 'sk-3f9a77c1e0'
const tools = [makeTool('files', 'read'), makeTool('files', 'write'), makeTool('shop', 'order')]
const [read, write, order] = tools.map(({ id }) => id) as [ToolId, ToolId, ToolId]
const noon = Date.UTC(2026, 0, 15, 12)

let store: Store
let opened: OpenCapabilities[] = []
beforeAll(async () => {
  const { signal } = new AbortController()
  store = await openStore({ dataDirectory, signal, onProgress() {}, log: silentLog })
})
afterAll(async () => {
  await store.close()
  rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 3 })
})
beforeEach(async () => {
  for (const { id } of await store.loadCapabilities()) await store.forgetCapability(id)
})
afterEach(async () => {
  await Promise.all(opened.map((one) => one.close()))
  opened = []
})

async function open(changes: Partial<OpenCapabilitiesOptions> = {}): Promise<OpenCapabilities> {
  const capabilities = openCapabilities({
    store: async () => store,
    isLearning: () => true,
    tool: (name) => tools.find(({ id, server, name: own }) => id === name || `${server}__${own}` === name),
    riskOf: (tool) => (tool === order ? 'dangerous' : tool === write ? 'moderate' : 'safe'),
    toolSuccess: () => undefined,
    likeness: async (a, b) => (a === b ? 1 : 0),
    onChange() {},
    now: () => noon,
    redact: createRedact([secret]),
    log: silentLog,
    ...changes,
  })
  opened.push(capabilities)
  await capabilities.load(store)
  return capabilities
}

interface Ran {
  readonly code: string
  readonly intent?: string
  readonly arguments?: JsonObject
  readonly calls?: readonly (readonly [ToolId, Json] | readonly [ToolId, 'failed', true])[]
  readonly value?: Json
}

/** A run of `execute_code` as it ended. */
function ran({ code, intent, arguments: args = {}, calls = [[read, 'text']], value = 1 }: Ran): [Plan, Run] {
  const times = { startedAt: noon, ms: 10 }
  const made = calls.map(([tool, result, isFailed], at): TaskOutcome => {
    const call = { id: `code[${at}]`, parent: 'code', tool, arguments: {}, ...times }
    return isFailed
      ? { ...call, status: 'failed', error: { code: 'TOOL_ERROR', message: 'no', hint: '' } }
      : { ...call, status: 'complete', result }
  })
  const program: TaskOutcome = {
    id: 'code',
    tool: codeTool,
    arguments: args,
    status: 'complete',
    result: value,
    ...times,
  }
  return [
    {
      ...(intent !== undefined && { intent }),
      tasks: [
        { id: 'code', tool: codeTool, arguments: args, dependsOn: [], onError: 'fail', program: { code } },
      ],
    },
    { id: 'run', status: 'complete', tasks: [program, ...made], startedAt: noon, endedAt: noon + 10 },
  ]
}

const countLines = {
  code: 'const t = await tools.files.read({ path: "a.txt" })\nreturn t.split("\\n").length',
  intent: 'count the lines of a file',
}

describe('what is learned', () => {
  it('is kept after the first success, and the run is one of it', async () => {
    const capabilities = await open()
    const { plan, run } = await capabilities.take(...ran(countLines))
    const [learned] = capabilities.shelf.all()
    expect(learned).toMatchObject({
      origin: 'learned',
      tools: [read],
      uses: 1,
      successes: 1,
      intents: [countLines.intent],
    })
    expect(plan.tasks[0]).toMatchObject({ tool: learned!.id, arguments: { path: 'a.txt' } })
    expect(run.tasks[0]?.tool).toBe(learned!.id)
    expect((await store.loadCapabilities()).map(({ id }) => id)).toEqual([learned!.id])
  })

  it('is one entry for one structure, whatever it is named in the code and whoever learns it', async () => {
    const [one, other] = [await open(), await open()]
    await one.take(...ran(countLines))
    await other.take(
      ...ran({
        code: 'const x = await tools["files__read"]({ path: "b.txt" }); return x.split("\\n").length',
        intent: 'how many lines are there?',
      }),
    )
    const kept = await store.loadCapabilities()
    expect(kept).toHaveLength(1)
    expect(kept[0]).toMatchObject({ uses: 2, successes: 2 })
    expect(other.shelf.all().map(({ id }) => id)).toEqual(one.shelf.all().map(({ id }) => id))
  })

  it('two runs that end at once are two uses of one', async () => {
    const capabilities = await open()
    await Promise.all([capabilities.take(...ran(countLines)), capabilities.take(...ran(countLines))])
    expect(await store.loadCapabilities()).toMatchObject([{ uses: 2, successes: 2 }])
    expect(capabilities.shelf.all()).toMatchObject([{ uses: 2, successes: 2 }])
  })

  it('is nothing where a call failed, where nobody learns, or where a single call says it all', async () => {
    const capabilities = await open()
    await capabilities.take(...ran({ ...countLines, calls: [[read, 'failed', true]] }))
    await capabilities.take(
      ...ran({ code: 'return await tools.files.read({ path: "a" })', calls: [[read, 'x']], value: 'x' }),
    )
    await (await open({ isLearning: () => false })).take(...ran(countLines))
    expect(await store.loadCapabilities()).toEqual([])
  })

  it('is counted where it is known, though nothing new is learned', async () => {
    await (await open()).take(...ran(countLines))
    const capabilities = await open({ isLearning: () => false })
    await capabilities.take(...ran({ ...countLines, calls: [[read, 'failed', true]] }))
    expect(await store.loadCapabilities()).toMatchObject([{ uses: 2, successes: 1 }])
  })

  it('holds no secret: neither in code, nor in a default, nor in what it was run for', async () => {
    const capabilities = await open()
    await capabilities.take(
      ...ran({ ...countLines, code: `const key = "${secret}"\n${countLines.code} + key.length` }),
    )
    await capabilities.take(...ran({ ...countLines, intent: `count the lines with ${secret}` }))
    expect(JSON.stringify(await store.loadCapabilities())).not.toContain(secret)
  })

  it('is not lost, and nothing is thrown, when the store is away: the run is given as it was', async () => {
    const capabilities = await open({ store: () => Promise.reject(new Error('away')) })
    const [plan, run] = ran(countLines)
    expect(await capabilities.take(plan, run)).toEqual({ plan, run })
  })

  it('knows what stands in for it: alike in what it is for, different in its tools', async () => {
    const capabilities = await open()
    await capabilities.take(...ran(countLines))
    await capabilities.take(
      ...ran({
        code: 'await tools.files.write({ path: "x" }); const n = await tools.shop.order({ what: "count" }); return n + 1',
        intent: countLines.intent,
        calls: [
          [write, 'ok'],
          [order, 2],
        ],
      }),
    )
    const [one, other] = capabilities.shelf.all().map(({ id }) => id)
    const alternatives = await store.loadCapabilityDependencies()
    expect(
      alternatives.filter(({ type }) => type === 'alternative').map(({ from, to }) => [from, to]),
    ).toEqual(
      expect.arrayContaining([
        [one, other],
        [other, one],
      ]),
    )
  })
})

describe('by hand', () => {
  const code = 'const t = await tools.files.read({ path: "a.txt" })\nreturn t.length'

  it('is created, found by name and id, renamed and forgotten; a restart knows it all', async () => {
    const capabilities = await open()
    const made = await capabilities.create({ code, name: 'measure', origin: 'manual' })
    expect(capabilities.find('measure').id).toBe(made.id)
    expect(capabilities.find(made.id).name).toBe('measure')
    await capabilities.rename('measure', { name: 'length_of', description: 'How long it is.' })
    // Code that was written before goes on, so the name that it was born with is nobody else's.
    expect(capabilities.find('measure').id).toBe(made.id)
    const other = { code: `${code} + 1`, name: 'measure', origin: 'manual' } as const
    await expect(capabilities.create(other)).rejects.toMatchObject({ code: 'NAME_TAKEN' })
    const later = await open()
    expect(later.find('length_of')).toMatchObject({ id: made.id, description: 'How long it is.' })
    await later.forget('length_of')
    expect((await open()).shelf.all()).toEqual([])
  })

  it('has a name of its own that code can call', async () => {
    const capabilities = await open()
    await capabilities.create({ code, name: 'measure', origin: 'manual' })
    const other = { code: `${code} * 2`, origin: 'manual' } as const
    await expect(capabilities.create({ ...other, name: 'measure' })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    })
    for (const name of ['9lives', 'a b', 'a-b', '', 'x'.repeat(65)])
      await expect(capabilities.create({ ...other, name }), name).rejects.toMatchObject({ code: 'BAD_NAME' })
    const second = await capabilities.create(other)
    await expect(capabilities.rename(second.id, { name: 'measure' })).rejects.toMatchObject({
      code: 'NAME_TAKEN',
    })
    expect(capabilities.find('measure').id).not.toBe(second.id)
  })

  it('names what it calls by what is there', async () => {
    const capabilities = await open()
    await expect(
      capabilities.create({
        code: 'const a = 1\nreturn await tools.files.raed({ path: "a" })',
        origin: 'manual',
      }),
    ).rejects.toMatchObject({ code: 'CODE_CHECK', message: expect.stringContaining('line 2') })
    await expect(capabilities.create({ code: 'const = 1', origin: 'manual' })).rejects.toMatchObject({
      code: 'CODE_SYNTAX',
    })
  })

  it('two become one, with what both have done', async () => {
    const capabilities = await open()
    await capabilities.take(...ran(countLines))
    const [learned] = capabilities.shelf.all()
    const made = await capabilities.create({ code, name: 'measure', origin: 'manual' })
    const kept = await capabilities.merge('measure', learned!.name)
    expect(kept).toMatchObject({ id: made.id, uses: 1, intents: [countLines.intent] })
    expect(() => capabilities.find(learned!.id)).toThrow()
    await expect(capabilities.merge('measure', 'measure')).rejects.toMatchObject({ code: 'SAME_CAPABILITY' })
    const later = await open()
    expect(later.shelf.all()).toMatchObject([{ id: made.id, uses: 1 }])
  })

  it('a dependency is said and taken back; a circle is refused', async () => {
    const capabilities = await open()
    for (const [at, name] of ['one', 'two', 'three'].entries())
      await capabilities.create({ code: `${code} + ${'1 + '.repeat(at)}t.length`, name, origin: 'manual' })
    await capabilities.addDependency('one', 'two', 'contains')
    await capabilities.addDependency('two', 'three', 'contains')
    await expect(capabilities.addDependency('three', 'one', 'contains')).rejects.toMatchObject({
      code: 'CYCLE',
    })
    await expect(capabilities.addDependency('one', 'four', 'contains')).rejects.toMatchObject({
      code: 'CAPABILITY_NOT_FOUND',
    })
    await capabilities.removeDependency('one', 'two', 'contains')
    const kept = (await store.loadCapabilityDependencies()).map(({ from, to, isManual }) => [
      from,
      to,
      isManual,
    ])
    expect(kept).toEqual([[capabilities.find('two').id, capabilities.find('three').id, true]])
  })
})

it('risk is the highest of what it comes to call; what is gone is told', async () => {
  const capabilities = await open()
  const inner = await capabilities.create({
    code: 'const o = await tools.shop.order({ what: "x" }); return o + 1',
    name: 'buy',
    origin: 'manual',
  })
  const outer = await capabilities.create({
    code: 'const n = await capabilities.buy({ what: "y" }); return n * 2',
    name: 'buy_twice',
    origin: 'manual',
  })
  expect(capabilities.risk(inner.id).risk).toBe('dangerous')
  expect(capabilities.risk(outer.id).risk).toBe('dangerous')
  expect(capabilities.reach(outer.id)).toEqual({ tools: new Set([order]), isWhole: true })
  await capabilities.forget('buy')
  expect(capabilities.reach(outer.id).isWhole).toBe(false)
  expect(capabilities.reach(formatToolId('cap', 'none-000000')).isWhole).toBe(false)
})
