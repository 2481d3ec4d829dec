import type { PlanEdge } from '../model/plan.js'
import type { PickedTool } from './picked-tool.js'

/**
 * Two tools of one server, one of which says that it writes, are run in the order in which the request speaks of them: `write a.txt
 * and then read a.txt`. Where the one is reached from the other anyway, nothing is added.
 */
export function orderWrites(
  picks: readonly PickedTool[],
  ids: readonly string[],
  edges: readonly PlanEdge[],
): readonly PlanEdge[] {
  const added: PlanEdge[] = []
  for (const [second, later] of picks.entries()) {
    if (later.done !== undefined) continue
    for (const [first, earlier] of picks.entries()) {
      if (earlier.clause >= later.clause || earlier.tool.server !== later.tool.server) continue
      if (!writes(earlier) && !writes(later)) continue
      const [from, to] = [ids[first]!, ids[second]!]
      const known = [...edges, ...added]
      if (reaches(known, from, to) || reaches(known, to, from)) continue
      added.push({
        from,
        to,
        probability,
        parts: { order: Math.log(probability / (1 - probability)) },
        fields: [],
        why: 'one of them writes, and the request says this one first',
      })
    }
  }
  return added
}

/** Whether it is needed nobody knows; to wait costs little. */
const probability = 0.6

function writes({ tool }: PickedTool): boolean {
  return tool.definition.annotations?.readOnlyHint === false
}

function reaches(edges: readonly PlanEdge[], from: string, to: string): boolean {
  const open = [from]
  const seen = new Set(open)
  for (const at of open) {
    if (at === to) return true
    for (const edge of edges)
      if (edge.from === at && !seen.has(edge.to)) {
        seen.add(edge.to)
        open.push(edge.to)
      }
  }
  return false
}
