import type { Decision } from '../model/decision.js'
import type { JsonObject } from '../model/json.js'
import { elementPlaceOf, type TaskOutcome } from '../model/run.js'
import type { RunMessage, RunState } from '../model/run-state.js'

/** What changed; what is absent did not. */
export interface StateUpdate {
  readonly messages?: readonly RunMessage[]
  /** Each in the place of the one with its id, or behind the others. */
  readonly tasks?: readonly TaskOutcome[]
  readonly removedTasks?: readonly string[]
  readonly decisions?: readonly Decision[]
  readonly context?: JsonObject
}

export const emptyState: RunState = { messages: [], tasks: [], decisions: [], context: {} }

/** A run's state after an update: messages, tasks and decisions append, context merges. What was given stays as it was. */
export function reduceState(state: RunState, update: StateUpdate): RunState {
  return {
    messages: appendMessages(state.messages, update.messages ?? []),
    tasks: appendTasks(removeTasks(state.tasks, update.removedTasks ?? []), update.tasks ?? []),
    decisions: appendDecisions(state.decisions, update.decisions ?? []),
    context: mergeContext(state.context, update.context ?? {}),
  }
}

export function appendMessages(
  messages: readonly RunMessage[],
  added: readonly RunMessage[],
): readonly RunMessage[] {
  return added.length === 0 ? messages : [...messages, ...added]
}

/** An outcome takes the place of the earlier one of the same task; a new element comes where its place is. */
export function appendTasks(
  tasks: readonly TaskOutcome[],
  added: readonly TaskOutcome[],
): readonly TaskOutcome[] {
  if (added.length === 0) return tasks
  const next = [...tasks]
  for (const outcome of added) {
    const known = next.findIndex(({ id }) => id === outcome.id)
    if (known >= 0) next[known] = outcome
    else next.splice(placeFor(outcome, next), 0, outcome)
  }
  return next
}

export function removeTasks(
  tasks: readonly TaskOutcome[],
  removed: readonly string[],
): readonly TaskOutcome[] {
  if (removed.length === 0) return tasks
  const gone = new Set(removed)
  return tasks.filter(({ id }) => !gone.has(id))
}

export function appendDecisions(
  decisions: readonly Decision[],
  added: readonly Decision[],
): readonly Decision[] {
  if (added.length === 0) return decisions
  const next = [...decisions]
  for (const decision of added) {
    const known = next.findIndex(({ id }) => id === decision.id)
    if (known >= 0) next[known] = decision
    else next.push(decision)
  }
  return next
}

export function mergeContext(context: JsonObject, added: JsonObject): JsonObject {
  return Object.keys(added).length === 0 ? context : { ...context, ...added }
}

function placeFor({ id, parent }: TaskOutcome, tasks: readonly TaskOutcome[]): number {
  if (parent === undefined) return tasks.length
  const place = elementPlaceOf(id)
  const before = tasks.findLastIndex((task) => task.id === parent || placeWithin(parent, task.id) < place)
  return before < 0 ? tasks.length : before + 1
}

/** Where something stands in a task, be it an element of an element; infinity: it is not of this task. */
function placeWithin(parent: string, id: string): number {
  return id.startsWith(`${parent}[`)
    ? Number.parseInt(id.slice(parent.length + 1), 10)
    : Number.POSITIVE_INFINITY
}
