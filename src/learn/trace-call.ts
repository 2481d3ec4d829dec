import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Redact } from '../model/redact.js'
import type { ToolId } from '../model/tool.js'
import type { EarlierCall, Trace } from '../model/trace.js'
import { createValueMemory } from './find-value-links.js'
import { keepValue } from './keep-value.js'

/** A tool that a client called by itself, and how that went. */
export interface EndedCall {
  /** UUIDv7, made when it was begun. */
  readonly id: string
  readonly session: string
  readonly tool: ToolId
  readonly arguments: JsonObject
  /** Makes of what the tool gave what a task of a workflow would have; asked for once, when nobody waits. */
  result?(): Json
  /** Absent: it went well. */
  readonly errorCode?: string
  readonly startedAt: number
  readonly endedAt: number
}

export interface SessionTraces {
  /** In the order in which they ended. */
  trace(call: EndedCall): Trace
  endSession(session: string): void
}

/** What is further apart was not done for one another's sake. */
const togetherMs = 10 * 60_000
const mostSessions = 500
const earlierKept = 20

interface Session {
  readonly values: ReturnType<typeof createValueMemory>
  /** The newest last. */
  readonly earlier: (Omit<EarlierCall, 'isJustBefore'> & { readonly endedAt: number })[]
}

/**
 * The trace of a call that a client made: each is a lesson by itself, so it says what it followed and which calls its values came
 * from. That is found here, in the values as they were, for which the newest calls of each session are remembered.
 */
export function createSessionTraces({ redact }: { readonly redact: Redact }): SessionTraces {
  const sessions = new Map<string, Session>()
  const sessionOf = (id: string): Session => {
    const session = sessions.get(id) ?? { values: createValueMemory(), earlier: [] }
    sessions.delete(id)
    sessions.set(id, session)
    if (sessions.size > mostSessions) sessions.delete(sessions.keys().next().value!)
    return session
  }

  return {
    trace(call) {
      const { values, earlier } = sessionOf(call.session)
      const startedAt = Math.round(call.startedAt)
      const endedAt = Math.round(call.endedAt)
      const { id, arguments: args } = call
      const result = call.errorCode === undefined ? call.result?.() : undefined
      const callValues = {
        ...{ id, arguments: args, startedAt, endedAt, explained: [] },
        ...(result !== undefined && { result }),
      }
      const known = new Set(earlier.map(({ id }) => id))
      const links = values.linksOf(callValues).filter(({ from }) => known.has(from))
      const before = earlier.findLast(
        (one) => one.endedAt <= startedAt && startedAt - one.endedAt <= togetherMs,
      )
      const named = new Set(links.map(({ from }) => from))
      const follows = earlier
        .filter((one) => one === before || named.has(one.id))
        .map(({ endedAt: _, ...one }): EarlierCall => ({ ...one, isJustBefore: one.id === before?.id }))
      const success = call.errorCode === undefined
      values.remember(callValues)
      earlier.push({ id: call.id, tool: call.tool, success, endedAt })
      if (earlier.length > earlierKept) earlier.shift()
      const kept = keepValue(args, redact)
      return {
        id: call.id,
        runId: call.session,
        tool: call.tool,
        arguments: isObject(kept) ? kept : {},
        ...(result !== undefined && { result: keepValue(result, redact) }),
        ...(call.errorCode !== undefined && { errorCode: redact(call.errorCode) }),
        success,
        startedAt,
        endedAt,
        dependsOn: [],
        links: links.map(({ from, resultPath, argumentPath }) => ({
          from,
          resultPath: redact(resultPath),
          argumentPath: redact(argumentPath),
        })),
        ...(follows.length > 0 && { follows }),
      }
    },
    endSession(session) {
      sessions.delete(session)
    },
  }
}
