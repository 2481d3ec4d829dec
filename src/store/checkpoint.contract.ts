/** What every Store promises of runs that go on: each step whole, in order, and everything that the next process needs. */
import { expect, it } from 'vitest'
import { StoreError } from '../errors.js'
import { newId } from '../model/new-id.js'
import type { Plan } from '../model/plan.js'
import type { Run, RunStatus, TaskOutcome } from '../model/run.js'
import type { RunProgress } from '../model/run-state.js'
import { formatToolId } from '../model/tool.js'
import { aDecision } from './decision.contract.js'
import type { LearnedContract } from './learned.contract.js'
import type { Checkpoint, Store } from './store.js'

export function testCheckpoints({ store, reopen, asPerson, strings }: LearnedContract): void {
  it('gives back a run with all that it needs to go on, also after a reopen', async () => {
    const run = aRun([aTask({ id: 'a', status: 'running', startedAt: 5, attempts: 3 })], 'approval_required')
    const decision = aDecision({ runId: run.id, taskId: 'a' })
    const before = Date.now()
    await saveStep(run, { owner: '/home/me/.pml', plan: aPlan, progress: aProgress, decisions: [decision] })
    for (const _ of ['before', 'after']) {
      const stored = (await store().loadCheckpoint(run.id))!
      expect(stored).toStrictEqual({
        run: { ...run, decisions: [decision] },
        owner: '/home/me/.pml',
        plan: aPlan,
        progress: aProgress,
        updatedAt: expect.any(Number),
      })
      expect(Math.abs(stored.updatedAt - before)).toBeLessThan(60_000)
      expect(await store().loadRun(run.id)).toStrictEqual({ ...run, decisions: [decision] })
      await reopen()
    }
  })

  it('keeps every string of a checkpoint, and its columns stay readable as jsonb', async () => {
    const run = aRun([])
    const plan: Plan = {
      intent: strings.join('\n'),
      tasks: strings.map((text, at) => ({
        ...aPlan.tasks[0]!,
        id: `${at}${text}`,
        arguments: { [text]: text },
      })),
    }
    const progress: RunProgress = {
      ...aProgress,
      messages: strings.map((text, at) => ({ at, from: 'human', text })),
      context: Object.fromEntries(strings.map((text) => [`k${text}`, text])),
      commands: strings.map((reason) => ({ id: newId(), command: { type: 'abort', reason } })),
    }
    const owner = strings.join('')
    await saveStep(run, { owner, plan, progress })
    expect(await store().loadCheckpoint(run.id)).toMatchObject({ owner, plan, progress })
    expect(await store().listOpenRuns(owner)).toEqual([])
    expect(
      await asPerson(
        'select count(plan::jsonb || progress::jsonb)::integer as many from workflow_checkpoint',
      ),
    ).toEqual([{ many: 1 }])
  })

  it('a step changes what it names and leaves the rest as it was', async () => {
    const [c, a] = [aTask({ id: 'c', status: 'pending' }), aTask({ id: 'a', status: 'pending' })]
    const run = aRun([c, a], 'running')
    const decisions = [aDecision({ runId: run.id }), aDecision({ runId: run.id, kind: 'repeat' })]
    await saveStep(run, { plan: aPlan, decisions })
    const done = aTask({ id: 'c', result: 'done', startedAt: 5, ms: 3 })
    const [added, last] = [aTask({ id: 'b' }), aTask({ id: '0' })]
    await saveStep({ ...run, tasks: [done, added] })
    const answered = {
      ...decisions[0]!,
      answer: { verdict: 'approve', by: 'page', at: 7 } as const,
      usedAt: 8,
    }
    const further: Plan = { tasks: [...aPlan.tasks, { ...aPlan.tasks[0]!, id: '0' }] }
    await saveStep(
      { ...run, status: 'complete', endedAt: 9, tasks: [last, done] },
      { plan: further, decisions: [answered], progress: aProgress },
    )
    await reopen()
    expect(await store().loadCheckpoint(run.id)).toMatchObject({
      run: {
        ...{ ...run, status: 'complete', endedAt: 9 },
        tasks: [done, a, added, last],
        decisions: [answered, decisions[1]],
      },
      plan: further,
      progress: aProgress,
    })
    await saveStep({ ...run, tasks: [] })
    expect(await store().loadRun(run.id)).toStrictEqual({
      ...{ ...run, decisions: [answered, decisions[1]] },
      tasks: [done, a, added, last],
    })
  })

  it('a task given twice in one step has its later state', async () => {
    const run = aRun([aTask({ status: 'running' }), aTask({ id: 'b' }), aTask({ result: 1 })])
    const decision = aDecision({ runId: run.id })
    const refused = {
      ...decision,
      refusals: [{ verdict: 'approve', by: 'agent', code: 'X', at: 1 }],
    } as const
    await saveStep(run, { decisions: [decision, refused] })
    expect(await store().loadRun(run.id)).toStrictEqual({
      ...{ ...run, decisions: [refused] },
      tasks: [aTask({ result: 1 }), aTask({ id: 'b' })],
    })
  })

  it('gives each task followed by its elements, by their places, however they came', async () => {
    const tasks = ['read', 'sum'].map((id) => aTask({ id, status: 'running', startedAt: 5 }))
    const run = aRun(tasks, 'running')
    await saveStep(run)
    const elements = Array.from({ length: 12 }, (_, at) =>
      aTask({ id: `read[${at}]`, parent: 'read', result: at }),
    )
    const orphan = aTask({ id: '\u0000 odd[0]', parent: '\u0000 odd' })
    for (const at of [2, 0, 10, 1, 11])
      await saveStep({ ...run, tasks: [{ ...elements[at]!, status: 'running' }] })
    await saveStep({ ...run, tasks: [orphan] })
    await saveStep({ ...run, tasks: elements })
    const whole = { ...run, tasks: [tasks[0]!, ...elements, tasks[1]!, orphan] }
    expect(await store().loadRun(run.id)).toStrictEqual(whole)
    await reopen()
    expect(await store().loadRun(run.id)).toStrictEqual(whole)
    expect(await asPerson("select count(*)::integer as many from task where parent = 'read'")).toEqual([
      { many: 12 },
    ])
  })

  it('forgets elements of a task that is done again, and takes new ones in the same step', async () => {
    const long = '\u4e00'.repeat(3000)
    const element = (id: string, result: number) => aTask({ id, parent: 'read', result })
    const read = aTask({ id: 'read' })
    const run = aRun([read, element('read[0]', 1), element('read[1]', 2), aTask({ id: long })])
    await saveStep(run)
    await saveStep(
      { ...run, tasks: [{ ...read, status: 'running' }, element('read[0]', 3)] },
      { removedTasks: ['read[0]', 'read[1]', long, 'never was'], decisions: [aDecision({ runId: run.id })] },
    )
    expect((await store().loadRun(run.id))!.tasks).toStrictEqual([
      { ...read, status: 'running' },
      element('read[0]', 3),
    ])
  })

  it('a step that fails leaves nothing of itself', async () => {
    const run = aRun([aTask({ status: 'running' })], 'running')
    await saveStep(run, { plan: aPlan })
    const before = await store().loadCheckpoint(run.id)
    const stray = aDecision({ runId: newId() })
    for (const removedTasks of [[], ['a']]) {
      const failed = saveStep(
        { ...run, status: 'complete', tasks: [aTask({}), aTask({ id: 'b' })] },
        {
          progress: aProgress,
          plan: { tasks: [] },
          removedTasks,
          decisions: [aDecision({ runId: run.id }), stray],
        },
      )
      await expect(failed).rejects.toMatchObject({ cause: { code: '23503' } })
      expect(await store().loadCheckpoint(run.id)).toStrictEqual(before)
    }
    const strangers = saveStep(aRun([]), { decisions: [stray] })
    await expect(strangers).rejects.toBeInstanceOf(StoreError)
    expect(await store().listRuns({ limit: 10 })).toHaveLength(1)
  })

  it('a run without a plan can be read, and cannot go on', async () => {
    const run = aRun([aTask({})], 'interrupted')
    await saveStep(run)
    expect(await store().loadRun(run.id)).toStrictEqual(run)
    expect(await store().loadCheckpoint(run.id)).toBeUndefined()
    await saveStep(run, { plan: aPlan })
    expect(await store().loadCheckpoint(run.id)).toMatchObject({ plan: aPlan })
  })

  it('runs that are saved at the same time do not touch one another', async () => {
    const runs = Array.from({ length: 20 }, () => aRun([aTask({ status: 'pending' })], 'running'))
    await Promise.all(runs.map((run) => saveStep(run, { plan: aPlan })))
    const steps = runs.flatMap((run) =>
      Array.from({ length: 10 }, (_, at) =>
        saveStep(
          { ...run, tasks: [aTask({ id: `t${at}`, result: run.id })] },
          { decisions: at === 5 ? [aDecision({ runId: run.id })] : [], removedTasks: at === 7 ? ['a'] : [] },
        ),
      ),
    )
    await Promise.all(steps)
    for (const run of runs) {
      const { tasks, decisions } = (await store().loadRun(run.id))!
      expect(new Set(tasks.map(({ id }) => id))).toEqual(
        new Set(Array.from({ length: 10 }, (_, at) => `t${at}`)),
      )
      expect(new Set(tasks.map(({ result }) => result))).toEqual(new Set([run.id]))
      expect(decisions).toHaveLength(1)
    }
  })

  it('lists the open runs of one owner, oldest first, with what they wait for', async () => {
    const open: RunStatus[] = ['running', 'paused', 'layer_complete', 'approval_required', 'interrupted']
    const ended: RunStatus[] = ['complete', 'partial_failure', 'failed', 'aborted']
    const runs = [...open, ...ended].map((status, at) => ({ ...aRun([], status), startedAt: 1_000 - at }))
    for (const run of runs) await saveStep(run, { owner: 'me' })
    const other = aRun([], 'running')
    await saveStep(other, { owner: 'me too' })
    const mine = await store().listOpenRuns('me')
    expect(mine).toStrictEqual(
      runs
        .slice(0, open.length)
        .reverse()
        .map(({ id, status }) => ({ id, status, updatedAt: expect.any(Number) })),
    )
    expect((await store().listOpenRuns('me too')).map(({ id }) => id)).toEqual([other.id])
    expect(await store().listOpenRuns('Me')).toEqual([])
  })

  it('forgets ended runs beyond the newest and those that ended long ago, and none that waits', async () => {
    const ended = [100, 200, 300, 400].map((endedAt) => ({
      ...aRun([aTask({})]),
      startedAt: endedAt - 50,
      endedAt,
    }))
    const waiting = [aRun([aTask({})], 'approval_required'), aRun([], 'paused')].map((run, at) => ({
      ...run,
      startedAt: 2 - at,
    }))
    for (const run of [...ended, ...waiting])
      await saveStep(run, {
        plan: aPlan,
        decisions: [aDecision({ runId: run.id, requestedAt: 1, expiresAt: 2 })],
      })
    expect(await store().pruneRuns({ newest: 10, since: 0 })).toBe(0)
    expect(await store().pruneRuns({ newest: 3, since: 0 })).toBe(1)
    expect(await store().pruneRuns({ newest: 3, since: 300 })).toBe(1)
    const left = await store().listRuns({ limit: 10 })
    expect(left.map(({ id }) => id)).toEqual([ended[3]!, ended[2]!, ...waiting].map(({ id }) => id))
    expect(await store().listPendingDecisions()).toHaveLength(4)
    expect(await store().pruneRuns({ newest: 0, since: 0 })).toBe(2)
    for (const run of waiting) expect(await store().loadCheckpoint(run.id)).toMatchObject({ run })
    expect(
      await asPerson(`select (select count(*) from task)::integer as tasks,
        (select count(*) from workflow_checkpoint)::integer as checkpoints, (select count(*) from decision)::integer as decisions`),
    ).toEqual([{ tasks: 1, checkpoints: 2, decisions: 2 }])
  })

  function saveStep({ tasks, decisions: _, ...run }: Run, fields: Partial<Checkpoint> = {}): Promise<void> {
    return store().saveCheckpoint({ ...{ run, tasks }, ...nothingElse, ...fields })
  }
}

