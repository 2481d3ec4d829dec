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
  /** A person is asked before it is called, whatever its risk. */
  readonly requireApproval?: boolean
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
  readonly requireApproval?: boolean
  /**
   * References, as written, that are taken element by element: one call for each place of their lists, which go side by side.
   * Its result is the list of their results. Absent: one call.
   */
  readonly each?: readonly string[]
  /** Of a task that is done for each: one call after the other. Its tool may write, and many a server loses what is written at the same time. */
  readonly inTurn?: boolean
  /** Of `execute_code`: what is run. A capability's is found by its name. */
  readonly program?: TaskProgram
}

/** Code as it was written: the body of an async function, in TypeScript. */
export interface TaskProgram {
  readonly code: string
}

/** A DAG of tasks in a topological order. */
export interface Plan {
  readonly intent?: string
  readonly tasks: readonly PlannedTask[]
}

/** A plan made from an intent, with where everything in it comes from. Plain data: it is answered, drawn and kept as it is. */
export interface IntentPlan {
  readonly intent: string
  readonly plan: Plan
  /** Task ids that may run at the same time, first to last. */
  readonly layers: readonly (readonly string[])[]
  readonly tools: readonly ToolChoice[]
  readonly edges: readonly PlanEdge[]
  /** Dependencies that were likely too, but would have closed a circle; the weakest of each. */
  readonly dropped: readonly PlanEdge[]
  readonly arguments: readonly ArgumentOrigin[]
  readonly missing: readonly MissingArgument[]
  /** How probable it is that this is what was meant, in [0, 1]. */
  readonly confidence: number
  /** Parts of the intent that no tool serves. */
  readonly unserved: readonly string[]
  /** What a reader should know: alternatives that were offered, what was cut, what contradicts itself. */
  readonly notes: readonly string[]
  /** Ids of past runs that the plan leans on. */
  readonly pastRuns: readonly string[]
}

export interface ToolChoice {
  readonly task: string
  readonly tool: ToolId
  readonly score: number
  /** The part of the intent that it serves, or what it was added for. */
  readonly serves: string
  readonly by: 'intent' | 'prerequisite' | 'past run' | 'given'
}

export interface PlanEdge {
  /** Task ids; in the wiring of bare tools, places in the list. */
  readonly from: string
  readonly to: string
  /** How probable it is that `to` needs `from`. */
  readonly probability: number
  /** What spoke for it, in log-odds; they add up to the probability. */
  readonly parts: Readonly<Record<string, number>>
  /** Fields of `from` that feed arguments of `to`. */
  readonly fields: readonly FieldLink[]
  readonly why: string
}

export interface FieldLink {
  /** Where it stands in the result: `items[*].id`; empty for the result itself. */
  readonly output: string
  /** Where it goes in the arguments: `repo.id`. */
  readonly input: string
  readonly score: number
}

/** Where the value of one argument comes from. */
export interface ArgumentOrigin {
  readonly task: string
  /** Where it stands in the arguments: `entities[0].name`. */
  readonly argument: string
  readonly source: ArgumentSource
  readonly confidence: number
  readonly why: string
  /** What was done to make it fit; absent where it fitted. */
  readonly coerced?: string
}

/** In the order in which they win. */
export type ArgumentSource = 'given' | 'wired' | 'literal' | 'learned' | 'default' | 'model'

export interface MissingArgument {
  readonly task: string
  readonly argument: string
  readonly description: string
  readonly type?: string
}
