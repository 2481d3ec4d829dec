/** Runs that outlive their process, on a real database. A process dies by being cut off: nothing it still does counts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPending } from '../model/decision.js'
import type { JsonObject } from '../model/json.js'
import { silentLog } from '../model/log.js'
import { newId } from '../model/new-id.js'
import { createRedact } from '../model/redact.js'
import type { Run } from '../model/run.js'
import type { ToolCall, ToolResult } from '../model/tool-call.js'
import { openStore } from '../store/open-store.js'
import type { Checkpoint, Store } from '../store/store.js'
import { type FakeTool, fakeRules, makePlan, makeTask, type ScenarioTask } from './expect-run.contract.js'
import { type OpenRuns, openRuns } from './open-runs.js'
import type { RunHandle } from './runs.js'
import { noPrograms } from './test-programs.contract.js'

const folder = mkdtempSync(join(tmpdir(), 'pml-resume-'))
let store: Store

beforeAll(async () => {
  const signal = new AbortController().signal
  store = await openStore({ dataDirectory: folder, signal, onProgress() {}, log: silentLog })
}, 60_000)
afterAll(async () => {
  await store?.close()
  rmSync(folder, { recursive: true, force: true })
})

const secret = 'sk-secret-12345'
const by = { session: 'session', caller: 'tester' }
const tools: Readonly<Record<string, FakeTool>> = {
  list: { gives: [{ v: 1 }, { v: 2 }, { v: 3 }] },
  read: {},
  once: { repeatable: false },
  danger: { repeatable: false, verdict: 'ask' },
  asked: { verdict: 'ask' },
}

/** Everything with the same owner is one data directory; each test has one of its own. */
function createWorld() {
  const owner = newId()
  const calls: string[] = []
  const hanging = new Set<string>()

  /** What a process is: runs, and a store and tools that are cut off from it when it is killed. */
  const startProcess = (options: { now?: () => number; owner?: string } = {}) => {
    let isDead = false
    const unlessDead = <T>(answer: Promise<T>): Promise<T> =>
      answer.then((value) => (isDead ? new Promise<T>(() => {}) : value))
    const cutOff = new Proxy(store, {
      get(target, name: keyof Store) {
        const method = target[name]
        if (typeof method !== 'function') return method
        return (...args: unknown[]) =>
          isDead
            ? new Promise(() => {})
            : unlessDead((method as (...all: unknown[]) => Promise<unknown>).apply(target, args))
      },
    })
    const runs = openRuns({
      callTool: async ({ tool, arguments: args }: ToolCall): Promise<ToolResult> => {
        if (isDead) return new Promise(() => {})
        const name = tool.slice('fake:'.length)
        const call = Object.keys(args).length === 0 ? name : `${name} ${JSON.stringify(args)}`
        calls.push(call)
        if (hanging.has(call) || hanging.has(name)) return new Promise(() => {})
        if (name === 'broken') throw new Error('down')
        const { gives } = tools[name] ?? {}
        return { content: [], structuredContent: (gives ?? `${call} done`) as never }
      },
      store: async () => cutOff,
      owner: options.owner ?? owner,
      rules: fakeRules(tools),
      programs: noPrograms,
      directApprovals: { answer: () => Promise.reject(new Error('none')) },
      concurrentCalls: () => 4,
      onDecision() {},
      onPause() {},
      onEnd() {},
      redact: createRedact([secret]),
      log: silentLog,
      now: options.now ?? Date.now,
    })
    return {
      runs,
      start: (plan: readonly ScenarioTask[], more = {}) => runs.start(makePlan(plan), { ...by, ...more }),
      kill: () => {
        isDead = true
      },
    }
  }
  return {
    owner,
    calls,
    hang: (name: string) => void hanging.add(name),
    heal: () => hanging.clear(),
    startProcess,
  }
}

/** As it is stored: nothing else survives. */
async function storedUntil(id: string, isSo: (run: Run) => boolean): Promise<Run> {
  for (let turn = 0; turn < 500; turn++) {
    const run = await store.loadRun(id)
    if (run !== undefined && isSo(run)) return run
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`never came: ${JSON.stringify(await store.loadRun(id))}`)
}
const isRunning = (id: string) => (run: Run) =>
  run.tasks.some((task) => task.id === id && task.status === 'running')
const hasEnded = (id: string) => (run: Run) =>
  run.tasks.some((task) => task.id === id && task.ms !== undefined)
