import type { PlannedTask } from '../model/plan.js'
import { collectReferences } from '../model/reference.js'

/** What a task that ended means for those that wait for it. */
export type Ending =
  /** It has a result: all may go on. */
  | 'value'
  /** It failed and said `onError: "skip"`: those that only wait their turn go on, those that need its result cannot. */
  | 'left-out'
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
  const needs = new Map(
    tasks.map((task) => [task.id, new Set(collectReferences(task.arguments).map(({ task: id }) => id))]),
  )
  const dependents = new Map<string, PlannedTask[]>(tasks.map((task) => [task.id, []]))
  for (const task of tasks) for (const id of waitingFor.get(task.id)!) dependents.get(id)?.push(task)

  return {
    roots: tasks.filter((task) => waitingFor.get(task.id)!.size === 0),
    ended(id, ending) {
      const ready: PlannedTask[] = []
      const blocked: PlannedTask[] = []
      for (const task of dependents.get(id) ?? []) {
        const goesOn = ending === 'value' || (ending === 'left-out' && !needs.get(task.id)!.has(id))
        const waiting = waitingFor.get(task.id)!
        if (!goesOn) blocked.push(task)
        else if (waiting.delete(id) && waiting.size === 0) ready.push(task)
      }
      return { ready, blocked }
    },
  }
}
