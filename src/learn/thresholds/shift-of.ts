import type { BetaShift } from '../../model/beta-state.js'
import { betaDecay } from './beta-decay.js'

export interface Outcome {
  readonly success: boolean
  readonly at: number
}

/** What these outcomes of one tool, oldest first, do to its state: each counts the less the more came after it. */
export function shiftOf(outcomes: readonly Outcome[]): BetaShift {
  let [decay, successes, failures, at] = [1, 0, 0, 0]
  for (const outcome of outcomes) {
    decay *= betaDecay
    successes = successes * betaDecay + (outcome.success ? 1 : 0)
    failures = failures * betaDecay + (outcome.success ? 0 : 1)
    at = Math.max(at, outcome.at)
  }
  return { decay, successes, failures, observations: outcomes.length, at }
}