const statusOf = ({ tasks }: Run): readonly string[] => tasks.map(({ id, status }) => `${id} ${status}`)
const pendingOf = (run: Run, task: string) =>
  run.decisions!.find((one) => one.taskId === task && isPending(one))!

async function takenUp(runs: OpenRuns, id: string): Promise<RunHandle> {
  await runs.takeUp()
  return (await runs.open(id))!
}

const chain = (tool: string): readonly ScenarioTask[] => [
  { id: 'a', tool: 'list' },
  { id: 'b', tool, arguments: { n: { $from: 'a[1].v' } } },
  { id: 'c', tool: 'list', dependsOn: ['b'] },
]

describe('a process that died', () => {
  it('loses no step that was told, makes none of them again, and repeats the call that may be repeated', async () => {
    const world = createWorld()
    world.hang('read')
    const first = world.startProcess()
    const { id } = first.start(chain('read'))
    const before = await storedUntil(id, isRunning('b'))
    first.kill()
    world.heal()
    const run = await (await takenUp(world.startProcess().runs, id)).result
    expect(statusOf(run)).toEqual(['a complete', 'b complete', 'c complete'])
    expect(run.tasks[0]).toEqual(before.tasks[0])
    expect(run.tasks[1]).toMatchObject({ attempts: 2, arguments: { n: 2 } })
    expect(world.calls).toEqual(['list', 'read {"n":2}', 'read {"n":2}', 'list'])
    expect(await store.loadRun(id)).toEqual(run)
  })

  it.each([
    ['approve', 'complete', 2],
    ['reject', 'failed', 1],
  ] as const)('asks before it repeats a call that must not be: %s -> %s', async (verdict, status, times) => {
    const world = createWorld()
    world.hang('once')
    const first = world.startProcess()
    const { id } = first.start(chain('once'))
    await storedUntil(id, isRunning('b'))
    first.kill()
    world.heal()
    const { runs } = world.startProcess()
    const waiting = await (await takenUp(runs, id)).settled()
    expect(waiting.status).toBe('interrupted')
    expect(waiting.tasks[1]).toMatchObject({ status: 'interrupted', error: { code: 'INTERRUPTED' } })
    const decision = pendingOf(waiting, 'b')
    expect(decision).toMatchObject({ kind: 'repeat', arguments: { n: 2 }, caller: 'tester' })
    expect((await runs.pendingDecisions()).map((one) => one.id)).toContain(decision.id)
    await runs.decide(decision.id, { verdict, by: 'page' })
    const run = (await runs.find(id))!
    expect((await storedUntil(id, ({ endedAt }) => endedAt !== undefined)).tasks[1]).toMatchObject({ status })
    expect(world.calls.filter((call) => call.startsWith('once'))).toHaveLength(times)
    expect(run.id).toBe(id)
  })

  it('skip leaves out a call that was cut off; retry is for the agent only where anyone may answer', async () => {
    const world = createWorld()
    world.hang('once')
    const first = world.startProcess()
    const [one, other] = [first.start(chain('once')), first.start(chain('once'))]
    for (const { id } of [one, other]) await storedUntil(id, isRunning('b'))
    first.kill()
    world.heal()
    const { runs } = world.startProcess()
    await runs.takeUp()
    const skipped = await (await runs.send(one.id, { type: 'skip', task: 'b' })).settled()
    expect(statusOf(skipped)).toEqual(['a complete', 'b skipped', 'c complete'])
    expect(skipped.tasks[1]?.error?.hint).toBe('Its call was cut off: it may have taken effect.')
    await expect(runs.send(other.id, { type: 'retry', task: 'b' })).rejects.toMatchObject({
      code: 'DECISION_HUMAN',
    })
    await expect(runs.send(other.id, { type: 'modify', task: 'b', arguments: {} })).rejects.toMatchObject({
      code: 'COMMAND_REFUSED',
    })
    await runs.send(other.id, { type: 'abort', reason: 'enough' })
    expect((await runs.find(other.id))?.status).toBe('aborted')
  })

  it.each([
    ['skip', { type: 'skip', task: 'b' }],
    ['abort', { type: 'abort', reason: 'enough' }],
    ['reject', undefined],
  ] as const)('whether it is repeated is asked again, whatever was done to it: %s, then retry and modify', async (_, command) => {
    const world = createWorld()
    world.hang('once')
    const first = world.startProcess()
    const { id } = first.start(chain('once'))
    await storedUntil(id, isRunning('b'))
    first.kill()
    world.heal()
    const { runs } = world.startProcess()
    const waiting = await (await takenUp(runs, id)).settled()
    if (command === undefined)
      await runs.decide(pendingOf(waiting, 'b').id, { verdict: 'reject', by: 'page' })
    else await runs.send(id, command)
    await storedUntil(id, ({ endedAt }) => endedAt !== undefined)
    const again = await (await runs.send(id, { type: 'retry', task: 'b' })).settled()
    expect(again.status).toBe('interrupted')
    expect(pendingOf(again, 'b')).toMatchObject({ kind: 'repeat' })
    await runs.decide(pendingOf(again, 'b').id, { verdict: 'reject', by: 'page' })
    await storedUntil(id, ({ endedAt }) => endedAt !== undefined)
    const other = { type: 'modify', task: 'b', arguments: { n: 3 } } as const
    const modified = await (await runs.send(id, other)).settled()
    expect(pendingOf(modified, 'b')).toMatchObject({ kind: 'repeat', arguments: { n: 3 } })
    expect(world.calls.filter((call) => call.startsWith('once'))).toHaveLength(1)
    await runs.decide(pendingOf(modified, 'b').id, { verdict: 'approve', by: 'page' })
    await storedUntil(id, hasEnded('b'))
    expect(world.calls.filter((call) => call.startsWith('once'))).toEqual(['once {"n":2}', 'once {"n":3}'])
  })

  it('a place of a list whose call was cut off is asked about when the list is done again', async () => {
    const world = createWorld()
    world.hang('once {"n":2}')
    const first = world.startProcess()
    const { id } = first.start([
      { id: 'a', tool: 'list' },
      { id: 'b', tool: 'once', arguments: { n: { $from: 'a[*].v' } }, each: ['a[*].v'] },
    ])
    await storedUntil(id, isRunning('b[1]'))
    await storedUntil(id, hasEnded('b[0]'))
    first.kill()
    world.heal()
    const { runs } = world.startProcess()
    const waiting = await (await takenUp(runs, id)).settled()
    await runs.decide(pendingOf(waiting, 'b[1]').id, { verdict: 'reject', by: 'page' })
    await storedUntil(id, ({ endedAt }) => endedAt !== undefined)
    const calls = [...world.calls]
    const again = await (await runs.send(id, { type: 'retry', task: 'b' })).settled()
    expect(pendingOf(again, 'b[1]')).toMatchObject({ kind: 'repeat', arguments: { n: 2 } })
    expect(world.calls).toEqual(calls)
    await runs.decide(pendingOf(again, 'b[1]').id, { verdict: 'approve', by: 'page' })
    const run = await storedUntil(id, ({ endedAt }) => endedAt !== undefined)
    expect(run.status).toBe('complete')
    expect(world.calls.filter((call) => call === 'once {"n":2}')).toHaveLength(2)
  })

  it('taken up and killed again and again, still asks the same question', async () => {
    const world = createWorld()
    world.hang('once')
    const first = world.startProcess()
    const { id } = first.start(chain('once'))
    await storedUntil(id, isRunning('b'))
    first.kill()
    const ids: string[] = []
    for (let life = 0; life < 3; life++) {
      const next = world.startProcess()
      ids.push(pendingOf(await (await takenUp(next.runs, id)).settled(), 'b').id)
      next.kill()
    }
    expect(new Set(ids).size).toBe(1)
    world.heal()
    const { runs } = world.startProcess()
    await runs.decide(ids[0]!, { verdict: 'approve', by: 'command line' })
    await storedUntil(id, ({ status }) => status === 'complete')
    expect(world.calls.filter((call) => call.startsWith('once'))).toHaveLength(2)
  })
})

