import { describe, expect, it } from 'vitest'
import { silentLog } from '../model/log.js'
import type { Plan } from '../model/plan.js'
import type { Run } from '../model/run.js'
import type { Checkpoint, Store } from '../store/store.js'
import { fakeRules, makePlan } from './expect-run.contract.js'
import { openRuns } from './open-runs.js'
import { noPrograms } from './test-programs.contract.js'

/** As much of a store as runs use. The whole of it, on a real database, is in resume-runs.test.ts. */
function open() {
  const loaded: string[] = []
  const saved: Checkpoint[] = []
  const state = { isAway: false }
  const store = {
    saveCheckpoint: async (checkpoint: Checkpoint) => {
      if (state.isAway) throw new Error('disk full')
      saved.push(checkpoint)
    },
    loadRun: async (id: string) => void loaded.push(id),
  } as unknown as Store
  const logged: string[] = []
  const ended: [Plan, Run][] = []
  const runs = openRuns({
    callTool: async () => ({ content: [{ type: 'text', text: 'ok' }] }),
    store: async () => store,
    owner: 'here',
    rules: fakeRules({}),
    programs: noPrograms,
    directApprovals: { answer: () => Promise.reject(new Error('none')) },
    concurrentCalls: () => 4,
    onEnd: (plan, run) => void ended.push([plan, run]),
    onDecision() {},
    onPause() {},
    redact: (text) => text,
    log: { ...silentLog, error: (message) => void logged.push(message) },
    now: Date.now,
  })
  return { runs, loaded, logged, ended, saved, state }
}

const by = { session: 'session', caller: 'tester' }
const runOne = (runs: ReturnType<typeof open>['runs']): Promise<Run> =>
  runs.start(makePlan([{ id: 'a', tool: 'x' }]), by).result

describe('openRuns', () => {
  it('tells of a run that has ended, once, with its plan', async () => {
    const { runs, ended } = open()
    const plan = makePlan([{ id: 'a', tool: 'x' }])
    const run = await runs.start(plan, by).result
    await Promise.resolve()
    expect(ended).toEqual([[plan, run]])
  })

  it('tells at the end of a run only what that run did, and shows all of it', async () => {
    const { runs, ended } = open()
    const first = await runOne(runs)
    const plan = makePlan([
      { id: 'a', tool: 'x' },
      { id: 'b', tool: 'x', arguments: { x: { $from: 'a' } } },
    ])
    const run = await runs.start(plan, { ...by, finished: first.tasks }).result
    await Promise.resolve()
    expect(run.tasks.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(run.tasks[1]?.arguments).toEqual({ x: 'ok' })
    expect(ended[1]).toEqual([plan, { ...run, tasks: [run.tasks[1]] }])
  })

  it('finds a run that has just ended without the store', async () => {
    const { runs, loaded } = open()
    const run = await runOne(runs)
    expect(await runs.find(run.id)).toEqual(run)
    expect(loaded).toEqual([])
  })

  it('a run waits while nothing can be stored, says so, and goes on afterwards', async () => {
    const { runs, logged, state } = open()
    state.isAway = true
    const handle = runs.start(makePlan([{ id: 'a', tool: 'x' }]), by)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(handle.current()).toMatchObject({ status: 'running', tasks: [{ status: 'pending' }] })
    expect(handle.trouble()).toBe('disk full')
    expect(logged).toContain('a step of a run could not be stored; it is tried again')
    state.isAway = false
    expect((await handle.result).status).toBe('complete')
  })

  it('asks the store for any other run', async () => {
    const { runs, loaded } = open()
    expect(await runs.find('earlier')).toBeUndefined()
    expect(loaded).toEqual(['earlier'])
  })

  it('tells the events of all runs to who listens, from then on', async () => {
    const { runs } = open()
    const stop = new AbortController()
    const heard: string[] = []
    const listening = (async () => {
      for await (const event of runs.events(stop.signal)) {
        heard.push(event.type)
        if (heard.filter((type) => type === 'run-end').length === 2) stop.abort()
      }
    })()
    await Promise.all([runOne(runs), runOne(runs)])
    await listening
    expect(heard.filter((type) => type === 'task-end')).toHaveLength(2)
  })
})
