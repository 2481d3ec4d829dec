import type { PlannedTask } from '../model/plan.js'
import { collectReferences } from '../model/reference.js'
import { isTakenEach } from './fan-out.js'
import { indexOf } from './task-values.js'

/** What a task that ended means for those that wait for it. */
export type Ending =
  /** It has a result: all may go on. */
  | 'value'
  /** It failed and said `onError: "skip"`: those that only wait their turn go on, those that need its result cannot. */
  | 'left-out'
  /** Of a task done for each, some elements have none: those that take its results one by one go on, the others cannot. */
  | 'in-part'
  /** It has none and never will: none may go on. */
  | 'nothing'

export interface TaskGraph {
  /** The tasks that wait for nothing, in the plan's order. */
  readonly roots: readonly PlannedTask[]
  /** Who can start now, and who never will, because `id` ended. Called once per task. */
  ended(
    id: string,
    ending: Ending,
  ): { readonly ready: readonly PlannedTask[]; readonly blocked: readonly PlannedTask[] }
}

export function createTaskGraph(tasks: readonly PlannedTask[]): TaskGraph {
  const waitingFor = new Map(tasks.map((task) => [task.id, new Set(task.dependsOn)]))
  const needs = new Map(tasks.map((task) => [task.id, needsOf(task)]))
  const dependents = new Map<string, PlannedTask[]>(tasks.map((task) => [task.id, []]))
  for (const task of tasks) for (const id of waitingFor.get(task.id)!) dependents.get(id)?.push(task)

  return {
    roots: tasks.filter((task) => waitingFor.get(task.id)!.size === 0),
    ended(id, ending) {
      const ready: PlannedTask[] = []
      const blocked: PlannedTask[] = []
      for (const task of dependents.get(id) ?? []) {
        const goesOn = canGoOn(ending, needs.get(task.id)!.get(id))
        const waiting = waitingFor.get(task.id)!
        if (!goesOn) blocked.push(task)
        else if (waiting.delete(id) && waiting.size === 0) ready.push(task)
      }
      return { ready, blocked }
    },
  }
}

/** How a task uses the results of another: all of it, or one place of its list at a time. */
type Need = 'whole' | 'places'

function needsOf(task: PlannedTask): ReadonlyMap<string, Need> {
  const needs = new Map<string, Need>()
  for (const reference of collectReferences(task.arguments)) {
    const { task: id, path } = reference
    const isByPlace =
      indexOf(path[0]) !== undefined || (path[0]?.kind === 'each' && isTakenEach(task, reference))
    needs.set(id, isByPlace ? (needs.get(id) ?? 'places') : 'whole')
  }
  return needs
}

function canGoOn(ending: Ending, need: Need | undefined): boolean {
  if (ending === 'value') return true
  return ending === 'left-out' ? need === undefined : ending === 'in-part' && need === 'places'
}
