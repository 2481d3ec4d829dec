import { PmlError } from '../errors.js'
import { isObject } from '../model/json.js'
import type { ArgumentOrigin, IntentPlan, Plan, PlanEdge } from '../model/plan.js'
import { isReference } from '../model/reference.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { PlanIntentOptions } from './intent-planner.js'
import { layerPlan } from './layer-plan.js'
import { planTasks } from './plan-tasks.js'
import type { Intent } from './read/read-intent.js'
import type { Reused } from './reuse-past-run.js'
import { joinKey } from './wire/schema-fields.js'

export interface PlanAgainDeps {
  tool(id: ToolId): Tool | undefined
}

/** What went well n times goes well the next time as often as n + 12 of n + 13; never surer than this. */
const surest = 0.97

/** The same procedure as before; undefined where it can no longer be followed, or the caller gives values that may mean another. */
export function planAgain(
  reused: Reused,
  intent: Intent,
  { given }: PlanIntentOptions,
  deps: PlanAgainDeps,
): IntentPlan | undefined {
  if (Object.keys(given).length > 0) return undefined
  const plan = follow(reused, intent, deps)
  if (plan === undefined) return undefined
  const { run, similarity, times } = reused
  const score = Math.min(surest, (times + 12) / (times + 13)) * Math.min(1, similarity)
  const why = `as in run ${run.id}`
  return {
    intent: intent.text,
    plan,
    layers: layerPlan(plan),
    tools: plan.tasks.map(({ id, tool }) => ({ task: id, tool, score, serves: intent.text, by: 'past run' })),
    edges: plan.tasks.flatMap(({ id, dependsOn }) =>
      dependsOn.map((from) => learnedEdge(from, id, score, why)),
    ),
    dropped: [],
    arguments: plan.tasks.flatMap((task) => originsOf(task.id, task.arguments, '', { reused, score, why })),
    missing: [],
    confidence: score,
    unserved: [],
    notes: [
      `The same${run.intent.trim() === intent.text.trim() ? '' : ', with other values,'} went well ${times === 1 ? 'once' : `${times} times`}; this is what was done then.`,
    ],
    pastRuns: [run.id],
  }
}

/** A schema may have changed since, so that what was planned then can be planned no more. */
function follow({ tasks }: Reused, intent: Intent, deps: PlanAgainDeps): Plan | undefined {
  const tools = new Map(tasks.map(({ tool }) => [tool, deps.tool(tool)]))
  if (
    tasks.length === 0 ||
    [...tools.values()].some((tool) => tool === undefined || tool.changed !== undefined)
  )
    return undefined
  const requests = tasks.map(({ id, tool, arguments: args, dependsOn }) => ({
    id,
    tool,
    arguments: args,
    dependsOn,
  }))
  try {
    return planTasks(requests, { resolve: (id) => tools.get(id as ToolId)!, intent: intent.text })
  } catch (error) {
    if (error instanceof PmlError) return undefined
    throw error
  }
}

function learnedEdge(from: string, to: string, probability: number, why: string): PlanEdge {
  return {
    from,
    to,
    probability,
    parts: { learned: Math.log(probability / (1 - probability)) },
    fields: [],
    why,
  }
}

interface Origin {
  readonly reused: Reused
  readonly score: number
  readonly why: string
}

function originsOf(task: string, value: unknown, path: string, from: Origin): readonly ArgumentOrigin[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => originsOf(task, item, `${path}[${at}]`, from))
  if (isObject(value) && !isReference(value))
    return Object.entries(value).flatMap(([key, item]) => originsOf(task, item, joinKey(path, key), from))
  const fresh = from.reused.rebound.find((one) => one.task === task && one.argument === path)
  const origin = { task, argument: path, confidence: from.score }
  if (fresh !== undefined)
    return [{ ...origin, source: 'literal', why: `${JSON.stringify(fresh.text)} in the request` }]
  return [{ ...origin, source: isObject(value) ? 'wired' : 'learned', why: from.why }]
}
