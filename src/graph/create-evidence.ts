import type { NodeId } from '../model/edge.js'
import { adamicAdar } from './adamic-adar.js'
import type { KnowledgeGraph } from './knowledge-graph.js'

/** What the graph says for a node, and by what: an edge with a context tool, or the neighbours they share. */
export interface Evidence {
  /** In [0, 1]. */
  readonly value: number
  readonly by: 'nothing' | 'edge' | 'neighbours'
  /** The context tool that says it. */
  readonly from?: NodeId
}

/**
 * Evidence for nodes, given the tools of the context: the weight of a direct edge, in either direction (`npm_install` follows
 * `git_clone` and comes before `deploy`), or AA / (AA + .5), whichever is larger. Of several context tools the one that says
 * most counts. It is not a sum: in a long session everything would have been near something, and every node would come
 * close to 1. So a further context tool never takes evidence away, and an empty context gives none. No tool speaks for itself.
 *
 * What it is made from is the graph of now: make a new one for each request.
 */
export function createEvidence(
  graph: Pick<KnowledgeGraph, 'neighbours' | 'degree'>,
  context: readonly NodeId[],
): (node: NodeId) => Evidence {
  const sources = [...new Set(context)]
  const direct = new Map<NodeId, Evidence>()
  for (const from of sources)
    for (const { node, weight } of graph.neighbours(from))
      if (weight > (direct.get(node)?.value ?? 0)) direct.set(node, { value: weight, by: 'edge', from })
  const shared = adamicAdar(graph, sources)

  return (node) => {
    let best = direct.get(node) ?? nothing
    const sums = shared(node)
    for (let source = 0; source < sources.length; source++) {
      const value = sums[source]! / (sums[source]! + halfWay)
      const from = sources[source]!
      if (value > best.value && from !== node) best = { value, by: 'neighbours', from }
    }
    return best
  }
}

/** The sum that counts .5: about one common neighbour of degree 2 with two strong edges (.75 * .75 / log 3 = .51). */
const halfWay = 0.5

const nothing: Evidence = { value: 0, by: 'nothing' }
