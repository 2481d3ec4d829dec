import type { JsonObject } from './json.js'
import type { ArgumentSource } from './predicted-call.js'
import type { ToolId } from './tool.js'

/** Whether likely calls are run before they are asked for. `shadow` predicts and keeps the score, and calls nothing. */
export type SpeculationMode = 'off' | 'shadow' | 'on'

/** How sure a call has to be: of those that are run, `careful` keeps 85 of 100 useful, `eager` 50. */
export type SpeculationPreset = 'careful' | 'eager'

/** Everything that the user says about running ahead. */
export interface SpeculationConfig {
  readonly mode: SpeculationMode
  readonly preset: SpeculationPreset
  /** By `server:tool`, `server:*` or `*`; the most specific one counts. It may lower the mode, never raise it. */
  readonly tools: Readonly<Record<string, SpeculationMode>>
  /** In dollars, by the same names. */
  readonly costPerCall: Readonly<Record<string, number>>
  /** A call that costs more is not run ahead. */
  readonly maxCost: number
  /** Calls run ahead and not used, in an hour: beyond it nothing is run ahead, in all and on one server. */
  readonly wastePerHour: number
  readonly wastePerServerPerHour: number
}

/** One prediction and what became of it: a row of the ledger. */
export interface Speculation {
  /** UUIDv7. */
  readonly id: string
  readonly session: string
  readonly tool: ToolId
  /** Redacted. */
  readonly arguments: JsonObject
  readonly p: number
  readonly toolP: number
  /** What the prediction stands or falls with. */
  readonly source: ArgumentSource
  readonly predictedAt: number
  readonly decision: SpeculationDecision
  /** What was refused: why. */
  readonly refusal?: Refusal
  /** In dollars; of what was started. */
  readonly cost: number
  /** How long the call took that was run ahead. */
  readonly tookMs?: number
  /** Absent: nothing has come of it yet. */
  readonly outcome?: SpeculationOutcome
  readonly outcomeAt?: number
  /** By the clock: what the real call would have waited more. */
  readonly savedMs?: number
}

export type SpeculationDecision = 'started' | 'shadow' | 'refused'

export type SpeculationOutcome =
  /** Its result was there when it was asked for. */
  | 'hit'
  /** It was under way when it was asked for. */
  | 'joined'
  /** It was run and not used. */
  | 'wasted'
  /** It was not run, and asked for within the next three calls. */
  | 'right'
  /** It was not run, and not asked for. */
  | 'wrong'

/** Why a likely call was not run ahead; the first that holds. */
export type Refusal =
  /** Speculation is off for this tool. */
  | 'off'
  /** The tool is not known to read only. */
  | 'not safe'
  /** Its name or its server says that it acts, whoever says otherwise. */
  | 'never ahead'
  /** The tool's threshold, section 9 of the design. */
  | 'below threshold'
  /** The call's cut-off, which holds the preset. */
  | 'below cut-off'
  /** It was run ahead in this session, and nobody asked for it while it held. */
  | 'unused before'
  | 'server not well'
  | 'rate limited'
  /** A call that may write is under way on that server. */
  | 'write under way'
  | 'too many at once'
  | 'cost'
  | 'waste budget'

/** What is ready to be taken. */
export interface PreparedCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
  /** False: it is under way. */
  readonly isReady: boolean
}

/** Of the ledger: one tool, or all of them. */
export interface SpeculationFigures {
  readonly predicted: number
  readonly started: number
  readonly hits: number
  readonly joined: number
  readonly wasted: number
  readonly refused: number
  /** Not run, and asked for: what a lower threshold would have saved. */
  readonly right: number
  readonly wrong: number
  readonly savedMs: number
  /** In dollars. */
  readonly cost: number
}
