/** Calls that were run ahead in a session and that nobody asked for: bounded, the oldest are forgotten first. */
export interface UnusedCalls {
  has(session: string, key: string): boolean
  note(session: string, key: string): void
  /** Somebody has asked for it after all. */
  forget(session: string, key: string): void
  endSession(session: string): void
}

const mostOfSession = 200
const mostSessions = 1_000

export function createUnusedCalls(): UnusedCalls {
  const sessions = new Map<string, Set<string>>()
  return {
    has: (session, key) => sessions.get(session)?.has(key) ?? false,
    note(session, key) {
      const keys = sessions.get(session) ?? new Set<string>()
      sessions.delete(session)
      sessions.set(session, keys.add(key))
      if (keys.size > mostOfSession) keys.delete(keys.values().next().value!)
      if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!)
    },
    forget: (session, key) => void sessions.get(session)?.delete(key),
    endSession: (session) => void sessions.delete(session),
  }
}
