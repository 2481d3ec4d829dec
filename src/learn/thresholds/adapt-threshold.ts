import type { AdaptiveThreshold, PlanOutcome } from '../../model/adaptive-threshold.js'
import { defaultPolicy } from '../../model/policy.js'

/**
 * Where suggestions and runs start for one kind of request, after one more outcome. Looked at again at every tenth outcome, from the
 * twentieth on, over the newest 50: more than a fifth false positives raise both by .05 times their share; more than .3 false negatives lower
 * both, unless what was run or accepted went well less often than the target (DESIGN 3 and 9).
 *
 * Shares are of all outcomes in the window: of the few that were run, or the few that were below, a single one would move it every time.
 */
export function adaptThreshold(
  state: AdaptiveThreshold,
  outcome: PlanOutcome,
  at: number,
): AdaptiveThreshold {
  const window = [...state.window, outcome].slice(-windowSize)
  const outcomes = state.outcomes + 1
  const isDue = outcomes >= firstAt && outcomes % every === 0
  const move = isDue ? moveBy(ratesOf(window)) : 0
  return {
    context: state.context,
    ...holdWithin({ suggest: state.suggest + move, execute: state.execute + move }),
    window,
    outcomes,
    updatedAt: Math.max(state.updatedAt, at),
  }
}

const windowSize = 50
const every = 10
const firstAt = 20
const step = 0.05
const targetSuccess = 0.85

export interface OutcomeRates {
  readonly falsePositives: number
  readonly falseNegatives: number
  /** Of what was run or accepted; undefined where nothing was. */
  readonly success?: number
}

export function ratesOf(window: readonly PlanOutcome[]): OutcomeRates {
  const count = (wanted: PlanOutcome) => window.filter((outcome) => outcome === wanted).length
  const share = (wanted: PlanOutcome) => (window.length === 0 ? 0 : count(wanted) / window.length)
  const [worked, failed] = [count('true-positive'), count('false-positive')]
  return {
    falsePositives: share('false-positive'),
    falseNegatives: share('false-negative'),
    ...(worked + failed > 0 && { success: worked / (worked + failed) }),
  }
}

function moveBy({ falsePositives, falseNegatives, success = 1 }: OutcomeRates): number {
  if (falsePositives > 0.2) return step * falsePositives
  if (falseNegatives > 0.3 && success >= targetSuccess) return -step * falseNegatives
  return 0
}

export function startOf(context: string): AdaptiveThreshold {
  const { suggestThreshold, executeThreshold } = defaultPolicy
  return {
    context,
    suggest: suggestThreshold,
    execute: executeThreshold,
    window: [],
    outcomes: 0,
    updatedAt: 0,
  }
}

/** Each within its bounds, and a suggestion always at least .05 below a run. What is no number starts anew. */
export function holdWithin({ suggest, execute }: { readonly suggest: number; readonly execute: number }): {
  readonly suggest: number
  readonly execute: number
} {
  const high = clamp(execute, 0.85, 0.95, defaultPolicy.executeThreshold)
  const low = clamp(suggest, 0.4, 0.9, defaultPolicy.suggestThreshold)
  return { suggest: Math.min(low, high - 0.05), execute: high }
}

function clamp(value: number, low: number, high: number, otherwise: number): number {
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : otherwise
}
