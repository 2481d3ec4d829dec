import { CallAbortedError, UpstreamError } from '../../errors.js'
import { serverOf } from '../../model/server-of.js'
import type { ToolCall, ToolResult } from '../../model/tool-call.js'
import { unlessAborted } from '../../model/unless-aborted.js'
import { isInputRequired } from '../../upstream/input-rounds.js'
import type { CallEnd } from './says-rate-limited.js'
import { aheadWithinMs, type SpeculationRoomOptions } from './speculation-room.js'

export interface RunningAhead {
  /** Never rejects; as soon as it is stopped, or its time is over. */
  readonly ended: Promise<CallEnd>
  /** Never rejects; when the call itself has ended, which is later where it does not heed that it was stopped. */
  readonly settled: Promise<void>
  readonly isStopped: boolean
  stop(): void
  /** Somebody waits for it: from now on it has the time of any other call. */
  keepOn(): void
}

/** Makes the call, at once, with nobody there who could be asked anything. */
export function runAhead(
  call: Pick<ToolCall, 'tool' | 'arguments' | 'session'>,
  { callTool }: Pick<SpeculationRoomOptions, 'callTool'>,
): RunningAhead {
  const { tool, arguments: args, session } = call
  const limit = new AbortController()
  let isStopped = false
  let isOver = false
  const timer = setTimeout(() => limit.abort(tooSlow(serverOf(tool))), aheadWithinMs).unref()
  const made = (async () => callTool({ tool, arguments: args, session, signal: limit.signal }))()
  const ended = unlessAborted(made, limit.signal).then(
    (result): CallEnd => ({ result }),
    (error: unknown): CallEnd => ({ error }),
  )
  const over = (): void => {
    isOver = true
    clearTimeout(timer)
  }
  return {
    ended,
    settled: made.then(over, over),
    get isStopped() {
      return isStopped
    },
    stop() {
      if (isOver) return
      isStopped = true
      limit.abort(new CallAbortedError(tool))
    },
    keepOn: () => clearTimeout(timer),
  }
}

/** What can be given to who asks: neither an error, which the next try may not have, nor a question to a person. */
export function usefulResult(end: CallEnd): ToolResult | undefined {
  if ('error' in end || typeof end.result !== 'object' || end.result === null) return undefined
  return end.result.isError === true || isInputRequired(end.result) ? undefined : end.result
}

function tooSlow(server: string): UpstreamError {
  return new UpstreamError(
    server,
    'timeout',
    `no answer within ${aheadWithinMs} ms to a call that was run ahead.`,
    'Nobody waits for it; when it is asked for, it is made again.',
  )
}
