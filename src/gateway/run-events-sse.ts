import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Redact } from '../model/redact.js'
import type { RunEvent } from '../model/run-event.js'
import { drained } from './http-reply.js'
import { redactEvent } from './redact-event.js'

/** Proxies give up on a connection that is silent for half a minute or a minute. */
export const heartbeatMs = 15_000

export interface SendEventsOptions {
  readonly redact: Redact
  readonly heartbeatMs: number
  /** The stream begins with the first event, so a reader that comes back is given what follows the last one it saw. */
  readonly isReplayed: boolean
}

/**
 * Events of runs as server-sent events: `event` is the type, `data` the event without secrets, `id` its number. They are read
 * no faster than the client takes them: for who is too slow the stream itself says how many were lost. Resolves when the stream
 * or the client has ended.
 */
export async function sendRunEvents(
  request: IncomingMessage,
  response: ServerResponse,
  events: AsyncIterable<RunEvent>,
  options: SendEventsOptions,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  response.flushHeaders()
  if (request.method === 'HEAD') return void response.end()
  const gone = new Promise<undefined>((resolve) => response.once('close', () => resolve(undefined)))
  // A comment, so that who is there learns of it when we are not any more.
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(':\n\n')
  }, options.heartbeatMs)
  const seen = options.isReplayed ? lastSeen(request) : 0
  const reader = events[Symbol.asyncIterator]()
  try {
    for (let number = 1; ; number++) {
      // Not for-await: a reader that waits for its next event cannot be stopped.
      const next = await Promise.race([reader.next(), gone])
      if (next === undefined || next.done === true) return
      const event = next.value
      if (event.type === 'events-lost') number += event.count - 1
      if (number <= seen) continue
      if (!response.write(formatEvent(number, redactEvent(event, options.redact)))) await drained(response)
      if (response.destroyed) return
    }
  } finally {
    clearInterval(heartbeat)
    void reader.return?.().catch(() => {})
    response.end()
  }
}

/** JSON has no line breaks of its own, so one `data` line holds it. */
function formatEvent(number: number, event: RunEvent): string {
  return `id: ${number}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function lastSeen(request: IncomingMessage): number {
  const number = Number(request.headers['last-event-id'] ?? 0)
  return Number.isSafeInteger(number) && number > 0 ? number : 0
}
