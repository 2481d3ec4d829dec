/**
 * The cheapest path of at most three hops, where an edge costs 1 / weight.
 *
 * Idea: Dijkstra's relaxation in rounds, one hop each, because the cheapest path of all may be too long and hide a short one that
 * counts: cost is kept per node and number of hops. The last hop is looked up from the target's side, so the widest round
 * is never walked. (graphology's Dijkstra knows no bound of hops.)
 *
 * Reference: R. Guerin, A. Orda. Computing shortest paths for any number of hops. IEEE/ACM Transactions on Networking
 * 10(5), 2002.
 */
import type { Edge, EdgeType, NodeId } from '../model/edge.js'
import type { KnowledgeGraph, WeightedEdge } from './knowledge-graph.js'

export interface GraphPath {
  /** In order, from the first node to the last. */
  readonly edges: readonly Edge[]
  readonly cost: number
}

/** A longer path says nothing of what needs what: in three hops most tools reach most others. */
const mostHops = 3

/** The types that put one tool before another; parts of a whole and alternatives have no order. */
export const orderTypes: ReadonlySet<EdgeType> = new Set(['dependency', 'provides', 'sequence'])

export interface PathQuery {
  readonly from: NodeId
  readonly to: NodeId
  /** The edges that may be walked. */
  readonly types: ReadonlySet<EdgeType>
}

export function shortestPath(
  graph: Pick<KnowledgeGraph, 'outgoing' | 'incoming'>,
  { from, to, types }: PathQuery,
): GraphPath | undefined {
  if (from === to) return undefined
  const lastHops = strongestFrom(graph.incoming(to), types)
  if (lastHops.size === 0) return undefined

  let best: Step | undefined
  let reached = new Map<NodeId, Step>([[from, start]])
  const cheapest = new Map<NodeId, number>([[from, 0]])
  for (let hop = 1; hop <= mostHops; hop++) {
    for (const [node, step] of reached) {
      const end = extend(step, lastHops.get(node))
      if (end !== undefined && end.cost < (best?.cost ?? Number.POSITIVE_INFINITY)) best = end
    }
    if (hop === mostHops) break
    const next = new Map<NodeId, Step>()
    for (const [node, step] of reached)
      for (const hopTo of graph.outgoing(node)) {
        const cost = step.cost + 1 / hopTo.weight
        // Strongest first, and one more hop costs at least 1: from here on nothing is cheaper.
        if (cost + 1 >= (best?.cost ?? Number.POSITIVE_INFINITY)) break
        const target = hopTo.edge.to
        if (!types.has(hopTo.edge.type) || target === to) continue
        if (cost >= (cheapest.get(target) ?? Number.POSITIVE_INFINITY)) continue
        cheapest.set(target, cost)
        next.set(target, { cost, edge: hopTo.edge, before: step })
      }
    reached = next
  }
  return best === undefined ? undefined : { edges: edgesOf(best), cost: best.cost }
}

interface Step {
  readonly cost: number
  readonly edge?: Edge
  readonly before?: Step
}

const start: Step = { cost: 0 }

function extend(step: Step, hop: WeightedEdge | undefined): Step | undefined {
  return hop === undefined ? undefined : { cost: step.cost + 1 / hop.weight, edge: hop.edge, before: step }
}

function strongestFrom(
  incoming: readonly WeightedEdge[],
  types: ReadonlySet<EdgeType>,
): ReadonlyMap<NodeId, WeightedEdge> {
  const found = new Map<NodeId, WeightedEdge>()
  for (const hop of incoming)
    if (hop.weight > 0 && types.has(hop.edge.type) && !found.has(hop.edge.from)) found.set(hop.edge.from, hop)
  return found
}

function edgesOf(end: Step): Edge[] {
  const edges: Edge[] = []
  for (let step: Step | undefined = end; step?.edge !== undefined; step = step.before)
    edges.unshift(step.edge)
  return edges
}
