/**
 * Adamic-Adar, weighted: two nodes belong together the more neighbours they share, and a neighbour that knows everybody
 * says little.
 *
 *     AA(u, v) = sum over common neighbours w of weight(u, w) * weight(w, v) / log(1 + degree(w))
 *
 * Direction does not matter here, and the degree counts distinct neighbours. For several u at once, because a search asks
 * for hundreds of v: what the neighbours of each u pass on is laid out first, and a v costs one look at its own neighbours.
 * (All that is two steps away from u would be most of the graph, where u knows many.)
 *
 * Reference: L. A. Adamic, E. Adar. Friends and neighbors on the Web. Social Networks 25(3), 2003. Weighted after T. Murata,
 * S. Moriyasu. Link prediction of social networks based on weighted proximity measures. WI 2007.
 */
import type { NodeId } from '../model/edge.js'
import type { KnowledgeGraph } from './knowledge-graph.js'

/** For each v, AA(u, v) by the place of u among the sources. */
export function adamicAdar(
  graph: Pick<KnowledgeGraph, 'neighbours' | 'degree'>,
  sources: readonly NodeId[],
): (v: NodeId) => readonly number[] {
  const k = sources.length
  const places = new Map<NodeId, number>()
  // One row of k numbers for each neighbour of a source: what passes through it from each of them.
  const shares: number[] = []
  for (let source = 0; source < k; source++)
    for (const { node: w, weight } of graph.neighbours(sources[source]!)) {
      let place = places.get(w)
      if (place === undefined) {
        place = shares.length
        places.set(w, place)
        for (let i = 0; i < k; i++) shares.push(0)
      }
      shares[place + source] = weight / Math.log(1 + graph.degree(w))
    }
  return (v) => {
    const sums = new Array<number>(k).fill(0)
    for (const { node: w, weight } of graph.neighbours(v)) {
      const place = places.get(w)
      if (place === undefined) continue
      for (let source = 0; source < k; source++) sums[source]! += shares[place + source]! * weight
    }
    return sums
  }
}
