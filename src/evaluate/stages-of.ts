import type { Pair } from './read-dags.js'

/**
 * Tools that may run at the same time, first to last: each stands one stage after the last of those it waits for. A circle,
 * which plans have only where a tool is called twice, is one last stage.
 * A. B. Kahn, "Topological sorting of large networks", CACM 5(11), 1962.
 */
export function stagesOf(tools: readonly string[], edges: readonly Pair[]): readonly (readonly string[])[] {
  const stages: string[][] = []
  let left = [...tools]
  while (left.length > 0) {
    const waiting = new Set(left)
    const ready = left.filter((tool) => !edges.some(([from, to]) => to === tool && waiting.has(from)))
    stages.push(ready.length > 0 ? ready : left)
    left = ready.length > 0 ? left.filter((tool) => !ready.includes(tool)) : []
  }
  return stages
}
