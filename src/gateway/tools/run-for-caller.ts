import { SdkErrorCode } from '@modelcontextprotocol/server'
import type { RunHandle, StartOptions } from '../../execute/runs.js'
import type { PmlConfig } from '../../model/config.js'
import type { Plan } from '../../model/plan.js'
import type { TaskOutcome } from '../../model/run.js'
import { withinMs } from '../../model/within-ms.js'
import type { RequestStates } from '../request-states.js'
import type { GatewayRuns } from '../runs.js'
import type { Caller } from './meta-tool.js'
import type { RunDesk } from './run-desk.js'
import { eventsUntil } from './run-events.js'
import { type RunView, viewOf } from './run-view.js'

export interface RunForCallerDeps {
  config(): PmlConfig
  readonly runs: GatewayRuns
  readonly desk: RunDesk
  readonly states: RequestStates
}

export interface RunForCallerOptions {
  /** Outcomes of an earlier run: not done again. */
  readonly finished: readonly TaskOutcome[]
  readonly validateLayers: StartOptions['validateLayers'] | 'never'
}

/** Runs the plan for who asked, until it settles or `replyWithinMs` is over. Who cancels the request ends the run that it began. */
export async function runForCaller(
  plan: Plan,
  { finished, validateLayers }: RunForCallerOptions,
  caller: Caller,
  deps: RunForCallerDeps,
): Promise<RunView> {
  const line = deps.desk.lines.open(caller.client)
  const handle = deps.runs.start(plan, {
    session: caller.session,
    caller: caller.clientName,
    ...(caller.client && { client: line.client }),
    finished,
    ...(validateLayers !== undefined && validateLayers !== 'never' && { validateLayers }),
  })
  line.tie(handle)
  // A client that is gone has cancelled nothing: what it began goes on, and can be asked for by its id.
  const abort = (): void => {
    if (!isConnectionClosed(caller.signal.reason)) handle.abort('The client cancelled the request.')
  }
  if (caller.signal.aborted) abort()
  caller.signal.addEventListener('abort', abort, { once: true })
  try {
    return await followRun(handle, caller, deps)
  } finally {
    caller.signal.removeEventListener('abort', abort)
  }
}

/**
 * Waits for the run on behalf of a request: tells progress, and asks the person behind the client what the run wants to know. When
 * the request is answered or cancelled none of that goes on but a question that was asked; the run does.
 */
export async function followRun(handle: RunHandle, caller: Caller, deps: RunForCallerDeps): Promise<RunView> {
  const over = new AbortController()
  const stop = (): void => over.abort()
  const cancelled = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()))
  if (caller.signal.aborted) stop()
  caller.signal.addEventListener('abort', stop, { once: true })
  if (caller.onProgress !== undefined) tellProgress(handle, caller.onProgress, over.signal).catch(() => {})
  deps.desk.questions.follow(handle, caller.client, over.signal)
  try {
    const settled = untilSettled(handle, caller, deps, over.signal)
    await withinMs(Promise.race([settled, cancelled]), deps.config().replyWithinMs, undefined)
    return viewOf(handle)
  } finally {
    over.abort()
    caller.signal.removeEventListener('abort', stop)
  }
}

function isConnectionClosed(reason: unknown): boolean {
  return (reason as { readonly code?: unknown } | undefined)?.code === SdkErrorCode.ConnectionClosed
}

/** A run that waits for an answer which a person is being asked for goes on when they give it. */
async function untilSettled(
  handle: RunHandle,
  { client }: Caller,
  { desk }: RunForCallerDeps,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    await handle.settled()
    const asked = over.aborted ? undefined : desk.questions.ask(handle, client)
    if (asked === undefined) return
    await asked
  }
}

/** From the start of the run on: a request that follows it later is told where it stands. */
async function tellProgress(
  handle: RunHandle,
  onProgress: NonNullable<Caller['onProgress']>,
  over: AbortSignal,
): Promise<void> {
  let ended = 0
  for await (const event of eventsUntil(handle.events, over)) {
    if (event.type !== 'task-end') continue
    ended += 1
    const message = `${event.task.id} ${event.task.status}`
    onProgress({ progress: ended, total: handle.taskCount(), message })
  }
}
