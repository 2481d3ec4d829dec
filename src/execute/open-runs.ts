import type { ClientSide } from '../model/client-side.js'
import type { Log } from '../model/log.js'
import { newId } from '../model/new-id.js'
import type { Plan } from '../model/plan.js'
import type { Redact } from '../model/redact.js'
import { redactRun, redactTask } from '../model/redact-run.js'
import { type Run, type RunSummary, summarizeRun, type TaskOutcome } from '../model/run.js'
import type { RunEvent } from '../model/run-event.js'
import type { CallTool } from '../model/tool-call.js'
import type { Store } from '../store/store.js'
import { createRecentRuns } from './recent-runs.js'
import { type RunHandle, runPlan } from './run-plan.js'

/** The runs of this gateway: those under way by handle, the finished ones from the store. */
export interface Runs {
  /**
   * The tools of a run may ask `client`; without one nobody is there to be asked. `finished` are outcomes of an earlier run
   * that this one builds on (run-plan.ts).
   */
  start(plan: Plan, session: string, client?: ClientSide, finished?: readonly TaskOutcome[]): RunHandle
  find(id: string): Promise<Run | undefined>
  /** False when a step of a run, under way or ended lately, could not be stored. */
  isStored(id: string): boolean
  abort(id: string, reason: string): Promise<Run | undefined>
  /** Newest first. */
  list(limit: number): Promise<readonly RunSummary[]>
  /** Aborts what is under way and waits until its end is stored. */
  close(): Promise<void>
}

export interface RunsOptions {
  readonly callTool: CallTool
  /** Opens in the background; a run's first step waits for it. */
  store(): Promise<Store>
  concurrentCalls(): number
  /** The run has ended; its values are as they were. What an earlier run did is left out: it was told at that one's end. */
  onEnd(plan: Plan, run: Run): void
  readonly redact: Redact
  readonly log: Log
}

const recentLimits = { runs: 100, bytes: 16 * 1024 * 1024 }

export function openRuns(options: RunsOptions): Runs {
  const active = new Map<string, RunHandle>()
  const recent = createRecentRuns(recentLimits)

  const record = async (event: RunEvent): Promise<void> => {
    const store = await options.store()
    if (event.type === 'run-start' || event.type === 'run-end')
      await store.saveRun(redactRun(event.run, options.redact))
    else await store.saveTask(event.runId, redactTask(event.task, options.redact))
  }

  const find = async (id: string): Promise<Run | undefined> =>
    active.get(id)?.current() ?? recent.get(id)?.run ?? (await (await options.store()).loadRun(id))

  return {
    start(plan, session, client, finished = []) {
      const handle = runPlan(plan, {
        id: newId(),
        callTool: options.callTool,
        session,
        ...(client && { client }),
        limits: { concurrentCalls: options.concurrentCalls() },
        finished,
        now: Date.now,
        record: (event) =>
          record(event).catch((error: unknown) => {
            options.log.error('a step of a run could not be stored', {
              run: handle.id,
              event: event.type,
              error: String(error),
            })
            throw error
          }),
      })
      active.set(handle.id, handle)
      void handle.result.then((run) => {
        active.delete(run.id)
        recent.keep({ run, isStored: handle.isStored() })
        options.onEnd(plan, withoutFinished(run, finished))
      })
      return handle
    },
    find,
    isStored: (id) => active.get(id)?.isStored() ?? recent.get(id)?.isStored ?? true,
    async abort(id, reason) {
      const handle = active.get(id)
      if (handle === undefined) return find(id)
      handle.abort(reason)
      return handle.result
    },
    async list(limit) {
      const stored = await (await options.store()).listRuns({ limit })
      return stored.map((run) => {
        const open = active.get(run.id)
        return open === undefined ? run : summarizeRun(open.current())
      })
    },
    async close() {
      const open = [...active.values()]
      for (const handle of open) handle.abort('the gateway is closing')
      await Promise.all(open.map((handle) => handle.result))
    },
  }
}

function withoutFinished(run: Run, finished: readonly TaskOutcome[]): Run {
  if (finished.length === 0) return run
  const earlier = new Set(finished)
  return { ...run, tasks: run.tasks.filter((task) => !earlier.has(task)) }
}
