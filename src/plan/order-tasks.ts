import { CyclicTasksError } from '../errors.js'

interface Node {
  readonly id: string
  readonly dependsOn: readonly string[]
}

/**
 * Every task after all it depends on, otherwise in the order given: of the tasks that could come next, the earliest.
 * A. B. Kahn, "Topological sorting of large networks", CACM 5(11), 1962. At most 500 tasks, so the earliest is looked for
 * by reading the list. Dependencies must name tasks of the list.
 */
export function orderTasks<T extends Node>(tasks: readonly T[]): readonly T[] {
  const ordered: T[] = []
  const done = new Set<string>()
  let left = [...tasks]
  while (left.length > 0) {
    const next = left.find((task) => task.dependsOn.every((id) => done.has(id)))
    if (!next) throw new CyclicTasksError(shortestCycle(left))
    done.add(next.id)
    ordered.push(next)
    left = left.filter((task) => task !== next)
  }
  return ordered
}

/** The shortest circle, each task followed by one it depends on; of several, one through the earliest task. */
function shortestCycle(tasks: readonly Node[]): readonly string[] {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  let shortest: readonly string[] | undefined
  for (const { id } of tasks) {
    const cycle = cycleThrough(id, byId, shortest?.length ?? Number.POSITIVE_INFINITY)
    if (cycle) shortest = cycle
    if (shortest && shortest.length <= 2) break
  }
  return shortest ?? []
}

/** Breadth first from `start` back to `start`, giving up at `length` tasks: a circle as long is already known. */
function cycleThrough(start: string, byId: ReadonlyMap<string, Node>, length: number): string[] | undefined {
  const cameFrom = new Map<string, string>()
  let ring = [start]
  for (let size = 1; ring.length > 0 && size < length; size++) {
    const next: string[] = []
    for (const id of ring) {
      for (const needed of byId.get(id)?.dependsOn ?? []) {
        if (needed === start) return walkBack(id, start, cameFrom)
        if (cameFrom.has(needed) || !byId.has(needed)) continue
        cameFrom.set(needed, id)
        next.push(needed)
      }
    }
    ring = next
  }
  return undefined
}

function walkBack(last: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const cycle: string[] = []
  for (let id = last; id !== start; id = cameFrom.get(id)!) cycle.push(id)
  return [start, ...cycle.reverse()]
}