describe('what waits survives', () => {
  it('a decision keeps its id, and is answered in the next process', async () => {
    const world = createWorld()
    const first = world.startProcess()
    const handle = first.start(chain('danger'))
    const before = pendingOf(await handle.settled(), 'b')
    first.kill()
    const { runs } = world.startProcess()
    const waiting = await (await takenUp(runs, handle.id)).settled()
    expect(waiting.status).toBe('approval_required')
    expect(pendingOf(waiting, 'b')).toEqual(before)
    await runs.decide(before.id, { verdict: 'approve', by: 'page' })
    const run = await storedUntil(handle.id, ({ status }) => status === 'complete')
    expect(world.calls).toEqual(['list', 'danger {"n":2}', 'list'])
    // Once more is fine, another answer is refused, and that is kept.
    expect(await runs.decide(before.id, { verdict: 'approve', by: 'page' })).toMatchObject({
      usedAt: expect.any(Number),
    })
    await expect(runs.decide(before.id, { verdict: 'reject', by: 'page' })).rejects.toMatchObject({
      code: 'DECISION_ANSWERED',
    })
    expect((await runs.findDecision(before.id))?.refusals).toMatchObject([{ verdict: 'reject', by: 'page' }])
    expect(run.decisions).toHaveLength(1)
  })

  it('an approval whose call was not begun counts; one whose time ran out meanwhile does not', async () => {
    const world = createWorld()
    const first = world.startProcess()
    const handle = first.start([{ id: 'a', tool: 'danger' }])
    await handle.settled()
    const late = first.start([{ id: 'a', tool: 'danger' }])
    await late.settled()
    await handle.send({ type: 'pause' })
    await first.runs.decide(pendingOf(handle.current(), 'a').id, { verdict: 'approve', by: 'page' })
    first.kill()
    const second = world.startProcess()
    const again = await takenUp(second.runs, handle.id)
    expect((await again.settled()).status).toBe('paused')
    expect(world.calls).toEqual([])
    await again.send({ type: 'resume' })
    expect((await again.result).status).toBe('complete')
    second.kill()
    const { runs } = world.startProcess({ now: () => Date.now() + 120_000 })
    await runs.takeUp()
    const expired = await storedUntil(late.id, ({ endedAt }) => endedAt !== undefined)
    expect(expired.tasks[0]?.error?.code).toBe('NOT_APPROVED')
    await expect(
      runs.decide(expired.decisions![0]!.id, { verdict: 'approve', by: 'page' }),
    ).rejects.toMatchObject({
      code: 'DECISION_EXPIRED',
    })
    expect(world.calls).toEqual(['danger'])
  })

  it('paused stays paused, layers stay layers', async () => {
    const world = createWorld()
    const first = world.startProcess()
    const layered = first.start(chain('list'), { validateLayers: 'after' })
    expect((await layered.settled()).status).toBe('layer_complete')
    first.kill()
    const second = world.startProcess()
    const again = await takenUp(second.runs, layered.id)
    expect((await again.settled()).status).toBe('layer_complete')
    expect(again.upcoming().map(({ id }) => id)).toEqual(['b'])
    await again.send({ type: 'continue' })
    expect(statusOf(await again.settled())).toEqual(['a complete', 'b complete', 'c pending'])
    second.kill()
    const third = world.startProcess()
    const last = await takenUp(third.runs, layered.id)
    await last.settled()
    await last.send({ type: 'continue', through: true })
    expect((await last.result).status).toBe('complete')
  })

  it('commands that were accepted and not carried out are, in their order', async () => {
    const world = createWorld()
    world.hang('read')
    const first = world.startProcess()
    const { id } = first.start(chain('read'))
    await storedUntil(id, isRunning('b'))
    first.kill()
    const stored = (await store.loadCheckpoint(id))!
    const { tasks: _, decisions: __, ...run } = stored.run
    const commands = [
      { id: newId(), command: { type: 'inject', tasks: [makeTask({ id: 'd', tool: 'list' })] } },
      { id: newId(), command: { type: 'skip', task: 'nobody' } },
      { id: newId(), command: { type: 'skip', task: 'd' } },
      { id: newId(), command: { type: 'pause' } },
    ] as const
    const accepted: Checkpoint = {
      ...{ run, owner: world.owner, tasks: [], removedTasks: [], decisions: [] },
      progress: { ...stored.progress, commands },
    }
    await store.saveCheckpoint(accepted)
    world.heal()
    const { runs } = world.startProcess()
    const paused = await (await takenUp(runs, id)).settled()
    expect(paused.status).toBe('paused')
    expect(statusOf(paused)).toEqual(['a complete', 'b pending', 'c pending', 'd skipped'])
    expect((await store.loadCheckpoint(id))?.progress.commands).toEqual([])
    const handle = await runs.send(id, { type: 'resume' })
    expect((await handle.result).tasks.map(({ status }) => status)).toEqual([
      'complete',
      'complete',
      'complete',
      'skipped',
    ])
  })
})

