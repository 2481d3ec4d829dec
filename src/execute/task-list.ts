import type { PlannedTask } from '../model/plan.js'
import { elementPlaceOf, rootTaskOf, type TaskOutcome } from '../model/run.js'
import { isEnded, pending } from './outcomes.js'

/** How every task of a run stands, every element of those that are done for each, and every call of programs. */
export interface TaskList {
  get(id: string): TaskOutcome | undefined
  set(outcome: TaskOutcome): void
  remove(id: string): void
  /** Tasks that were not in the plan before. */
  add(tasks: readonly PlannedTask[]): void
  /** By place; a place that is not known yet is empty. */
  elementsOf(parent: string): readonly TaskOutcome[]
  /** As the plan has them, each followed by its elements; before them what an earlier run did beyond this plan. */
  inOrder(): readonly TaskOutcome[]
  /** Tasks and elements that have not ended. */
  openCount(): number
}

/** `known` are outcomes that there are already. */
export function createTaskList(planned: readonly PlannedTask[], known: readonly TaskOutcome[]): TaskList {
  const outcomes = new Map<string, TaskOutcome>()
  const elements = new Map<string, string[]>()
  const order = new Set<string>()
  const isPlanned = new Set(planned.map(({ id }) => id))
  let open = 0

  const list: TaskList = {
    get: (id) => outcomes.get(id),
    set(outcome) {
      const { id, parent } = outcome
      const before = outcomes.get(id)
      if (parent !== undefined && before === undefined) {
        if (!elements.has(parent)) elements.set(parent, [])
        elements.get(parent)![elementPlaceOf(id)] = id
      }
      if (before !== undefined && !isEnded(before.status)) open--
      if (!isEnded(outcome.status)) open++
      outcomes.set(id, outcome)
    },
    remove(id) {
      const outcome = outcomes.get(id)
      if (outcome === undefined) return
      if (!isEnded(outcome.status)) open--
      outcomes.delete(id)
      if (outcome.parent !== undefined) delete elements.get(outcome.parent)?.[elementPlaceOf(id)]
    },
    add(tasks) {
      for (const task of tasks) {
        order.add(task.id)
        if (!outcomes.has(task.id)) list.set(pending(task))
      }
    },
    elementsOf: (parent) => (elements.get(parent) ?? []).map((id) => outcomes.get(id)!),
    inOrder: () => [...beyond, ...[...order].flatMap((id) => withElements(outcomes.get(id)!))],
    openCount: () => open,
  }
  const withElements = (outcome: TaskOutcome): readonly TaskOutcome[] =>
    elements.has(outcome.id)
      ? [
          outcome,
          ...list
            .elementsOf(outcome.id)
            .filter((one) => one !== undefined)
            .flatMap(withElements),
        ]
      : [outcome]
  const beyond = known.filter(({ id }) => !isPlanned.has(rootTaskOf(id)))
  for (const outcome of known) list.set(outcome)
  list.add(planned)
  return list
}
