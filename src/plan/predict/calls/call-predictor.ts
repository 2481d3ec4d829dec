/**
 * Which calls come next in a session, arguments and all. Promises: an answer within milliseconds; bounded memory; the same calls give the same
 * answers. Values of calls and results stay in memory, with their session: what is kept are ways to find them (`dataflow_template`) and weights.
 * Never calls a tool, never touches the store.
 *
 *     tools by likelihood (next-tools) ─┐
 *     ways that arguments were filled ──┴─ proposed calls ── share among those of their tool ── p of being made within three calls
 */
import type { DataflowTemplate } from '../../../model/dataflow-template.js'
import type { Json, JsonObject } from '../../../model/json.js'
import type { PredictedCall } from '../../../model/predicted-call.js'
import type { ToolId } from '../../../model/tool.js'
import type { Sample } from '../create-ranker.js'
import type { PredictedTool } from '../next-tools.js'
import type { RatedCall } from './rate-call.js'

export interface CallPredictor {
  /** What was asked for in this session, before its next call. */
  hear(session: string, request: string): void
  /** A call has ended: everything learns from it. */
  observe(call: SessionCall): void
  /** The same, and weights are left as they are: templates alone are counted. */
  count(call: SessionCall): void
  /** The session goes on, and nothing is learned. */
  follow(call: SessionCall): void
  /** The likeliest to be the very next first. */
  predict(session: string, limit: number): readonly PredictedCall[]
  endSession(session: string): void
  /** Weights and what came of predictions; no values. */
  state(): Json
  /** Replaces them. What is no state of this kind changes nothing. */
  load(state: Json): void
  loadTemplates(templates: readonly DataflowTemplate[]): void
  /** Since it was asked last. */
  changedTemplates(): TemplateChanges
  /** For who measures: what weights are fitted to, and fitting them. */
  readonly fitting: CallFitting
}

export interface TemplateChanges {
  readonly changed: readonly DataflowTemplate[]
  readonly removed: readonly DataflowTemplate[]
}

export interface SessionCall {
  readonly session: string
  readonly tool: ToolId
  readonly arguments: JsonObject
  /** Absent where it failed. */
  readonly result?: Json
  readonly at: number
}

export interface CallFitting {
  /** How this call stands among those proposed for its tool, before it is made; undefined where none is. */
  argumentSample(call: SessionCall): Sample | undefined
  fitArguments(samples: readonly Sample[]): void
  rated(session: string): readonly RatedCall[]
  fitRating(outcomes: readonly RatedOutcome[]): void
  /** Takes the weights of another one, and nothing else. */
  takeWeights(other: CallFitting): void
  readonly weights: CallWeights
}

export interface RatedOutcome {
  readonly call: RatedCall
  /** Whether it was made within the next three calls. */
  readonly used: boolean
}

/** By name. */
export interface CallWeights {
  readonly arguments: Readonly<Record<string, number>>
  readonly base: Readonly<Record<string, number>>
  readonly ledger: Readonly<Record<string, number>>
}

export interface CallPredictorOptions {
  /** The likeliest tools of this session that may be run ahead. */
  nextTools(session: string): readonly PredictedTool[]
  /** What weights are before anything was learned. */
  readonly prior: CallWeights
  redact(text: string): string
}

/** DESIGN 8: of being called within the next three calls. */
export const usedWithin = 3
