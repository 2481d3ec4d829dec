import { callKey } from '../plan/predict/arguments/session-calls.js'
import { type CallPredictor, type SessionCall, usedWithin } from '../plan/predict/calls/call-predictor.js'
import { plainPriors } from '../plan/predict/calls/call-priors.js'
import { createCallPredictor } from '../plan/predict/calls/create-call-predictor.js'
import type { NextTools } from '../plan/predict/next-tools.js'
import { endOfPast, learnNext } from './learn-next.js'
import type { CallSession, CallSet, SetCall } from './read-calls.js'

/** What is foretold by, having learned from some sessions. */
export interface Foreteller {
  readonly next: NextTools
  readonly predictor: CallPredictor
}

/** A moment before a call. */
export interface Moment {
  readonly session: string
  /** The call that came, and its place in the session. */
  readonly call: SetCall
  readonly at: number
  readonly key: string
  readonly isRead: boolean
  /** It is the first of its turn: the moment at which somebody thinks, and calls can be run ahead. */
  readonly startsTurn: boolean
  /** Whether this call, or one of the two after it, is exactly so. */
  isNear(key: string): boolean
}

/** Further down, nearly none is ever made. */
const mostTools = 8

/** Counts what these sessions did. Weights of calls are those of nobody: nothing that was fitted on any set is in them. */
export function learnCalls(
  sessions: readonly CallSession[],
  { isRead }: Pick<CallSet, 'isRead'>,
): Foreteller {
  const next = learnNext(
    sessions.map(({ id, query, calls }) => ({ id, query, tools: calls.map(({ tool }) => tool) })),
  )
  const predictor = createCallPredictor({
    nextTools: (session) => next.predict(session, { limit: mostTools, among: isRead }),
    prior: plainPriors,
    redact: (text) => text,
  })
  for (const { id, query, calls } of sessions) {
    if (query !== undefined) predictor.hear(id, query)
    for (const call of calls) predictor.count(toSessionCall(id, call))
    predictor.endSession(id)
  }
  return { next, predictor }
}

/** Goes through sessions that teach nothing, and asks something before each call. */
export function walkCalls<Answer>(
  sessions: readonly CallSession[],
  { next, predictor }: Foreteller,
  { isRead, ask }: { isRead: CallSet['isRead']; ask(moment: Moment): Answer },
): readonly (readonly Answer[])[] {
  return sessions.map(({ id, query, calls }) => {
    if (query !== undefined) {
      next.hear(id, query)
      predictor.hear(id, query)
    }
    const keys = calls.map(({ tool, arguments: args }) => callKey(tool, args))
    const answers = calls.map((call, at) => {
      const near = new Set(keys.slice(at, at + usedWithin))
      const answer = ask({
        ...{ session: id, call, at, key: keys[at]!, isRead: isRead(call.tool) },
        startsTurn: calls[at - 1]?.turn !== call.turn,
        isNear: (key) => near.has(key),
      })
      predictor.follow(toSessionCall(id, call))
      next.follow({ session: id, tool: call.tool, success: true, at: endOfPast })
      return answer
    })
    predictor.endSession(id)
    next.endSession(id)
    return answers
  })
}

export function toSessionCall(session: string, { tool, arguments: args, result }: SetCall): SessionCall {
  return { session, tool, arguments: args, ...(result !== undefined && { result }), at: endOfPast }
}