describe('a task done for each, half done', () => {
  const fan = (tool: string, inTurn: boolean): readonly ScenarioTask[] => [
    { id: 'list', tool: 'list' },
    { id: 'each', tool, arguments: { v: { $from: 'list[*].v' } }, each: ['list[*].v'], inTurn },
    { id: 'after', tool: 'list', dependsOn: ['each'] },
  ]
  const v = (tool: string, n: number): string => `${tool} ${JSON.stringify({ v: n } satisfies JsonObject)}`

  it.each([true, false])('goes on with what is left, in turn %s', async (inTurn) => {
    const world = createWorld()
    world.hang(v('read', 2))
    const first = world.startProcess()
    const { id } = first.start(fan('read', inTurn))
    await storedUntil(id, (run) => hasEnded('each[0]')(run) && isRunning('each[1]')(run))
    if (!inTurn) await storedUntil(id, hasEnded('each[2]'))
    first.kill()
    world.heal()
    const run = await (await takenUp(world.startProcess().runs, id)).result
    expect(run.status).toBe('complete')
    expect(run.tasks.find((task) => task.id === 'each')?.result).toEqual(
      [1, 2, 3].map((n) => `${v('read', n)} done`),
    )
    const made = world.calls.filter((call) => call.startsWith('read')).toSorted()
    expect(made).toEqual([v('read', 1), v('read', 2), v('read', 2), v('read', 3)])
  })

  it.each([
    true,
    false,
  ])('asks about the one call that was cut off, approved as a whole or not, in turn %s', async (inTurn) => {
    const world = createWorld()
    world.hang(v('danger', 2))
    const first = world.startProcess()
    const handle = first.start(fan('danger', inTurn))
    const asked = pendingOf(await handle.settled(), 'each')
    expect(asked.arguments).toEqual({ each: [{ v: 1 }, { v: 2 }, { v: 3 }] })
    await first.runs.decide(asked.id, { verdict: 'approve', by: 'page' })
    await storedUntil(handle.id, (run) => hasEnded('each[0]')(run) && isRunning('each[1]')(run))
    if (!inTurn) await storedUntil(handle.id, hasEnded('each[2]'))
    first.kill()
    world.heal()
    const { runs } = world.startProcess()
    const waiting = await (await takenUp(runs, handle.id)).settled()
    expect(waiting.status).toBe('interrupted')
    expect(waiting.decisions?.filter(isPending).map(({ taskId, kind }) => `${kind} ${taskId}`)).toEqual([
      'repeat each[1]',
    ])
    await runs.decide(pendingOf(waiting, 'each[1]').id, { verdict: 'approve', by: 'page' })
    const run = await storedUntil(handle.id, ({ endedAt }) => endedAt !== undefined)
    expect(run.status).toBe('complete')
    const made = world.calls.filter((call) => call.startsWith('danger')).toSorted()
    expect(made).toEqual([v('danger', 1), v('danger', 2), v('danger', 2), v('danger', 3)])
  })

  it('a place that was skipped stays left out, and the list whole', async () => {
    const world = createWorld()
    world.hang(v('read', 3))
    const first = world.startProcess()
    const handle = first.start(fan('read', false))
    world.hang(v('read', 2))
    await storedUntil(handle.id, (run) => isRunning('each[1]')(run) && isRunning('each[2]')(run))
    await handle.send({ type: 'skip', task: 'each[1]' })
    first.kill()
    world.heal()
    const run = await (await takenUp(world.startProcess().runs, handle.id)).result
    expect(statusOf(run).slice(1)).toEqual([
      'each complete',
      'each[0] complete',
      'each[1] skipped',
      'each[2] complete',
      'after complete',
    ])
  })

  it('in turn stays in turn: a call that was cut off and approved waits for the one under way', async () => {
    const world = createWorld()
    world.hang('once')
    const first = world.startProcess()
    const { id } = first.start(fan('once', true))
    await storedUntil(id, isRunning('each[0]'))
    first.kill()
    const { runs } = world.startProcess()
    const handle = await takenUp(runs, id)
    await storedUntil(id, isRunning('each[1]'))
    await runs.decide(pendingOf(handle.current(), 'each[0]').id, { verdict: 'approve', by: 'page' })
    // Longer than it takes to store that a call begins.
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(statusOf(handle.current()).slice(2, 4)).toEqual(['each[0] pending', 'each[1] running'])
    expect(world.calls).toEqual(['list', v('once', 1), v('once', 2)])
    await runs.send(id, { type: 'abort', reason: 'seen' })
  })

  it('whose approval has run out since is asked about as a whole, and rejected it ends with its cut-off call', async () => {
    const world = createWorld()
    world.hang(v('once', 2))
    const first = world.startProcess()
    const plan = fan('once', true).map((task) =>
      task.id === 'each' ? { ...task, requireApproval: true } : task,
    )
    const handle = first.start(plan)
    await first.runs.decide(pendingOf(await handle.settled(), 'each').id, { verdict: 'approve', by: 'page' })
    await storedUntil(handle.id, isRunning('each[1]'))
    first.kill()
    world.heal()
    const { runs } = world.startProcess({ now: () => Date.now() + 61_000 })
    const waiting = await (await takenUp(runs, handle.id)).settled()
    expect(statusOf(waiting)).toEqual([
      'list complete',
      'each waiting',
      'each[0] complete',
      'each[1] interrupted',
      'after pending',
    ])
    await expect(
      runs.send(handle.id, { type: 'modify', task: 'each', arguments: { v: 1 } }),
    ).rejects.toMatchObject({
      code: 'COMMAND_REFUSED',
    })
    await runs.decide(pendingOf(waiting, 'each').id, { verdict: 'reject', by: 'page' })
    const run = await storedUntil(handle.id, ({ endedAt }) => endedAt !== undefined)
    expect(statusOf(run)).toEqual([
      'list complete',
      'each failed',
      'each[0] complete',
      'each[1] failed',
      'after skipped',
    ])
    expect(run.decisions?.filter(isPending)).toEqual([])
    expect(world.calls.filter((call) => call.startsWith('once'))).toHaveLength(2)
  })
})

