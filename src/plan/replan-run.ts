/**
 * A run so far and a new requirement -> a plan that holds both. Tasks that ended well stay as they are and are not called again;
 * new ones are wired to what they gave. What did not end well is not taken over, and the plan says so: whether it may be done
 * again is for whoever knows the tool.
 */
import { PmlError } from '../errors.js'
import type { JsonObject } from '../model/json.js'
import type { IntentPlan, Plan, PlannedTask } from '../model/plan.js'
import { collectReferences, isEach, type Reference } from '../model/reference.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { Replanned } from './intent-planner.js'
import { layerPlan } from './layer-plan.js'
import type { Done, DoneTask } from './plan-anew.js'
import { joinIntents } from './read/join-intents.js'
import { type Intent, readIntent } from './read/read-intent.js'

export interface ReplanDeps {
  tool(id: ToolId): Tool | undefined
  /** Plans what is not served yet, wired to what is done. */
  grow(intent: Intent, done: Done): Promise<IntentPlan>
}

/** Of a longer run new tasks are wired to those that come last; all of them stay. */
const mostWired = 50

export async function replanRun(
  run: Run,
  requirement: string,
  { tool, grow }: ReplanDeps,
): Promise<Replanned> {
  const whole = run.tasks.filter(({ status, parent }) => status === 'complete' && parent === undefined)
  const parents = new Set(run.tasks.flatMap(({ parent }) => parent ?? []))
  const references = new Map(whole.map(({ id, arguments: args }) => [id, referencesIn(args)]))
  const done = whole.slice(-mostWired).flatMap((task): readonly DoneTask[] => {
    const known = tool(task.tool)
    if (known === undefined) return []
    const usedBy = whole.filter(
      ({ id }) => id !== task.id && references.get(id)!.some((one) => one.task === task.id),
    )
    return [{ id: task.id, tool: known, isList: parents.has(task.id), usedBy: usedBy.map(({ id }) => id) }]
  })
  const before = readIntent(run.intent ?? '')
  const intent = joinIntents(before, readIntent(requirement))
  const taken = new Set(run.tasks.map(({ id }) => id))
  const grown = await grow(intent, { done, taken, served: before.clauses.length })
  const kept = whole.map((task) => toPlanned(task, references, parents.has(task.id)))
  const plan: Plan = {
    intent: intent.text,
    tasks: [...kept, ...grown.plan.tasks.filter(({ id }) => !taken.has(id))],
  }
  return {
    ...grown,
    plan,
    layers: layerPlan(plan),
    notes: [...grown.notes, ...noteLeft(run, whole, done)],
    finished: run.tasks.filter(({ id, parent }) => whole.some((task) => task.id === (parent ?? id))),
    added: grown.tools.map(({ task, tool: id, serves, by }) => ({
      task,
      tool: id,
      why: by === 'prerequisite' ? serves : `for "${serves}"`,
    })),
  }
}

function noteLeft(
  { tasks }: Run,
  whole: readonly TaskOutcome[],
  done: readonly DoneTask[],
): readonly string[] {
  const left = tasks.filter(({ id, parent }) => parent === undefined && !whole.some((task) => task.id === id))
  const gone = whole.slice(-mostWired).filter(({ id }) => !done.some((task) => task.id === id))
  return [
    ...left.map(({ id, status }) => `${id} is not taken over: it is ${status}.`),
    ...gone.map(({ id, tool }) => `${id} stays, but nothing new is wired to it: ${tool} is gone.`),
  ]
}

/** It is not run again: what it waited for matters where that is in the plan, too. */
function toPlanned(
  task: TaskOutcome,
  done: ReadonlyMap<string, readonly Reference[]>,
  isList: boolean,
): PlannedTask {
  const references = done.get(task.id)!.filter((one) => done.has(one.task) && one.task !== task.id)
  const each = references.filter(({ path }) => path.some(isEach)).map(({ text }) => text)
  return {
    id: task.id,
    tool: task.tool,
    arguments: task.arguments,
    dependsOn: [...new Set(references.map((one) => one.task))],
    onError: 'fail',
    ...(isList && each.length > 0 && { each: [...new Set(each)] }),
  }
}

/** The arguments of a call that was made are values, and a value may look like a reference that is none. */
function referencesIn(args: JsonObject): readonly Reference[] {
  try {
    return collectReferences(args)
  } catch (error) {
    if (error instanceof PmlError) return []
    throw error
  }
}
