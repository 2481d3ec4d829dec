import { toErrorInfo, UpstreamError } from '../errors.js'
import type { ErrorInfo } from '../model/run.js'
import type { ToolResult } from '../model/tool-call.js'
import { unlessAborted } from '../model/unless-aborted.js'

export interface RetryOptions {
  /** 0 for a call that must not be made twice. */
  readonly retries: number
  readonly signal: AbortSignal
  sleep(ms: number, signal: AbortSignal): Promise<void>
  onRetry(error: ErrorInfo, inMs: number): void
}

/** A server that ended is started again within a second or two; longer than that in all nobody should wait unasked. */
const firstDelayMs = 250

/**
 * A call, and once more where it was lost on its way: its server was away or ended. What a tool answers is an answer, also an error,
 * and what took too long would take as long again.
 */
export async function callWithRetries(
  call: () => Promise<ToolResult>,
  { retries, signal, sleep, onRetry }: RetryOptions,
): Promise<ToolResult> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await unlessAborted(Promise.resolve(call()), signal)
    } catch (error) {
      if (attempt >= retries || signal.aborted || !wasLost(error)) throw error
      const inMs = firstDelayMs * 2 ** attempt
      onRetry(toErrorInfo(error), inMs)
      await sleep(inMs, signal)
    }
  }
}

function wasLost(error: unknown): boolean {
  return error instanceof UpstreamError && (error.kind === 'offline' || error.kind === 'exit')
}