describe('taking up', () => {
  it('leaves alone the runs of another data directory, and says whose they are', async () => {
    const world = createWorld()
    world.hang('read')
    const first = world.startProcess()
    const { id } = first.start(chain('read'))
    await storedUntil(id, isRunning('b'))
    first.kill()
    const { runs } = world.startProcess({ owner: 'another' })
    await runs.takeUp()
    expect(runs.underWay(id)).toBeUndefined()
    await expect(runs.send(id, { type: 'pause' })).rejects.toThrow(/another data directory/)
    expect((await runs.find(id))?.status).toBe('running')
    expect(world.calls).toHaveLength(2)
  })

  it('what was left more than an hour ago waits until somebody says so', async () => {
    const world = createWorld()
    world.hang('read')
    const first = world.startProcess()
    const { id } = first.start(chain('read'))
    await storedUntil(id, isRunning('b'))
    first.kill()
    world.heal()
    const { runs } = world.startProcess({ now: () => Date.now() + 61 * 60_000 })
    expect((await (await takenUp(runs, id)).settled()).status).toBe('paused')
    expect(world.calls).toHaveLength(2)
    expect((await (await runs.send(id, { type: 'resume' })).result).status).toBe('complete')
  })

  it('is done once, whoever asks at the same time', async () => {
    const world = createWorld()
    world.hang('read')
    const first = world.startProcess()
    const { id } = first.start(chain('read'))
    await storedUntil(id, isRunning('b'))
    first.kill()
    world.heal()
    const { runs } = world.startProcess()
    const handles = await Promise.all([runs.open(id), runs.open(id), runs.takeUp().then(() => runs.open(id))])
    expect(new Set(handles).size).toBe(1)
    await handles[0]!.result
    expect(world.calls).toHaveLength(4)
    expect(await runs.open(id)).toBeUndefined()
    expect(await runs.open(newId())).toBeUndefined()
    await expect(runs.send(newId(), { type: 'pause' })).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  })

  it('a call whose arguments held a secret is not made with the rest of them', async () => {
    const world = createWorld()
    world.hang('list')
    const first = world.startProcess()
    const { id } = first.start([
      { id: 'a', tool: 'list' },
      { id: 'b', tool: 'read', arguments: { key: secret }, dependsOn: ['a'] },
    ])
    await storedUntil(id, isRunning('a'))
    first.kill()
    world.heal()
    const { runs } = world.startProcess()
    const run = await (await takenUp(runs, id)).result
    expect(run.tasks[1]).toMatchObject({ status: 'failed', error: { code: 'SECRET_NOT_STORED' } })
    expect(world.calls).toEqual(['list', 'list'])
    const again = await runs.send(id, { type: 'modify', task: 'b', arguments: { key: 'given anew' } })
    expect((await again.result).status).toBe('complete')
  })

  it('a gateway that closes in good order leaves its runs running, not paused', async () => {
    const world = createWorld()
    world.hang('once')
    const first = world.startProcess()
    const { id } = first.start([...chain('list'), { id: 'd', tool: 'once' }])
    await storedUntil(id, (run) => isRunning('d')(run) && hasEnded('c')(run))
    await first.runs.close()
    expect((await store.loadCheckpoint(id))?.progress.isPaused).toBe(false)
    first.kill()
    const waiting = await (await takenUp(world.startProcess().runs, id)).settled()
    expect(waiting.status).toBe('interrupted')
  })
})

