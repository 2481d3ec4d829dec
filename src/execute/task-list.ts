import type { Plan } from '../model/plan.js'
import type { TaskOutcome } from '../model/run.js'
import { pending } from './outcomes.js'

/** How every task of a run stands, and every element of those that are done for each. */
export interface TaskList {
  get(id: string): TaskOutcome | undefined
  set(outcome: TaskOutcome): void
  /** By place; a place that is not known yet is empty. */
  elementsOf(parent: string): readonly TaskOutcome[]
  /** As the plan has them, each followed by its elements; before them what an earlier run did beyond this plan. */
  inOrder(): readonly TaskOutcome[]
}

/** `finished` are the outcomes that an earlier run has left. */
export function createTaskList(plan: Plan, finished: readonly TaskOutcome[]): TaskList {
  const outcomes = new Map<string, TaskOutcome>()
  const elements = new Map<string, string[]>()
  const isPlanned = new Set(plan.tasks.map(({ id }) => id))

  const list: TaskList = {
    get: (id) => outcomes.get(id),
    set(outcome) {
      const { id, parent } = outcome
      if (parent !== undefined && !outcomes.has(id)) {
        if (!elements.has(parent)) elements.set(parent, [])
        elements.get(parent)![placeOf(id)] = id
      }
      outcomes.set(id, outcome)
    },
    elementsOf: (parent) => (elements.get(parent) ?? []).map((id) => outcomes.get(id)!),
    inOrder: () => [
      ...finished.filter(({ id, parent }) => !isPlanned.has(parent ?? id)),
      ...plan.tasks.flatMap(({ id }) => [
        outcomes.get(id)!,
        ...list.elementsOf(id).filter((outcome) => outcome !== undefined),
      ]),
    ],
  }
  for (const outcome of finished) list.set(outcome)
  for (const task of plan.tasks) if (!outcomes.has(task.id)) list.set(pending(task))
  return list
}

/** `read[3]` is at 3. */
export function placeOf(element: string): number {
  return Number(/\[(\d+)\]$/.exec(element)?.[1] ?? 0)
}
