/**
 * A run so far and a new requirement -> a plan that holds both. Tasks that ended well stay as they are and are not called again;
 * new ones are wired to what they gave. What did not end well is not taken over, and the plan says so: whether it may be done
 * again is for whoever knows the tool.
 */
import type { IntentPlan, Plan, PlannedTask } from '../model/plan.js'
import { collectReferences } from '../model/reference.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { Replanned } from './intent-planner.js'
import { layerTasks } from './layer-tasks.js'

/** A task of the run that others may be wired to. */
export interface DoneTask {
  readonly id: string
  readonly tool: Tool
  /** It was done for each of something: its result is a list. */
  readonly isList: boolean
}

export interface ReplanDeps {
  tool(id: ToolId): Tool | undefined
  /** Plans what the text asks for from this place on, wired to what is done. */
  grow(text: string, done: readonly DoneTask[], from: number): Promise<IntentPlan>
}

export async function replanRun(run: Run, requirement: string, { tool, grow }: ReplanDeps): Promise<Replanned> {
  const finished = run.tasks.filter(({ status, parent }) => status === 'complete' || parent !== undefined)
  const whole = finished.filter(({ parent }) => parent === undefined)
  const parents = new Set(run.tasks.flatMap(({ parent }) => parent ?? []))
  const done = whole.flatMap((task): readonly DoneTask[] => {
    const known = tool(task.tool)
    return known === undefined ? [] : [{ id: task.id, tool: known, isList: parents.has(task.id) }]
  })
  const before = run.intent === undefined || run.intent.trim() === '' ? '' : `${run.intent.trim().replace(/[.!?]*$/, '.')} `
  const grown = await grow(`${before}${requirement}`, done, before.length)
  const kept = whole.map((task) => toPlanned(task, whole, parents))
  const plan: Plan = { intent: `${before}${requirement}`, tasks: [...kept, ...grown.plan.tasks.filter(isNew(whole))] }
  const left = run.tasks.filter(({ id, parent }) => parent === undefined && !whole.some((task) => task.id === id))
  return {
    ...grown,
    plan,
    layers: layerTasks(
      plan.tasks.map(({ id }) => id),
      plan.tasks.flatMap(({ id, dependsOn }) => dependsOn.map((from) => ({ from, to: id }))),
    ),
    notes: [...grown.notes, ...left.map(({ id, status }) => `${id} is not taken over: it is ${status}.`)],
    finished: finished.filter((task) => task.parent === undefined || whole.some(({ id }) => id === task.parent)),
    added: grown.tools.map(({ task, tool: id, serves, by }) => ({
      task,
      tool: id,
      why: by === 'prerequisite' ? serves : `for "${serves}"`,
    })),
  }
}

function isNew(done: readonly TaskOutcome[]): (task: PlannedTask) => boolean {
  const ids = new Set(done.map(({ id }) => id))
  return ({ id }) => !ids.has(id)
}

/** It is not run again: what it waited for matters where that is in the plan, too. */
function toPlanned(task: TaskOutcome, done: readonly TaskOutcome[], parents: ReadonlySet<string>): PlannedTask {
  const references = collectReferences(task.arguments)
  const before = [...new Set(references.map((one) => one.task))].filter((id) => done.some((other) => other.id === id))
  return {
    id: task.id,
    tool: task.tool,
    arguments: task.arguments,
    dependsOn: before,
    onError: 'fail',
    ...(parents.has(task.id) && { each: [...new Set(references.filter(({ text }) => text.includes('[*]')).map(({ text }) => text))] }),
  }
}
