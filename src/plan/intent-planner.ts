import type { JsonObject } from '../model/json.js'
import type { IntentPlan } from '../model/plan.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { ToolId } from '../model/tool.js'

/**
 * Intent -> a DAG that can run, or what is missing for one. Promises: the same catalogue, intent and experience give the same plan;
 * nothing is called and nothing is asked; any text is a legal intent. A plan that cannot be made is a plan without tasks.
 */
export interface IntentPlanner {
  plan(intent: string, options: PlanIntentOptions): Promise<IntentPlan>
  /** The run so far and a new requirement: what is done stays done, the rest grows. */
  replan(run: Run, requirement: string, options: PlanIntentOptions): Promise<Replanned>
}

export interface PlanIntentOptions {
  /** Values that the caller knows, by the name of the argument, or as `task.argument`. They win over everything else. */
  readonly given: JsonObject
  /** The definitions of the chosen tools together stay within so many tokens. */
  readonly tokenBudget: number
}

export interface Replanned extends IntentPlan {
  /** Tasks of the run that stay as they are, with their results; `plan.tasks` holds them too. */
  readonly finished: readonly TaskOutcome[]
  /** Ids of tasks that were not in the run. */
  readonly added: readonly { readonly task: string; readonly tool: ToolId; readonly why: string }[]
}
