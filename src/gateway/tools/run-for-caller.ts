import type { PmlConfig } from '../../model/config.js'
import type { Plan } from '../../model/plan.js'
import type { Run, TaskOutcome } from '../../model/run.js'
import { withinMs } from '../../model/within-ms.js'
import type { GatewayRuns } from '../runs.js'
import type { Caller } from './meta-tool.js'

export interface RunForCallerDeps {
  config(): PmlConfig
  readonly runs: GatewayRuns
}

export interface CallersRun {
  /** At its end, or under way after `replyWithinMs`. */
  readonly run: Run
  readonly isStored: boolean
}

/** Runs the plan for who asked: tells progress, and a cancelled request aborts the run. `finished` is not done again. */
export async function runForCaller(
  plan: Plan,
  finished: readonly TaskOutcome[],
  caller: Caller,
  deps: RunForCallerDeps,
): Promise<CallersRun> {
  const { replyWithinMs } = deps.config()
  // A task's question is answered within the run: `input_required` would be the answer to another request.
  const client = caller.client && { ...caller.client, takesInputRequired: false }
  const handle = deps.runs.start(plan, caller.session, client, finished)
  const abort = (): void => handle.abort('The client cancelled the request.')
  if (caller.signal.aborted) abort()
  caller.signal.addEventListener('abort', abort, { once: true })
  const over = new AbortController()
  if (caller.onProgress !== undefined) tellProgress(handle, caller.onProgress, over.signal).catch(() => {})
  try {
    const run = (await withinMs(handle.result, replyWithinMs, undefined)) ?? handle.current()
    return { run, isStored: handle.isStored() }
  } finally {
    over.abort()
    caller.signal.removeEventListener('abort', abort)
  }
}

async function tellProgress(
  handle: ReturnType<GatewayRuns['start']>,
  onProgress: NonNullable<Caller['onProgress']>,
  over: AbortSignal,
): Promise<void> {
  let ended = 0
  for await (const event of handle.events) {
    if (over.aborted) return
    if (event.type !== 'task-end') continue
    ended += 1
    const message = `${event.task.id} ${event.task.status}`
    onProgress({ progress: ended, total: handle.taskCount(), message })
  }
}
