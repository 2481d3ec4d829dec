/**
 * The thresholds of every decision, from memory. Promises: an answer is there at once, with all that made it; dangerous is never below
 * .80 in any mode, and nothing but a safe tool is run ahead. Never touches the store: what changes is given back, for the caller to keep.
 */
import type { AdaptiveThreshold, PlanOutcome } from '../../model/adaptive-threshold.js'
import type { Situation } from '../../model/episode.js'
import type { Policy } from '../../model/policy.js'
import type { Risk } from '../../model/risk.js'
import type { Threshold, ThresholdMode } from '../../model/threshold.js'
import { adaptThreshold, holdWithin, ratesOf, startOf } from './adapt-threshold.js'
import { betaMean } from './beta-moments.js'
import type { EpisodeIndex } from './create-episode-index.js'
import type { SpeculationGate } from './create-speculation-gate.js'
import { kindOf, type Thompson } from './create-thompson.js'
import { thresholdOf } from './threshold-of.js'

export interface Thresholds {
  of(decision: Situation & { readonly mode: ThresholdMode; readonly risk: Risk }): Threshold
  /** Whether a predicted call is sure enough to be run ahead. */
  speculate(prediction: Situation & { readonly risk: Risk; readonly score: number }): Speculated
  /** How a prediction went, run ahead or not: what its score meant. */
  predictionEnded(prediction: Speculated, success: boolean): void
  /** Where suggestions and runs start for this kind of request: contextOf. */
  policy(context: string): Policy
  /** One more plan of this kind came to an end; gives what is to be stored. */
  planEnded(context: string, outcome: PlanOutcome): AdaptiveThreshold
  /** Takes the place of all contexts. */
  load(adaptive: readonly AdaptiveThreshold[]): void
}

/** A prediction, judged: the tool's threshold and the cut-off that holds what fails, both on the probability that the score stands for. */
export interface Speculated {
  readonly run: boolean
  readonly score: number
  readonly probability: number
  readonly cutoff: number
  readonly threshold: Threshold
}

export interface ThresholdsOptions {
  readonly thompson: Thompson
  readonly episodes: EpisodeIndex
  readonly gate: SpeculationGate
  /** Seeded, so that decisions can be replayed. */
  random(): number
  now(): number
}

export function createThresholds({ thompson, episodes, gate, random, now }: ThresholdsOptions): Thresholds {
  let contexts = new Map<string, AdaptiveThreshold>()
  const contextState = (context: string) => contexts.get(context) ?? startOf(context)

  const of: Thresholds['of'] = ({ mode, tool, risk, alpha, workflowType }) => {
    const beta = thompson.of(tool)
    return thresholdOf({
      mode,
      risk,
      beta,
      alpha,
      totalObservations: thompson.total(kindOf(tool)),
      toolObservations: beta.observations,
      episodes: episodes.similar({ tool, alpha, workflowType }),
      random,
    })
  }

  return {
    of,
    speculate({ score, ...situation }) {
      const threshold = of({ ...situation, mode: 'speculation' })
      const mean = betaMean(threshold.breakdown.beta)
      const probability = gate.probability({ score, betaMean: mean })
      const cutoff = gate.cutoff()
      const run = situation.risk === 'safe' && probability >= Math.max(threshold.value, cutoff)
      return { run, score, probability, cutoff, threshold }
    },
    predictionEnded({ score, threshold }, success) {
      gate.take({ score, betaMean: betaMean(threshold.breakdown.beta) }, success)
    },
    policy(context) {
      const { suggest, execute, window, outcomes } = contextState(context)
      return {
        suggestThreshold: suggest,
        executeThreshold: execute,
        breakdown: { context, outcomes, seen: window.length, ...ratesOf(window) },
      }
    },
    planEnded(context, outcome) {
      const state = adaptThreshold(contextState(context), outcome, now())
      contexts.set(context, state)
      return state
    },
    load(adaptive) {
      contexts = new Map(adaptive.map((state) => [state.context, { ...state, ...holdWithin(state) }]))
    },
  }
}
