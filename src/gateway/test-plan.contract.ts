/** Plans as a planner would give them, and planners that give them: for tests that need a certain plan. */
import type { IntentPlan, PlannedTask } from '../model/plan.js'
import { collectReferences } from '../model/reference.js'
import type { ToolId } from '../model/tool.js'
import type { IntentPlanner, PlanIntentOptions, Replanned } from '../plan/intent-planner.js'

export type TestTask = Pick<PlannedTask, 'id'> & { readonly tool: string } & Partial<
    Omit<PlannedTask, 'tool'>
  >

/** One task after the other by its references; everything else is as the test says. */
export function makeIntentPlan(tasks: readonly TestTask[], rest: Partial<IntentPlan> = {}): IntentPlan {
  const planned = tasks.map((task): PlannedTask => {
    const references = collectReferences(task.arguments).map((reference) => reference.task)
    return {
      arguments: {},
      onError: 'fail',
      ...task,
      tool: task.tool as ToolId,
      dependsOn: [...new Set([...(task.dependsOn ?? []), ...references])],
    }
  })
  return {
    intent: 'do it',
    plan: { intent: 'do it', tasks: planned },
    layers: planned.map(({ id }) => [id]),
    tools: planned.map(({ id, tool }) => ({ task: id, tool, score: 0.9, serves: 'do it', by: 'intent' })),
    edges: planned.flatMap(({ id, dependsOn }) =>
      dependsOn.map((from) => ({
        from,
        to: id,
        probability: 0.934,
        parts: { order: 2.65 },
        fields: [],
        why: 'in this order',
      })),
    ),
    dropped: [],
    arguments: planned.flatMap(({ id, arguments: args }) =>
      Object.keys(args).map((argument) => ({
        task: id,
        argument,
        source: 'literal' as const,
        confidence: 0.9,
        why: 'in the request',
      })),
    ),
    missing: [],
    confidence: 0.8,
    unserved: [],
    notes: [],
    pastRuns: [],
    ...rest,
  }
}

export interface TestPlanner extends IntentPlanner {
  /** What was asked of it. */
  readonly asked: { readonly intent: string; readonly options: PlanIntentOptions }[]
}

export function plannerOf(
  plan: IntentPlan | ((options: PlanIntentOptions) => IntentPlan),
  replan: IntentPlanner['replan'] = () => Promise.reject(new Error('not asked for')),
): TestPlanner {
  const asked: TestPlanner['asked'] = []
  return {
    asked,
    async plan(intent, options) {
      asked.push({ intent, options })
      return { ...(typeof plan === 'function' ? plan(options) : plan), intent }
    },
    replan,
  }
}

export function makeReplanned(plan: IntentPlan, rest: Pick<Replanned, 'added' | 'finished'>): Replanned {
  return { ...plan, ...rest }
}
