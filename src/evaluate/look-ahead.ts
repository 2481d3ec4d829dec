import { callKey } from '../plan/predict/arguments/session-calls.js'
import type { CallSession, CallSet } from './read-calls.js'
import type { Look } from './simulate-ahead.js'
import { type Foreteller, walkCalls } from './walk-calls.js'

/** All that a predictor rates. */
const mostPredicted = 20

/** What is predicted before each call of these sessions. */
export function lookAhead(
  sessions: readonly CallSession[],
  foreteller: Foreteller,
  isRead: CallSet['isRead'],
  onTime: (ms: number) => void = () => {},
): readonly (readonly Look[])[] {
  return walkCalls(sessions, foreteller, {
    isRead,
    ask(moment) {
      const from = performance.now()
      const predicted = foreteller.predictor.predict(moment.session, mostPredicted)
      onTime(performance.now() - from)
      return {
        moment,
        predicted: predicted.map((call) => ({ ...call, key: callKey(call.tool, call.arguments) })),
      }
    },
  })
}
