import type { Json, JsonObject } from './json.js'
import type { ToolId } from './tool.js'

/** What a caller writes; `tool` is any form of a tool's name. */
export interface TaskRequest {
  readonly id: string
  readonly tool: string
  readonly arguments?: JsonObject
  readonly dependsOn?: readonly string[]
  readonly onError?: OnError
  readonly timeoutMs?: number
}

export type OnError = 'fail' | 'skip' | { readonly default: Json }

/** A task that can run: its tool is known, and `dependsOn` holds declared dependencies and `$from` references alike. */
export interface PlannedTask {
  readonly id: string
  readonly tool: ToolId
  readonly arguments: JsonObject
  readonly dependsOn: readonly string[]
  readonly onError: OnError
  readonly timeoutMs?: number
}

/** A DAG of tasks in a topological order. */
export interface Plan {
  readonly intent?: string
  readonly tasks: readonly PlannedTask[]
}
