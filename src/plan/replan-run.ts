/**
 * A run so far and a new requirement -> a plan that holds both. Tasks that ended well stay as they are and are not called again;
 * those that did not are planned anew where the requirement still needs them; new ones are wired to what is there.
 */
import type { PlannedTask } from '../model/plan.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { IntentPlanner, PlanIntentOptions, Replanned } from './intent-planner.js'

export interface ReplanDeps {
  readonly planner: Pick<IntentPlanner, 'plan'>
  tool(id: ToolId): Tool | undefined
}

export async function replanRun(
  _run: Run,
  _requirement: string,
  _options: PlanIntentOptions,
  _deps: ReplanDeps,
): Promise<Replanned> {
  throw new Error('to be written')
}

export type Finished = readonly (TaskOutcome | PlannedTask)[]