/** As a run that has neither a plan nor decisions. */
export function saveRun(store: Store, { tasks, decisions: _, ...run }: Run): Promise<void> {
  return store.saveCheckpoint({ ...{ run, tasks }, ...nothingElse })
}

export function aRun(tasks: readonly TaskOutcome[], status: RunStatus = 'complete'): Run {
  return { id: newId(), status, tasks, startedAt: 1_700_000_000_000 }
}

export function aTask(fields: Partial<TaskOutcome>): TaskOutcome {
  return {
    id: 'a',
    tool: formatToolId('fs', 'read'),
    arguments: { path: '/' },
    status: 'complete',
    ...fields,
  }
}

const nothingElse = {
  owner: 'me',
  removedTasks: [],
  decisions: [],
  progress: { messages: [], context: {}, commands: [], isPaused: false },
} satisfies Partial<Checkpoint>

const aPlan: Plan = {
  intent: 'read it, then sum',
  tasks: [
    {
      ...{ id: 'a', tool: formatToolId('fs', 'read'), arguments: { z: 1, a: [null] }, dependsOn: ['b'] },
      ...{
        onError: { default: null },
        timeoutMs: 5,
        requireApproval: true,
        each: ['$b.items[*]'],
        inTurn: true,
      },
    },
  ],
}

const aProgress: RunProgress = {
  messages: [{ at: 1_700_000_000_000.5, from: 'agent', text: 'and "sum" it' }],
  context: { z: { deep: [1e21, -1e-9] }, a: null },
  commands: [
    { id: newId(), command: { type: 'retry', task: 'a' } },
    { id: newId(), command: { type: 'replan', requirement: 'more', tasks: aPlan.tasks } },
  ],
  isPaused: true,
  openLayer: 2,
}
