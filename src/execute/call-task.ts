import type { ClientSide } from '../model/client-side.js'
import type { PlannedTask } from '../model/plan.js'
import type { ErrorInfo, TaskOutcome } from '../model/run.js'
import type { CallTool } from '../model/tool-call.js'
import { callWithRetries } from './call-with-retries.js'
import { completed, failed, startedAgain } from './outcomes.js'
import { taskResult } from './task-result.js'

export interface CallTaskOptions {
  readonly callTool: CallTool
  readonly session: string
  readonly client?: ClientSide
  /** 0 for a call that must not be made twice. */
  readonly retries: number
  readonly signal: AbortSignal
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
  onRetry(again: TaskOutcome, error: ErrorInfo, inMs: number): void
}

/** Makes the call of a task that was begun, and gives how it ended. Never rejects. */
export async function callTask(
  { tool, timeoutMs, ...task }: PlannedTask,
  begun: TaskOutcome,
  options: CallTaskOptions,
): Promise<TaskOutcome> {
  const { callTool, session, client, signal, now } = options
  const startedAt = now()
  let outcome = begun
  const withMs = (ended: TaskOutcome): TaskOutcome => ({ ...ended, ms: now() - startedAt })
  const call = {
    tool,
    arguments: begun.arguments,
    session,
    signal,
    ...(client && { client }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
  try {
    const answer = await callWithRetries(() => callTool(call), {
      ...options,
      onRetry(error, inMs) {
        outcome = startedAgain(outcome)
        options.onRetry(outcome, error, inMs)
      },
    })
    return withMs(completed(outcome, taskResult(tool, answer)))
  } catch (thrown) {
    return withMs(failed(outcome, { tool, ...task }, thrown))
  }
}
