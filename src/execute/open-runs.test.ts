import { describe, expect, it } from 'vitest'
import { silentLog } from '../model/log.js'
import type { Plan } from '../model/plan.js'
import type { Run } from '../model/run.js'
import type { Store } from '../store/store.js'
import { makePlan } from './expect-run.contract.js'
import { openRuns } from './open-runs.js'

/** As much of a store as runs use; `failing` names what it cannot write. */
function open(failing?: 'saveRun' | 'saveTask') {
  const write = async (name: string): Promise<void> => {
    if (name === failing) throw new Error('disk full')
  }
  const loaded: string[] = []
  const store = {
    saveRun: () => write('saveRun'),
    saveTask: () => write('saveTask'),
    loadRun: async (id: string) => void loaded.push(id),
  } as unknown as Store
  const logged: string[] = []
  const ended: [Plan, Run][] = []
  const runs = openRuns({
    callTool: async () => ({ content: [{ type: 'text', text: 'ok' }] }),
    store: async () => store,
    concurrentCalls: () => 4,
    onEnd: (plan, run) => void ended.push([plan, run]),
    redact: (text) => text,
    log: { ...silentLog, error: (message) => void logged.push(message) },
  })
  return { runs, loaded, logged, ended }
}

const runOne = (runs: ReturnType<typeof open>['runs']): Promise<Run> =>
  runs.start(makePlan([{ id: 'a', tool: 'x' }]), 'session').result

describe('openRuns', () => {
  it('tells of a run that has ended, once, with its plan', async () => {
    const { runs, ended } = open()
    const plan = makePlan([{ id: 'a', tool: 'x' }])
    const run = await runs.start(plan, 'session').result
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
    const run = await runs.start(plan, 'session', undefined, first.tasks).result
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
    expect(runs.isStored(run.id)).toBe(true)
  })

  it.each([
    'saveRun',
    'saveTask',
  ] as const)('a run goes on when %s fails, is not stored, and the log says so', async (failing) => {
    const { runs, logged } = open(failing)
    const run = await runOne(runs)
    expect(run.status).toBe('complete')
    expect(runs.isStored(run.id)).toBe(false)
    expect(logged).toContain('a step of a run could not be stored')
  })

  it('asks the store for any other run', async () => {
    const { runs, loaded } = open()
    expect(await runs.find('earlier')).toBeUndefined()
    expect(loaded).toEqual(['earlier'])
  })
})
