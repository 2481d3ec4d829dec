import type { JsonObject } from './json.js'
import type { ToolId } from './tool.js'

/** A call that is likely to be made, arguments and all. */
export interface PredictedCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
  /** Of being the very next call, exactly so. */
  readonly next: number
  /** Of being made, exactly so, within the next three calls of the session. */
  readonly p: number
  /** The same of its tool, with whatever arguments. */
  readonly toolP: number
  /** Where each of its arguments comes from. */
  readonly sources: Readonly<Record<string, ArgumentSource>>
  /** The source that is believed least: what the prediction stands or falls with. */
  readonly weakest: ArgumentSource
}

/** What a predicted argument is taken from. */
export type ArgumentSource =
  /** A value that it often had. */
  | 'constant'
  /** As in the last call of the tool. */
  | 'same'
  /** The last one and a step: pages, days. */
  | 'step'
  /** An argument of an earlier call. */
  | 'argument'
  /** A leaf of an earlier result. */
  | 'result'
  /** Several fields of one row of a result. */
  | 'row'
  /** A word of what was asked for, by its shape. */
  | 'request'
  /** A directory and an entry of it. */
  | 'join'
  /** No argument at all. */
  | 'none'
  /** A task of a plan. */
  | 'plan'
