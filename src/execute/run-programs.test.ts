/** Tasks that are programs, on a real database. A process dies by being cut off: nothing it still does counts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeTool } from '../model/capability.js'
import { isPending } from '../model/decision.js'
import type { JsonObject } from '../model/json.js'
import { silentLog } from '../model/log.js'
import { newId } from '../model/new-id.js'
import type { Plan, PlannedTask } from '../model/plan.js'
import { createRedact } from '../model/redact.js'
import type { Run } from '../model/run.js'
import type { ToolId } from '../model/tool.js'
import type { ToolCall, ToolResult } from '../model/tool-call.js'
import { openStore } from '../store/open-store.js'
import type { Store } from '../store/store.js'
import { type FakeTool, fakeRules } from './expect-run.contract.js'
import { type OpenRuns, openRuns } from './open-runs.js'
import type { RunHandle } from './runs.js'
import { type Held, plainPrograms } from './test-programs.contract.js'

const folder = mkdtempSync(join(tmpdir(), 'pml-programs-'))
let store: Store

beforeAll(async () => {
  const signal = new AbortController().signal
  store = await openStore({ dataDirectory: folder, signal, onProgress() {}, log: silentLog })
}, 60_000)
afterAll(async () => {
  await store?.close()
  rmSync(folder, { recursive: true, force: true })
})

const by = { session: 'session', caller: 'tester' }
const tools: Readonly<Record<string, FakeTool>> = {
  list: {},
  read: {},
  once: { repeatable: false },
  danger: { repeatable: false, verdict: 'ask' },
}

function createWorld(capabilities: Readonly<Record<string, string>> = {}) {
  const owner = newId()
  const calls: string[] = []
  const hanging = new Set<string>()
  const held: Held = { held: 0, released: 0 }
  let underWay = 0
  let mostUnderWay = 0

  const startProcess = () => {
    let isDead = false
    const cutOff = new Proxy(store, {
      get(target, name: keyof Store) {
        const method = target[name]
        if (typeof method !== 'function') return method
        return (...args: unknown[]) =>
          isDead
            ? new Promise(() => {})
            : (method as (...all: unknown[]) => Promise<unknown>)
                .apply(target, args)
                .then((value) => (isDead ? new Promise(() => {}) : value))
      },
    })
    const runs = openRuns({
      callTool: async ({ tool, arguments: args, signal }: ToolCall): Promise<ToolResult> => {
        if (isDead) return new Promise(() => {})
        const name = tool.slice('fake:'.length)
        calls.push(`${name} ${JSON.stringify(args)}`)
        if (hanging.has(name))
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        mostUnderWay = Math.max(mostUnderWay, ++underWay)
        await new Promise((resolve) => setTimeout(resolve, 5))
        underWay -= 1
        if (name === 'broken') throw new Error('down')
        return { content: [], structuredContent: { name, ...args } }
      },
      store: async () => cutOff,
      owner,
      rules: fakeRules(tools),
      programs: plainPrograms(capabilities, held),
      directApprovals: { answer: () => Promise.reject(new Error('none')) },
      concurrentCalls: () => 8,
      onDecision() {},
      onPause() {},
      onEnd() {},
      redact: createRedact([]),
      log: silentLog,
      now: Date.now,
    })
    return {
      runs,
      run: (code: string, args: JsonObject = {}) => runs.start(codePlan(code, args), by),
      kill: () => {
        isDead = true
      },
    }
  }
  return {
    calls,
    held,
    mostUnderWay: () => mostUnderWay,
    hang: (name: string) => void hanging.add(name),
    heal: () => hanging.clear(),
    startProcess,
  }
}

const task = (given: Partial<PlannedTask> & Pick<PlannedTask, 'id' | 'tool'>): PlannedTask => ({
  ...{ arguments: {}, dependsOn: [], onError: 'fail' },
  ...given,
})
const codePlan = (code: string, args: JsonObject): Plan => ({
  tasks: [task({ id: 'code', tool: codeTool, arguments: args, program: { code } })],
})
const named = (name: string) => `fake:${name}` as ToolId
const statusOf = ({ tasks }: Run): readonly string[] => tasks.map(({ id, status }) => `${id} ${status}`)
const pendingOf = (run: Run) => run.decisions!.find(isPending)!

async function storedUntil(id: string, isSo: (run: Run) => boolean): Promise<Run> {
  for (let turn = 0; turn < 500; turn++) {
    const run = await store.loadRun(id)
    if (run !== undefined && isSo(run)) return run
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`never came: ${JSON.stringify(await store.loadRun(id))}`)
}
const hasStatus = (id: string, status: string) => (run: Run) =>
  run.tasks.some((one) => one.id === id && one.status === status)

async function takenUp(runs: OpenRuns, id: string): Promise<RunHandle> {
  await runs.takeUp()
  return (await runs.open(id))!
}

describe('a program', () => {
  it('makes its calls as tasks of the run, side by side, and its value is the result', async () => {
    const world = createWorld()
    const handle = world.startProcess().run(
      `const all = await Promise.all(args.ids.map((id) => tools['fake:read']({ id })))
       console.log('read', all.length)
       return all.map((one) => one.id)`,
      { ids: [1, 2, 3] },
    )
    const run = await handle.result
    expect(statusOf(run)).toEqual([
      'code complete',
      'code[0] complete',
      'code[1] complete',
      'code[2] complete',
    ])
    expect(run.status).toBe('complete')
    expect(run.tasks[0]!.result).toEqual([1, 2, 3])
    expect(run.tasks[1]).toMatchObject({ parent: 'code', tool: 'fake:read', arguments: { id: 1 } })
    expect(world.mostUnderWay()).toBe(3)
    expect(handle.messages()).toMatchObject([{ from: 'program', task: 'code', text: 'read 3' }])
    expect(await store.loadRun(run.id)).toEqual(run)
  })

  it('may catch what a call failed with; what it does not catch is its own failure', async () => {
    const { run } = createWorld().startProcess()
    const caught = await run(`try { await tools['fake:broken']({}) } catch (error) { return error.message }`)
      .result
    expect(caught.status).toBe('complete')
    expect(caught.tasks[0]!.result).toContain('down')
    expect(caught.tasks[1]).toMatchObject({ status: 'failed' })
    const failed = await run(`await tools['fake:broken']({}); return 1`).result
    expect(failed.status).toBe('failed')
    expect(failed.tasks[0]!.error).toMatchObject({ code: 'CODE_FAILED' })
    const unknown = await run(`return await tools['none:none']({})`).result
    expect(unknown.tasks[0]!.error!.message).toContain('No tool')
    const wrong = await run('return (').result
    expect(wrong.tasks[0]!.error).toMatchObject({ code: 'CODE_SYNTAX' })
  })

  it('that needs a person waits for one, its time stands still, and it goes on where it was', async () => {
    const world = createWorld()
    const { runs, run } = world.startProcess()
    const handle = run(
      `const first = await tools['fake:read']({ n: 1 })
       console.log('read')
       const second = await tools['fake:danger']({ n: first.n + 1 })
       return second.n`,
    )
    const waiting = await handle.settled()
    expect(waiting.status).toBe('approval_required')
    expect(statusOf(waiting)).toEqual(['code running', 'code[0] complete', 'code[1] waiting'])
    expect(pendingOf(waiting)).toMatchObject({ tool: 'fake:danger', arguments: { n: 2 }, taskId: 'code[1]' })
    expect(pendingOf(waiting).soFar).toContain('code[0] (fake:read) complete')
    expect(world.held).toEqual({ held: 1, released: 0 })
    expect(handle.messages().map(({ text }) => text)).toEqual(['read'])
    await runs.decide(pendingOf(waiting).id, { verdict: 'approve', by: 'page' })
    const ended = await handle.result
    expect(ended.tasks[0]!.result).toBe(2)
    expect(handle.messages().map(({ text }) => text)).toEqual(['read'])
    expect(world.held).toEqual({ held: 1, released: 1 })
    expect(world.calls).toEqual(['read {"n":1}', 'danger {"n":2}'])
  })

  it('hears that a person has rejected a call', async () => {
    const { runs, run } = createWorld().startProcess()
    const handle = run(`try { await tools['fake:danger']({}) } catch (error) { return error.code }`)
    await runs.decide(pendingOf(await handle.settled()).id, { verdict: 'reject', by: 'page' })
    expect((await handle.result).tasks[0]!.result).toBe('NOT_APPROVED')
  })

  it('that is aborted or skipped is stopped, with its calls', async () => {
    const world = createWorld()
    world.hang('read')
    const { runs, run } = world.startProcess()
    const handle = run(`return await tools['fake:read']({})`)
    await storedUntil(handle.id, hasStatus('code[0]', 'running'))
    handle.abort('enough')
    expect(statusOf(await handle.result)).toEqual(['code aborted', 'code[0] aborted'])
    const skipped = run(`return await tools['fake:read']({})`)
    await storedUntil(skipped.id, hasStatus('code[0]', 'running'))
    await runs.send(skipped.id, { type: 'skip', task: 'code' })
    expect(statusOf(await skipped.result)).toEqual(['code skipped', 'code[0] skipped'])
  })

  it('that is paused makes no further call until it is resumed', async () => {
    const world = createWorld()
    const { runs, run } = world.startProcess()
    const handle = run(
      `for (let n = 0; n < 3; n++) await tools['fake:read']({ n })
       return 'done'`,
    )
    await runs.send(handle.id, { type: 'pause' })
    expect((await handle.settled()).status).toBe('paused')
    const before = world.calls.length
    expect(before).toBeLessThan(3)
    await runs.send(handle.id, { type: 'resume' })
    expect((await handle.result).tasks[0]!.result).toBe('done')
    expect(world.calls).toHaveLength(3)
  })

  it('ends calls that it did not wait for: those on their way come to their end', async () => {
    const world = createWorld()
    const { run } = world.startProcess()
    const ended = await run(
      `tools['fake:once']({}).catch(() => {}); tools['fake:danger']({}).catch(() => {}); return 1`,
    ).result
    expect(ended.tasks[0]!.result).toBe(1)
    expect(statusOf(ended)).toEqual(['code complete', 'code[0] complete', 'code[1] skipped'])
  })
})

describe('a process that died in the middle of a program', () => {
  it('makes no call again that had ended, whatever the order, and goes on', async () => {
    const world = createWorld()
    world.hang('list')
    const first = world.startProcess()
    const { id } = first.run(
      `const many = await Promise.all([1, 2, 3].map((n) => tools['fake:once']({ n })))
       const last = await tools['fake:list']({ sum: many.reduce((sum, { n }) => sum + n, 0) })
       return last.sum`,
    )
    await storedUntil(id, hasStatus('code[3]', 'running'))
    first.kill()
    world.heal()
    const run = await (await takenUp(world.startProcess().runs, id)).result
    expect(run.tasks[0]!.result).toBe(6)
    expect(world.calls.filter((call) => call.startsWith('once'))).toHaveLength(3)
    expect(run.tasks).toHaveLength(5)
  })

  it.each([
    ['approve', 1, 2],
    ['reject', 'INTERRUPTED', 1],
  ] as const)('asks before it repeats a call that must not be: %s', async (verdict, value, times) => {
    const world = createWorld()
    world.hang('once')
    const first = world.startProcess()
    const { id } = first.run(
      `try { return (await tools['fake:once']({ n: 1 })).n } catch (e) { return e.code }`,
    )
    await storedUntil(id, hasStatus('code[0]', 'running'))
    first.kill()
    world.heal()
    const { runs } = world.startProcess()
    const handle = await takenUp(runs, id)
    const waiting = await handle.settled()
    expect(waiting.status).toBe('interrupted')
    await runs.decide(pendingOf(waiting).id, { verdict, by: 'page' })
    expect((await handle.result).tasks[0]!.result).toBe(value)
    expect(world.calls).toHaveLength(times)
  })

  it('keeps what a person was asked: the answer still holds', async () => {
    const world = createWorld()
    const first = world.startProcess()
    const { id } = first.run(`const { n } = await tools['fake:once']({ n: 1 })
      console.log('once')
      return (await tools['fake:danger']({ n })).n`)
    const asked = pendingOf(await storedUntil(id, hasStatus('code[1]', 'waiting')))
    first.kill()
    const { runs } = world.startProcess()
    await runs.decide(asked.id, { verdict: 'approve', by: 'page' })
    const run = await storedUntil(id, ({ endedAt }) => endedAt !== undefined)
    expect(run.tasks[0]).toMatchObject({ status: 'complete', result: 1 })
    expect((await runs.messagesOf(id)).filter(({ from }) => from === 'program')).toHaveLength(1)
    expect(world.calls).toEqual(['once {"n":1}', 'danger {"n":1}'])
  })
})

describe('a capability', () => {
  const double = `const { n } = await tools['fake:read']({ n: args.n })\nreturn n * 2`

  it('is called from code, with calls of its own beneath it', async () => {
    const { run } = createWorld({ 'cap:double': double }).startProcess()
    const ended = await run(
      `return [await capabilities.double({ n: 2 }), await capabilities.double({ n: 3 })]`,
    ).result
    expect(ended.tasks[0]!.result).toEqual([4, 6])
    expect(ended.tasks.map(({ id, tool }) => `${id} ${tool}`)).toEqual([
      'code pml:execute_code',
      'code[0] cap:double',
      'code[0][0] fake:read',
      'code[1] cap:double',
      'code[1][0] fake:read',
    ])
    expect(await store.loadRun(ended.id)).toEqual(ended)
  })

  it('is a task of a workflow, once or for each', async () => {
    const { runs } = createWorld({ 'cap:double': double }).startProcess()
    const ended = await runs.start(
      {
        tasks: [
          task({ id: 'one', tool: 'cap:double' as ToolId, arguments: { n: 4 } }),
          task({ id: 'next', tool: named('read'), arguments: { n: { $from: 'one' } }, dependsOn: ['one'] }),
          task({
            id: 'many',
            tool: 'cap:double' as ToolId,
            arguments: { n: { $from: 'list.n[*]' } },
            each: ['list.n[*]'],
            dependsOn: ['list'],
          }),
          task({ id: 'list', tool: named('list'), arguments: { n: [1, 2] } }),
        ].toSorted((a, b) => a.dependsOn.length - b.dependsOn.length),
      },
      by,
    ).result
    expect(ended.status).toBe('complete')
    const result = (id: string) => ended.tasks.find((one) => one.id === id)!.result
    expect(result('next')).toMatchObject({ n: 8 })
    expect(result('many')).toEqual([2, 4])
    expect(ended.tasks.map(({ id }) => id)).toContain('many[1][0]')
  })

  it('that calls itself without end is stopped', async () => {
    const { run } = createWorld({ 'cap:again': 'return await capabilities.again({})' }).startProcess()
    const ended = await run('return await capabilities.again({})').result
    expect(ended.status).toBe('failed')
    expect(JSON.stringify(ended.tasks.at(-1)!.error)).toContain('CODE_DEPTH')
  })

  it('that waits for a person inside is waited for by who called it, and a process may die meanwhile', async () => {
    const world = createWorld({ 'cap:risky': `return (await tools['fake:danger']({ n: args.n })).n + 1` })
    const first = world.startProcess()
    const { id } = first.run('return await capabilities.risky({ n: 1 })')
    const asked = pendingOf(await storedUntil(id, hasStatus('code[0][0]', 'waiting')))
    expect((await first.runs.underWay(id)!.settled()).status).toBe('approval_required')
    first.kill()
    const { runs } = world.startProcess()
    const handle = await takenUp(runs, id)
    expect((await handle.settled()).status).toBe('approval_required')
    await runs.decide(asked.id, { verdict: 'approve', by: 'page' })
    expect((await handle.result).tasks[0]!.result).toBe(2)
    expect(world.calls).toEqual(['danger {"n":1}'])
  })
})
