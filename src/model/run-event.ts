import type { Decision } from './decision.js'
import type { ErrorInfo, Run, RunStatus, TaskOutcome } from './run.js'
import type { RunCommand } from './run-command.js'

/** What a run tells while it goes on, in order, each told once it is stored; `run-end` is the last. */
export type RunEvent =
  | { readonly type: 'run-start'; readonly run: Run }
  | { readonly type: 'task-start'; readonly runId: string; readonly task: TaskOutcome }
  /** The call failed on its way and is made again. */
  | {
      readonly type: 'task-retry'
      readonly runId: string
      readonly task: TaskOutcome
      readonly error: ErrorInfo
      readonly inMs: number
    }
  | { readonly type: 'task-end'; readonly runId: string; readonly task: TaskOutcome }
  | { readonly type: 'decision-request'; readonly runId: string; readonly decision: Decision }
  | { readonly type: 'decision-end'; readonly runId: string; readonly decision: Decision }
  | { readonly type: 'command-accept'; readonly runId: string; readonly command: RunCommand }
  | {
      readonly type: 'command-end'
      readonly runId: string
      readonly command: RunCommand
      readonly refused?: ErrorInfo
    }
  /** Tasks that were added, or given other arguments, or are to be done again. */
  | { readonly type: 'plan-change'; readonly runId: string; readonly tasks: readonly TaskOutcome[] }
  /** Nothing goes on until somebody does something. */
  | { readonly type: 'run-pause'; readonly runId: string; readonly status: WaitingStatus }
  | { readonly type: 'run-resume'; readonly runId: string }
  /** In the place of events that this reader was too slow for. */
  | { readonly type: 'events-lost'; readonly runId: string; readonly count: number }
  | { readonly type: 'run-end'; readonly run: Run }

export type WaitingStatus = Extract<
  RunStatus,
  'paused' | 'layer_complete' | 'approval_required' | 'interrupted'
>
