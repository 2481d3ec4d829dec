import type { Json, JsonObject } from './json.js'
import type { ToolId } from './tool.js'

export type RunStatus = 'running' | 'complete' | 'partial_failure' | 'failed' | 'aborted' | 'interrupted'
export type TaskStatus = 'pending' | 'running' | 'complete' | 'failed' | 'skipped' | 'aborted' | 'interrupted'

/** The wire shape of every error we return. */
export interface ErrorInfo {
  readonly code: string
  readonly message: string
  readonly hint: string
}

/** A failing task is a result: the shape of a success plus `error`. */
export interface TaskOutcome {
  readonly id: string
  /** Of one place of a task that is done for each: that task's id; its own is `id[place]`. */
  readonly parent?: string
  readonly tool: ToolId
  readonly arguments: JsonObject
  readonly status: TaskStatus
  /** Structured content where the tool gave it, parsed JSON text where it is that, else the text; the default where `onError` gave one. */
  readonly result?: Json
  readonly error?: ErrorInfo
  readonly startedAt?: number
  readonly ms?: number
}

export interface Run {
  /** UUIDv7, minted when the run is born. */
  readonly id: string
  readonly intent?: string
  readonly status: RunStatus
  readonly tasks: readonly TaskOutcome[]
  readonly startedAt: number
  readonly endedAt?: number
}

/** A run in a list: without what its tools were given and gave. */
export type RunSummary = Omit<Run, 'tasks'> & {
  /** Elements of a task done for each are not counted. */
  readonly tasks: number
}

export function summarizeRun(run: Run): RunSummary {
  return { ...run, tasks: run.tasks.filter(({ parent }) => parent === undefined).length }
}
