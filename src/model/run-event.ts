import type { Run, TaskOutcome } from './run.js'

/** What a run tells while it goes on, in order; `run-end` is the last. */
export type RunEvent =
  | { readonly type: 'run-start'; readonly run: Run }
  | { readonly type: 'task-start'; readonly runId: string; readonly task: TaskOutcome }
  | { readonly type: 'task-end'; readonly runId: string; readonly task: TaskOutcome }
  | { readonly type: 'run-end'; readonly run: Run }
