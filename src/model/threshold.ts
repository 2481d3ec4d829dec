import type { Risk } from './risk.js'

/** What is decided: which hits are sure, what is offered unasked, what is run ahead. */
export type ThresholdMode = 'active_search' | 'passive_suggestion' | 'speculation'

/** A threshold with all that made it: `value` is the sum of the parts from `base` on, held within the bounds. */
export interface Threshold {
  readonly value: number
  readonly breakdown: ThresholdBreakdown
}

export interface ThresholdBreakdown {
  readonly mode: ThresholdMode
  readonly risk: Risk
  readonly base: number
  /** By how calls went so far: of the Beta state, or of how seldom it was tried. */
  readonly successTerm: number
  readonly alphaTerm: number
  /** Subtracted. */
  readonly episodicBoost: number
  /** The sum, before the bounds. */
  readonly sum: number
  readonly bounds: readonly [low: number, high: number]
  /** What the terms were made of. */
  readonly alpha: number
  readonly beta: { readonly alpha: number; readonly beta: number; readonly observations: number }
  /** Passive suggestions draw one. */
  readonly sample?: number
  readonly episodes: { readonly count: number; readonly successRate: number }
}
