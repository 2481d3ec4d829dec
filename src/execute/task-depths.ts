import type { PlannedTask } from '../model/plan.js'

/** How many tasks stand one after the other before each: its layer. `tasks` are in a topological order. */
export function taskDepths(tasks: readonly PlannedTask[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>()
  for (const { id, dependsOn } of tasks)
    depths.set(id, Math.max(-1, ...dependsOn.map((one) => depths.get(one) ?? -1)) + 1)
  return depths
}
