import type { Json, JsonObject } from './json.js'
import type { ToolId } from './tool.js'

/** What runs that went well say about how tools are used. Made from traces, so it holds redacted values alone. */
export interface Experience {
  /** How the arguments of a tool were filled, most frequent first. */
  habits(tool: ToolId): readonly ArgumentHabit[]
  /** Runs with an intent that says the same, the most similar first and the newest of equals. */
  runsLike(intent: string): readonly SimilarRun[]
  /** Runs in which at least two of these tools took part, the newest first. */
  runsAmong(tools: readonly ToolId[]): readonly PastRun[]
  /** Of the tasks of past runs beyond the first of each, how many needed another one's result or end. */
  steps(): { readonly total: number; readonly linked: number }
  /** What its results looked like, as a JSON Schema; undefined where none was seen. */
  outputSchema(tool: ToolId): JsonObject | undefined
}

export interface ArgumentHabit {
  /** Where it stands in the arguments, places in lists as `[]`: `entities[].entityType`. */
  readonly argument: string
  readonly how:
    | { readonly kind: 'constant'; readonly value: Json }
    /** From the result of this tool, at this path; places in lists as `[*]`. */
    | { readonly kind: 'wired'; readonly from: ToolId; readonly path: string }
    /** It stood in the intent. */
    | { readonly kind: 'intent' }
  readonly count: number
  /** How often the argument was filled at all. */
  readonly of: number
}

export interface SimilarRun {
  readonly run: PastRun
  /** 1: the same words. */
  readonly similarity: number
}

export interface PastRun {
  readonly id: string
  readonly intent: string
  readonly endedAt: number
  /** As they were planned: references instead of the values that came. */
  readonly tasks: readonly PastTask[]
  /** A value in it came from a result in a way that is not known, or was too large to be kept whole: it is not to be used again. */
  readonly isStale?: boolean
}

export interface PastTask {
  readonly id: string
  readonly tool: ToolId
  /** References where the plan had them, else the values. */
  readonly arguments: JsonObject
  readonly dependsOn: readonly string[]
}

export const noExperience: Experience = {
  habits: () => [],
  runsLike: () => [],
  runsAmong: () => [],
  steps: () => ({ total: 0, linked: 0 }),
  outputSchema: () => undefined,
}
