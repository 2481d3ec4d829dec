/**
 * The latest messages sent to HTTP clients of 2025 revisions, so that a stream that was cut off can be taken up again where
 * it ended (Last-Event-ID). Bounded as a whole: the oldest go first, and whoever asks for those is refused.
 */
import { randomUUID } from 'node:crypto'
import type { EventStore } from '@modelcontextprotocol/server'
import { jsonLength } from '../model/json-length.js'

export interface EventStores {
  /** Each session sees its own events alone. */
  forSession(): EventStore
}

export interface EventStoreLimits {
  readonly events: number
  readonly bytes: number
}

type Message = Parameters<EventStore['storeEvent']>[1]

interface Kept {
  readonly stream: string
  readonly message: Message
  readonly bytes: number
}

export function createEventStores(limits: EventStoreLimits): EventStores {
  const kept = new Map<string, Kept>()
  let bytes = 0
  let lastId = 0

  const keep = (owner: string, streamId: string, message: Message): string => {
    const id = `${owner}-${++lastId}`
    const size = jsonLength(message, limits.bytes)
    kept.set(id, { stream: `${owner} ${streamId}`, message, bytes: size })
    bytes += size
    for (const [oldest, { bytes: freed }] of kept) {
      if (oldest === id || (kept.size <= limits.events && bytes <= limits.bytes)) break
      kept.delete(oldest)
      bytes -= freed
    }
    return id
  }
  const after = (id: string): readonly (readonly [string, Message])[] => {
    const { stream } = kept.get(id)!
    const entries = [...kept]
    const later = entries.slice(entries.findIndex(([key]) => key === id) + 1)
    return later.filter(([, one]) => one.stream === stream).map(([key, { message }]) => [key, message])
  }

  return {
    forSession() {
      const owner = randomUUID()
      const find = (id: string): string | undefined => {
        const stream = id.startsWith(`${owner}-`) ? kept.get(id)?.stream : undefined
        return stream?.slice(owner.length + 1)
      }
      return {
        storeEvent: async (streamId, message) => keep(owner, streamId, message),
        getStreamIdForEventId: async (id) => find(id),
        async replayEventsAfter(id, { send }) {
          const streamId = find(id)
          if (streamId === undefined) throw new Error('These events are not kept any more.')
          for (const [key, message] of after(id)) {
            // An event without a message only marks where a stream begins.
            if (Object.keys(message).length > 0) await send(key, message)
          }
          return streamId
        },
      }
    },
  }
}
