import { hashArguments } from '../model/hash-arguments.js'
import type { PlannedTask } from '../model/plan.js'
import { isRedacted } from '../model/redact.js'
import type { TaskOutcome } from '../model/run.js'
import type { Element } from './fan-out.js'
import { isBlocked, isLeftOutByCommand } from './outcomes.js'
import type { Ending } from './task-graph.js'
import { type ElementPlace, isGap, isHole } from './task-values.js'

/** What the end of a task means for those that wait for it. */
export function endingOf(task: PlannedTask, outcome: TaskOutcome): Ending {
  if (outcome.status === 'complete') return 'value'
  if (isLeftOutByCommand(outcome)) return 'left-out'
  return task.onError === 'skip' && !isBlocked(outcome) ? 'left-out' : 'nothing'
}

/** A list without this element is whole: it was to be left out, by its task, by a command, or because what it is made of was. */
export function isLeftOut({ onError }: PlannedTask, known: TaskOutcome, element: Element): boolean {
  return onError === 'skip' || isLeftOutByCommand(known) || ('hole' in element && element.hole.isLeftOut)
}

/** The key is ours; what is kept without its secrets cannot be compared, and was not changed by anybody. */
export function isSameCall(known: TaskOutcome, element: Element, key: string | undefined): boolean {
  if (!('arguments' in element)) return known.error !== undefined
  const [before, now] = [known.arguments, element.arguments].map((args) =>
    Object.fromEntries(Object.entries(args).filter(([name]) => name !== key)),
  )
  return isRedacted(JSON.stringify([before, now])) || hashArguments(before!) === hashArguments(now!)
}

/** The same of a task done for each. */
export function endingOfPlaces(places: readonly ElementPlace[]): Ending {
  if (!places.some(isGap)) return 'value'
  return places.every(isHole) ? 'nothing' : 'in-part'
}
