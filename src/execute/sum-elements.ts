import type { Json } from '../model/json.js'
import type { ErrorInfo, TaskOutcome, TaskStatus } from '../model/run.js'
import { shorten } from '../model/shorten.js'

/** The elements of a task done for each, in short: a thousand of them are not listed one by one. */
export interface ElementSum {
  readonly counts: ElementCounts
  /** Of the first few that have one. */
  readonly errors: readonly ({ readonly id: string } & ErrorInfo)[]
  /** By id, of those that have one. */
  readonly results: Readonly<Record<string, Json>>
}

/** Other statuses only where there are any. */
export type ElementCounts = Readonly<Record<'total' | 'complete' | 'failed' | 'skipped', number>> &
  Readonly<Partial<Record<TaskStatus, number>>>

const mostErrors = 3
/** Enough to tell them apart; the element itself has all of it. */
const longestMessage = 300

/** By the id of the task; one without elements has none. */
export function sumElements(tasks: readonly TaskOutcome[]): ReadonlyMap<string, ElementSum> {
  const groups = new Map<string, TaskOutcome[]>()
  for (const task of tasks) {
    if (task.parent === undefined) continue
    const group = groups.get(task.parent)
    if (group === undefined) groups.set(task.parent, [task])
    else group.push(task)
  }
  return new Map([...groups].map(([parent, elements]) => [parent, sum(elements)]))
}

/** `3 of 5 complete, 2 failed`. */
export function describeCounts({ total, complete, ...others }: ElementCounts): string {
  const rest = Object.entries(others).filter(([, count]) => count > 0)
  return [`${complete} of ${total} complete`, ...rest.map(([status, count]) => `${count} ${status}`)].join(
    ', ',
  )
}

function sum(elements: readonly TaskOutcome[]): ElementSum {
  const counts = { total: elements.length, complete: 0, failed: 0, skipped: 0 } as Record<string, number>
  for (const { status } of elements) counts[status] = (counts[status] ?? 0) + 1
  const wrong = elements.filter(({ error }) => error !== undefined).slice(0, mostErrors)
  return {
    counts: counts as ElementCounts,
    errors: wrong.map(({ id, error }) => ({
      id,
      ...error!,
      message: shorten(error!.message, longestMessage),
    })),
    results: Object.fromEntries(
      elements.flatMap(({ id, result }) => (result === undefined ? [] : [[id, result]])),
    ),
  }
}
