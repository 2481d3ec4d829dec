import type { NodeId } from '../model/edge.js'
import type { KnowledgeGraph } from './knowledge-graph.js'

/**
 * Whom to look at for `limit` results: the best of the search, more of them the denser the graph is (what it could lift must
 * be among them), and the graph neighbours of the context, which no word of the request may name: `npm_install` between
 * `git_clone` and `deploy`. There are at most as many neighbours as come from the search, strongest first. What is in the
 * context itself comes from the search or not at all.
 */
export function expandCandidates(
  graph: Pick<KnowledgeGraph, 'density' | 'neighbours'>,
  { found, context, limit }: ExpandOptions,
): readonly NodeId[] {
  const most = candidateCount(limit, graph.density())
  return [...new Set([...found.slice(0, most), ...graphCandidates(graph, context, most)])]
}

export interface ExpandOptions {
  /** By search alone, best first. */
  readonly found: readonly NodeId[]
  readonly context: readonly NodeId[]
  readonly limit: number
}

/** More candidates help only once there is a graph to judge them by; the tiers are those of the first papers. */
export function candidateCount(limit: number, density: number): number {
  const factor = density < 0.01 ? 1.5 : density < 0.1 ? 2 : 3
  return Math.ceil(limit * factor)
}

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
