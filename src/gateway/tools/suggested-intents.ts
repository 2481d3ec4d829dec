import { createHash } from 'node:crypto'
import { type BoundedSet, createBoundedSet } from './bounded-set.js'

/** For which intents a client has seen the plan, so that it may confirm it. A memory of this process alone: forgotten, it is shown again. */
export interface SuggestedIntents {
  note(session: string, intent: string): void
  has(session: string, intent: string): boolean
}

/** An agent confirms what it was shown last, or a little before. */
const mostPerSession = 50
const mostSessions = 1_000

export function createSuggestedIntents(): SuggestedIntents {
  const sessions = new Map<string, BoundedSet>()
  return {
    note(session, intent) {
      const seen = sessions.get(session) ?? createBoundedSet(mostPerSession)
      sessions.delete(session)
      sessions.set(session, seen)
      if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!)
      seen.add(keyOf(intent))
    },
    has: (session, intent) => sessions.get(session)?.has(keyOf(intent)) ?? false,
  }
}

/** An intent may be long, and an agent that sends it again may break its lines elsewhere. */
function keyOf(intent: string): string {
  const plain = intent.trim().replace(/\s+/g, ' ').toLowerCase()
  return createHash('sha256').update(plain).digest('base64')
}
