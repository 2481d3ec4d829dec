import type { Log } from '../model/log.js'
import { newId } from '../model/new-id.js'
import type { Plan } from '../model/plan.js'
import { type Redact, redactJson } from '../model/redact.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { RunEvent } from '../model/run-event.js'
import type { CallTool } from '../model/tool-call.js'
import type { Store } from '../store/store.js'
import { type RunHandle, runPlan } from './run-plan.js'

/** The runs of this gateway: those under way by handle, the finished ones from the store. */
export interface Runs {
  start(plan: Plan, session: string): RunHandle
  find(id: string): Promise<Run | undefined>
  abort(id: string, reason: string): Promise<Run | undefined>
  list(limit: number): Promise<readonly Run[]>
  /** Aborts what is under way and waits until its end is stored. */
  close(): Promise<void>
}

export interface RunsOptions {
  readonly callTool: CallTool
  /** Opens in the background; a run's first step waits for it. */
  store(): Promise<Store>
  concurrentCalls(): number
  readonly redact: Redact
  readonly log: Log
}

/** Finished runs stay at hand this long in number, so that `status` right after the end needs no database. */
const rememberedRuns = 100

export function openRuns(options: RunsOptions): Runs {
  const active = new Map<string, RunHandle>()
  const ended = new Map<string, Run>()

  const record = async (event: RunEvent): Promise<void> => {
    const store = await options.store()
    if (event.type === 'run-start' || event.type === 'run-end')
      await store.saveRun(redactRun(event.run, options.redact))
    else await store.saveTask(event.runId, redactTask(event.task, options.redact))
  }

  const remember = (run: Run): void => {
    active.delete(run.id)
    ended.set(run.id, run)
    if (ended.size > rememberedRuns) ended.delete(ended.keys().next().value!)
  }

  const find = async (id: string): Promise<Run | undefined> =>
    active.get(id)?.current() ?? ended.get(id) ?? (await (await options.store()).loadRun(id))

  return {
    start(plan, session) {
      const handle = runPlan(plan, {
        id: newId(),
        callTool: options.callTool,
        session,
        limits: { concurrentCalls: options.concurrentCalls() },
        now: Date.now,
        record: (event) =>
          record(event).catch((error: unknown) => {
            options.log.error('a step of a run could not be stored', {
              run: handle.id,
              event: event.type,
              error: String(error),
            })
          }),
      })
      active.set(handle.id, handle)
      void handle.result.then(remember)
      return handle
    },
    find,
    async abort(id, reason) {
      const handle = active.get(id)
      if (handle === undefined) return find(id)
      handle.abort(reason)
      return handle.result
    },
    async list(limit) {
      const stored = await (await options.store()).listRuns({ limit })
      return stored.map((run) => active.get(run.id)?.current() ?? run)
    },
    async close() {
      const open = [...active.values()]
      for (const handle of open) handle.abort('the gateway is closing')
      await Promise.all(open.map((handle) => handle.result))
    },
  }
}

function redactRun(run: Run, redact: Redact): Run {
  return { ...redactJson(run, redact), id: run.id, tasks: run.tasks.map((task) => redactTask(task, redact)) }
}

function redactTask(task: TaskOutcome, redact: Redact): TaskOutcome {
  return { ...redactJson(task, redact), id: task.id, tool: task.tool }
}