describe('a run that has ended', () => {
  it('is opened again by retry under its id; what was done stays, and is not done again', async () => {
    const world = createWorld()
    const first = world.startProcess()
    const plan = [
      { id: 'a', tool: 'list' },
      { id: 'b', tool: 'broken' },
      { id: 'c', tool: 'list', dependsOn: ['b'] },
    ]
    const before = await first.start(plan).result
    expect(statusOf(before)).toEqual(['a complete', 'b failed', 'c skipped'])
    await expect(first.runs.send(before.id, { type: 'pause' })).rejects.toMatchObject({
      code: 'COMMAND_REFUSED',
    })
    await expect(first.runs.send(before.id, { type: 'retry', task: 'a' })).rejects.toMatchObject({
      code: 'COMMAND_REFUSED',
    })
    expect(await store.loadRun(before.id)).toEqual(before)
    first.kill()
    const { runs } = world.startProcess()
    const handle = await runs.send(before.id, { type: 'retry', task: 'b' })
    expect((await handle.result).status).toBe('partial_failure')
    const added = makeTask({ id: 'd', tool: 'list', dependsOn: ['a'] })
    const more = await runs.send(before.id, { type: 'replan', requirement: 'more', tasks: [added] })
    const run = await more.result
    expect([run.id, run.tasks[0]]).toEqual([before.id, before.tasks[0]])
    expect(statusOf(run)).toEqual(['a complete', 'b failed', 'c skipped', 'd complete'])
    expect(world.calls).toEqual(['list', 'broken', 'broken', 'list'])
    expect(more.messages().map(({ text }) => text)).toEqual([
      'Opened again: retry.',
      'Opened again: replan.',
      'more',
    ])
  })

  it('two commands at once both count, and one that is refused does not take the other with it', async () => {
    const world = createWorld()
    const { runs, start } = world.startProcess()
    const { id } = await start([
      { id: 'a', tool: 'broken' },
      { id: 'b', tool: 'broken' },
      { id: 'ok', tool: 'list' },
    ]).result
    const both = await Promise.allSettled([
      runs.send(id, { type: 'retry', task: 'ok' }),
      runs.send(id, { type: 'modify', task: 'a', arguments: { n: 1 } }),
      runs.send(id, { type: 'modify', task: 'b', arguments: { n: 2 } }),
    ])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    await storedUntil(id, ({ endedAt }) => endedAt !== undefined)
    expect(world.calls.slice(3).toSorted()).toEqual(['broken {"n":1}', 'broken {"n":2}'])
  })

  it('can be opened again in the very moment it ends', async () => {
    const world = createWorld()
    const { runs, start } = world.startProcess()
    const handle = start([{ id: 'a', tool: 'broken' }])
    await handle.settled()
    const again = await runs.send(handle.id, { type: 'retry', task: 'a' })
    expect((await again.result).tasks[0]?.attempts).toBe(2)
  })

  it('a re-opened run that is cut off is taken up like any other', async () => {
    const world = createWorld()
    const first = world.startProcess()
    const { id } = await first.start([
      { id: 'a', tool: 'list' },
      { id: 'b', tool: 'broken' },
    ]).result
    world.hang('broken')
    await first.runs.send(id, { type: 'retry', task: 'b' })
    await storedUntil(id, isRunning('b'))
    first.kill()
    world.heal()
    const run = await (await takenUp(world.startProcess().runs, id)).result
    expect(run.tasks[1]).toMatchObject({ status: 'failed', attempts: 3 })
    expect(world.calls).toEqual(['list', 'broken', 'broken', 'broken'])
  })
})
