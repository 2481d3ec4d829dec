import { randomUUID } from 'node:crypto'
import {
  isInitializeRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { newId } from '../model/new-id.js'
import { createEventStores } from './event-store.js'

/**
 * The sessions of 2025 revisions over HTTP. A session lives in this process alone: one that is unknown, expired or evicted
 * answers 404, on which clients start a new one. Their number is bounded; idle ones go first.
 */
export interface LegacySessions {
  /** Undefined when the request names no session that is open here and opens none. */
  find(sessionId: string | undefined, body: unknown): Promise<LegacySession | undefined>
  close(): Promise<void>
}

export interface LegacySession {
  /** Resolves when the answer, which may be a stream that stays open for hours, has been sent. */
  serve(request: Request, body: unknown, send: (answer: Response) => Promise<void>): Promise<void>
}

export interface LegacySessionsOptions {
  connect(transport: WebStandardStreamableHTTPServerTransport, session: string): Promise<Server>
  endSession(session: string): void
  readonly maxSessions: number
  readonly idleMs: number
}

interface Open extends LegacySession {
  /** Requests and streams under way: a session with a quiet stream is not idle. */
  busy: number
  lastUsed: number
  close(): Promise<void>
}

/** For all sessions together: what a client may have missed when its connection broke. */
const keptEvents = { events: 10_000, bytes: 32 * 1024 * 1024 }
/** When a client comes back to a stream that ended. */
const retryMs = 500

export function createLegacySessions(options: LegacySessionsOptions): LegacySessions {
  const open = new Map<string, Open>()
  const events = createEventStores(keptEvents)
  const sweep = setInterval(
    () => {
      const oldest = Date.now() - options.idleMs
      for (const session of open.values())
        if (session.busy === 0 && session.lastUsed < oldest) void session.close()
    },
    Math.min(options.idleMs, 60_000),
  )
  sweep.unref()

  const evict = (): void => {
    if (open.size < options.maxSessions) return
    const all = [...open.values()].sort((a, b) => a.busy - b.busy || a.lastUsed - b.lastUsed)
    void all[0]?.close()
  }

  const start = async (): Promise<Open> => {
    evict()
    const session = newId()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, one),
      eventStore: events.forSession(),
      retryInterval: retryMs,
    })
    const server = await options.connect(transport, session)
    let closed = false
    const one: Open = {
      busy: 0,
      lastUsed: Date.now(),
      async serve(request, body, send) {
        one.busy += 1
        try {
          await send(await transport.handleRequest(request, body === undefined ? {} : { parsedBody: body }))
        } finally {
          one.busy -= 1
          one.lastUsed = Date.now()
          if (transport.sessionId === undefined) void one.close()
        }
      },
      async close() {
        if (closed) return
        closed = true
        if (transport.sessionId !== undefined) open.delete(transport.sessionId)
        options.endSession(session)
        await server.close()
      },
    }
    const previous = transport.onclose
    transport.onclose = () => {
      previous?.()
      void one.close()
    }
    return one
  }

  return {
    async find(sessionId, body) {
      const known = sessionId === undefined ? undefined : open.get(sessionId)
      if (known !== undefined) return known
      return isInitializeRequest(body) ? start() : undefined
    },
    async close() {
      clearInterval(sweep)
      await Promise.all([...open.values()].map((session) => session.close()))
    },
  }
}
