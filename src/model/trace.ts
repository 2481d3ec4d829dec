import type { EdgeKey } from './edge.js'
import type { Json, JsonObject } from './json.js'
import type { ToolId } from './tool.js'

/**
 * What happened, redacted, for good: one row for a run and one for each call in it, and one for each tool that a client called by
 * itself. Everything learned can be rebuilt from these. A call's parent is the run, or the call that made it; one that a client made has
 * none, and is a lesson by itself.
 */
export interface Trace {
  /** UUIDv7: a run's trace has the run's id, a call's is made from the time the call started. */
  readonly id: string
  readonly parentId?: string
  /** Of a tool that a client called by itself: the session. */
  readonly runId: string
  /** Absent for a run as a whole, and for code that an agent sent. */
  readonly tool?: ToolId
  readonly taskId?: string
  readonly intent?: string
  /** Arguments and result are summarised above 10 KB. */
  readonly arguments?: JsonObject
  /** What the tool gave; a default that stood in for a failed call is none. */
  readonly result?: Json
  readonly errorCode?: string
  readonly success: boolean
  /** Whole milliseconds: they come back from the store as they are, and replay is exact. */
  readonly startedAt: number
  readonly endedAt: number
  /** Traces that the plan said must end before this one starts; of a run, the tasks of its plan that an earlier run had done. */
  readonly dependsOn: readonly string[]
  /** Values of earlier results that reappeared in the arguments, found before redaction. */
  readonly links: readonly ValueLink[]
  /** Of a tool that a client called by itself: the call of the session just before, and those that `links` name. */
  readonly follows?: readonly EarlierCall[]
  /** Of a run that was learned from: the edges that it made `observed`. */
  readonly promoted?: readonly EdgeKey[]
}

export interface EarlierCall {
  readonly id: string
  readonly tool: ToolId
  readonly success: boolean
  /** It had ended when this one began, a few minutes before at most, and no other came between. */
  readonly isJustBefore: boolean
}

export interface ValueLink {
  /** The trace whose result held the value; the run's own where an earlier run had given it. */
  readonly from: string
  /** Where it stood there, and where it reappeared: `items[0].id`, `repo.id`. */
  readonly resultPath: string
  readonly argumentPath: string
}
