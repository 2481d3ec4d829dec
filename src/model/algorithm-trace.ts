import type { JsonObject } from './json.js'
import type { ThresholdMode } from './threshold.js'
import type { ToolId } from './tool.js'

/** One scoring decision: what was weighed, how, against what, and what came of it. Redacted. */
export interface AlgorithmTrace {
  /** UUIDv7. */
  readonly id: string
  readonly at: number
  /** What was decided: which tools were found, which plan was made of an intent, what may come next. */
  readonly kind: 'search' | 'plan' | 'next'
  readonly mode: ThresholdMode
  readonly session?: string
  /** The run that came of it, or in which it was decided. */
  readonly runId?: string
  readonly intent?: string
  /** What was scored; absent where it was a whole plan. */
  readonly tool?: ToolId
  /** `read`, `write` or `mixed`, see workflowTypeOf. */
  readonly workflowType?: string
  /** Of the tool, when it was scored. */
  readonly alpha?: number
  /** What went into the score. */
  readonly signals: JsonObject
  /** With which weights and bounds, and the threshold's breakdown. */
  readonly parameters: JsonObject
  readonly score: number
  readonly threshold?: number
  /** `sure`, `unsure`; `run`, `check`, `suggestion`, `explicit_required`; `offered`, `held back`. */
  readonly decision: string
  readonly outcome?: AlgorithmOutcome
}

export interface AlgorithmOutcome {
  readonly what: 'selected' | 'ignored' | 'rejected'
  /** Of what was selected: whether it worked. */
  readonly success?: boolean
  readonly durationMs?: number
  readonly at: number
}
