/**
 * Runs calls before they are asked for, and gives their results to who asks. Promises: no tool runs ahead that is not safe, whatever was
 * learned and predicted; what was read before a write on a server is never given after it; a result goes to the session it was made for, once; a real
 * call never waits for a prediction, and never fails because of one. Never decides what is likely: `predict` and `judge` are given.
 *
 *     a call ended ── predict ── guard ── run ahead ──> kept under (session, tool, arguments, epoch of the server) until its time is over
 *                                                              │
 *     a real call ──────────────────────────────────────────── taken, or joined while it is under way; else the call is made
 *     a call that may write ── the server's epoch moves: nothing of before is given any more
 */
import type { Json, JsonObject } from '../../model/json.js'
import type { Log } from '../../model/log.js'
import type { PredictedCall } from '../../model/predicted-call.js'
import type { PreparedCall, Refusal, Speculation, SpeculationConfig } from '../../model/speculation.js'
import type { ToolId } from '../../model/tool.js'
import type { CallTool, ToolResult } from '../../model/tool-call.js'

export interface SpeculationRoom {
  /** Stands in the place of the one it was given: for clients, for tasks of workflows, for code. */
  readonly callTool: CallTool
  /** Looks at what comes next in this session, and runs it ahead where that may be. Returns at once, never throws. */
  lookAhead(session: string): void
  /** These will be called if all goes on, with this probability: tasks of a plan that waits. Judged as predictions are. */
  prepare(session: string, calls: readonly KnownCall[], p: number): void
  /** What is ready, or under way, for this session. */
  prepared(session: string): readonly PreparedCall[]
  /** What this server holds may have changed: nothing of before is given any more. Absent: any of them. */
  moved(server?: string): void
  endSession(session: string): void
  /** How long results hold, by tool: what a start would otherwise have to learn again. */
  state(): JsonObject
  /** What `state` gave; what cannot be read of it is left out. */
  load(state: Json): void
  /** Ends what is under way; what was not used is wasted. */
  close(): Promise<void>
}

export interface KnownCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
}

export interface SpeculationRoomOptions {
  /** The servers'. */
  readonly callTool: CallTool
  config(): SpeculationConfig
  /** The likeliest first. */
  predict(session: string): readonly PredictedCall[]
  /** Both gates: the tool's threshold and the call's cut-off. Undefined: it may run. */
  judge(call: PredictedCall): Refusal | undefined
  /** Whether the tool is known to read only, and may be called: asked again at the very moment of the call. */
  isSafe(tool: ToolId): boolean
  /** Whatever anybody says: model/is-never-ahead.ts. A tool that is not known is. */
  isNeverAhead(tool: ToolId): boolean
  /** Whether a call may change what its server holds. In doubt it may. */
  mayWrite(call: KnownCall): boolean
  /** The server is up, and nothing is known to be wrong with it. What its calls show of that is seen here. */
  isWell(server: string): boolean
  /** Every call that somebody asked for, when it has ended, whether its result was made ahead or not. What nobody asked for is never told. */
  onCall(call: SeenCall): void
  /**
   * A row of the ledger that is new or has changed; the same id each time. Its arguments are the call's: who keeps it redacts them. One that was
   * not run may be started later, while it is open.
   */
  onEntry(entry: Speculation): void
  now(): number
  newId(): string
  readonly log: Log
}

/** A call that somebody asked for, and how it went. */
export interface SeenCall {
  readonly session: string
  readonly tool: ToolId
  readonly arguments: JsonObject
  /** Absent: it failed. */
  readonly result?: ToolResult
  readonly startedAt: number
  readonly endedAt: number
}

/** DESIGN 8. */
export const mostAtOnce = 3
export const aheadWithinMs = 5_000
