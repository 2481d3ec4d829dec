/**
 * Tasks as a caller wrote them -> a Plan that can run. Promises: every tool is known and callable, every reference and
 * dependency names a task of the plan, and the order is topological; otherwise it throws, naming the task, the field and
 * what was expected. Never calls a tool and never changes what it was given.
 *
 * It also decides which tasks are done for each item of a list: a `[*]` where the tool wants a single value (schema-at.ts).
 * One that may write is then called once after the other.
 * Where an array fits, where the schema does not say, or where `"$as": "list"` asks for it, the list is passed on whole.
 */
import { ReferenceSyntaxError, ToolQuarantinedError } from '../errors.js'
import type { Plan, PlannedTask, TaskRequest } from '../model/plan.js'
import { collectReferences, isEach, type PlacedReference, placeReferences } from '../model/reference.js'
import type { Tool } from '../model/tool.js'
import { orderTasks } from './order-tasks.js'
import { nameTask, readTasks, throwIssues } from './read-tasks.js'
import { acceptsArrayAt } from './wire/schema-at.js'

export interface PlanTasksOptions {
  /** Throws ToolNotFoundError for a name that is no tool's. */
  resolve(name: string): Tool
  readonly intent?: string
  /** Ids of tasks of a run that these join: they may be referred to and depended on, and not taken. Absent: a run of its own. */
  readonly earlier?: ReadonlySet<string>
}

export function planTasks(tasks: unknown, options: PlanTasksOptions): Plan {
  const requests = readTasks(tasks)
  const { earlier = new Set<string>() } = options
  const ids = new Set([...requests.map((request) => request.id), ...earlier])
  const issues: string[] = []
  requests.forEach(({ id }, i) => {
    if (earlier.has(id)) issues.push(`${nameTask(i, id)}: id must be new, and the run has it already.`)
  })
  const dependencies = requests.map((request, i) => findDependencies(request, i, ids, issues))
  throwIssues(issues)
  const planned = requests.map((request, i) => planTask(request, i, dependencies[i]!, options, issues))
  throwIssues(issues)
  return {
    ...(options.intent !== undefined && { intent: options.intent }),
    tasks: orderAmong(planned, earlier),
  }
}

/** What is in the run already comes first anyway. */
function orderAmong(planned: readonly PlannedTask[], earlier: ReadonlySet<string>): readonly PlannedTask[] {
  if (earlier.size === 0) return orderTasks(planned)
  const own = planned.map(({ id, dependsOn }) => ({
    id,
    dependsOn: dependsOn.filter((one) => !earlier.has(one)),
  }))
  const byId = new Map(planned.map((task) => [task.id, task]))
  return orderTasks(own).map(({ id }) => byId.get(id)!)
}

/** Declared first, then referenced, each once. */
function findDependencies(
  request: TaskRequest,
  index: number,
  ids: ReadonlySet<string>,
  issues: string[],
): readonly string[] {
  const where = nameTask(index, request.id)
  const found = new Set<string>()
  const wrong = new Set<string>()
  const note = (id: string, by: string) => {
    if (wrong.has(id)) return
    if (ids.has(id) && id !== request.id) {
      found.add(id)
      return
    }
    wrong.add(id)
    if (id === request.id) issues.push(`${where}: ${by} names the task itself.`)
    else issues.push(`${where}: ${by} names no task of this plan (${listSome(ids)}).`)
  }
  request.dependsOn?.forEach((id, i) => {
    note(id, `dependsOn[${i}] ${JSON.stringify(id.slice(0, 100))}`)
  })
  try {
    for (const reference of collectReferences(request.arguments)) {
      note(reference.task, `the reference ${JSON.stringify(reference.text)} in arguments`)
    }
  } catch (error) {
    if (!(error instanceof ReferenceSyntaxError)) throw error
    issues.push(`${where}: a $from in arguments is wrong: ${error.message} ${error.hint}`)
  }
  return [...found]
}

function planTask(
  request: TaskRequest,
  index: number,
  dependsOn: readonly string[],
  options: PlanTasksOptions,
  issues: string[],
): PlannedTask {
  const tool = options.resolve(request.tool)
  if (tool.changed) throw new ToolQuarantinedError(tool.id)
  const { each, torn } = findEach(placeReferences(request.arguments), tool)
  for (const text of torn)
    issues.push(
      `${nameTask(index, request.id)}: the reference ${JSON.stringify(text)} stands where one value is wanted and where a list is; write {"$from": ${JSON.stringify(text)}, "$as": "list"} for the list.`,
    )
  return {
    id: request.id,
    tool: tool.id,
    arguments: request.arguments ?? {},
    dependsOn,
    onError: request.onError ?? 'fail',
    ...(request.timeoutMs !== undefined && { timeoutMs: request.timeoutMs }),
    ...(request.requireApproval === true && { requireApproval: true }),
    ...(each.size > 0 && { each: [...each] }),
    ...(each.size > 0 && tool.definition.annotations?.readOnlyHint !== true && { inTurn: true }),
  }
}

/**
 * References taken item by item, and those of them that also stand where a list is wanted: they are told apart by their text
 * alone, so one text cannot be both. Where the schema does not say, the same text is the same value.
 */
function findEach(
  placed: readonly PlacedReference[],
  tool: Tool,
): { readonly each: ReadonlySet<string>; readonly torn: ReadonlySet<string> } {
  const fits = placed
    .filter(({ reference }) => reference.path.some(isEach) && reference.as !== 'list')
    .map(({ reference, place }) => ({
      text: reference.text,
      takesList: acceptsArrayAt(tool.definition.inputSchema, place),
    }))
  const each = new Set(fits.filter(({ takesList }) => takesList === false).map(({ text }) => text))
  const torn = fits.filter(({ text, takesList }) => takesList === true && each.has(text))
  return { each, torn: new Set(torn.map(({ text }) => text)) }
}

function listSome(ids: ReadonlySet<string>): string {
  const shown = [...ids].slice(0, 10).join(', ')
  return ids.size > 10 ? `${shown} and ${ids.size - 10} more` : shown
}
