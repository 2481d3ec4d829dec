import type { NodeId } from '../model/edge.js'
import type { KnowledgeGraph } from './knowledge-graph.js'

/**
 * How many of the search to look at for `limit` results: what the graph could lift must be among them. More help only once
 * there is a graph to judge them by; the tiers are those of the first papers.
 */
export function candidateCount(limit: number, density: number): number {
  const factor = density < 0.01 ? 1.5 : density < 0.1 ? 2 : 3
  return Math.ceil(limit * factor)
}

/**
 * The graph neighbours of the context, strongest first: what no word of the request may name, like `npm_install` between
 * `git_clone` and `deploy`. The context itself comes from the search or not at all.
 */
export function graphCandidates(
  graph: Pick<KnowledgeGraph, 'neighbours'>,
  context: readonly NodeId[],
  most: number,
): readonly NodeId[] {
  const strongest = new Map<NodeId, number>()
  for (const tool of new Set(context))
    for (const { node, weight } of graph.neighbours(tool).slice(0, most + context.length))
      strongest.set(node, Math.max(weight, strongest.get(node) ?? 0))
  for (const tool of context) strongest.delete(tool)
  return [...strongest]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([node]) => node)
}
