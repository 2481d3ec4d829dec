import type { SimilarEpisodes } from '../../model/episode.js'
import type { Risk } from '../../model/risk.js'
import type { Threshold, ThresholdBreakdown, ThresholdMode } from '../../model/threshold.js'
import { betaMean } from './beta-moments.js'
import { episodicBoost } from './episodic-boost.js'
import { sampleBeta } from './sample-beta.js'

export interface ThresholdParts {
  readonly mode: ThresholdMode
  readonly risk: Risk
  readonly beta: ThresholdBreakdown['beta']
  /** Local alpha of the tool. */
  readonly alpha: number
  /** Of all tools, and of this one. */
  readonly totalObservations: number
  readonly toolObservations: number
  readonly episodes: SimilarEpisodes
  random(): number
}

/**
 * From which score on a hit is sure, an offer is made, a call is run ahead: the table of DESIGN 9.
 *
 *     threshold = clamp(base + success term + alpha term - episodic boost)
 *
 * Dangerous is never below .80, whatever was learned.
 */
export function thresholdOf(parts: ThresholdParts): Threshold {
  const { mode, risk, beta, episodes } = parts
  const { alphaWeight, bounds, success } = modes[mode]
  const alpha = boundedAlpha(parts.alpha)
  const { successTerm, sample } = success(parts)
  const alphaTerm = alphaWeight * (alpha - 0.75)
  const boost = episodicBoost(episodes)
  const sum = bases[risk] + successTerm + alphaTerm - boost
  const [low, high] = risk === 'dangerous' ? ([Math.max(bounds[0], 0.8), bounds[1]] as const) : bounds
  return {
    value: Math.min(high, Math.max(low, sum)),
    breakdown: {
      mode,
      risk,
      base: bases[risk],
      successTerm,
      alphaTerm,
      episodicBoost: boost,
      sum,
      bounds: [low, high],
      alpha,
      beta: { alpha: beta.alpha, beta: beta.beta, observations: beta.observations },
      ...(sample !== undefined && { sample }),
      episodes: { count: episodes.count, successRate: episodes.successRate },
    },
  }
}

const bases: Readonly<Record<Risk, number>> = { safe: 0.55, moderate: 0.7, dangerous: 0.85 }

interface Mode {
  readonly alphaWeight: number
  readonly bounds: readonly [low: number, high: number]
  success(parts: ThresholdParts): { readonly successTerm: number; readonly sample?: number }
}

const modes: Readonly<Record<ThresholdMode, Mode>> = {
  active_search: {
    alphaWeight: 0.05,
    bounds: [0.4, 0.85],
    // What was seldom tried gets a chance: the exploration of UCB1. P. Auer, N. Cesa-Bianchi, P. Fischer, 2002.
    success: ({ totalObservations, toolObservations }) => ({
      successTerm:
        -0.1 -
        0.05 *
          Math.min(
            1,
            Math.sqrt((2 * Math.log(Math.max(1, totalObservations))) / Math.max(1, toolObservations)),
          ),
    }),
  },
  passive_suggestion: {
    alphaWeight: 0.1,
    bounds: [0.5, 0.9],
    // Drawn, so that an offer little is known of is made now and then. W. R. Thompson, 1933.
    success: ({ beta, random }) => {
      const sample = sampleBeta(beta.alpha, beta.beta, random)
      return { successTerm: 0.1 * (0.75 - sample), sample }
    },
  },
  speculation: {
    alphaWeight: 0.15,
    bounds: [0.6, 0.95],
    // By the mean: nothing is run ahead to find out.
    success: ({ beta }) => ({ successTerm: 0.05 + 0.15 * (0.75 - betaMean(beta)) }),
  },
}

/** Nothing known is 1: meaning alone. */
function boundedAlpha(alpha: number): number {
  return Number.isFinite(alpha) ? Math.min(1, Math.max(0.5, alpha)) : 1
}
