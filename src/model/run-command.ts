import type { DecisionAnswer } from './decision.js'
import type { JsonObject } from './json.js'
import type { PlannedTask } from './plan.js'

/** What a run can be told while it is under way, as the client says it. */
export type RunCommand =
  /** Nothing new is started; what is under way ends. */
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** On to the next layer; `through`: to the end, without stopping again. */
  | { readonly type: 'continue'; readonly through?: boolean }
  | { readonly type: 'abort'; readonly reason: string }
  /** Tasks for a further requirement; what is done stays done. */
  | { readonly type: 'replan'; readonly requirement: string; readonly tasks: readonly PlannedTask[] }
  | { readonly type: 'inject'; readonly tasks: readonly PlannedTask[] }
  | { readonly type: 'skip'; readonly task: string; readonly reason?: string }
  /** A task that failed, was skipped or cut off is done again, and what it kept from running. */
  | { readonly type: 'retry'; readonly task: string }
  /** Other arguments for a task that is not under way and has not ended well. */
  | { readonly type: 'modify'; readonly task: string; readonly arguments: JsonObject }
  | { readonly type: 'decide'; readonly decision: string; readonly answer: DecisionAnswer }

/** Accepted and not yet carried out: part of the checkpoint. */
export interface PendingCommand {
  /** UUIDv7. */
  readonly id: string
  readonly command: RunCommand
}
