/**
 * Communities by Louvain's method: groups of nodes with more weight among them than chance would put there. On the
 * undirected projection, where the weights of both directions add up.
 *
 * graphology's implementation, with a seeded random source, so that the same graph gives the same communities; they are
 * numbered by their first node.
 *
 * Reference: V. D. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre. Fast unfolding of communities in large networks. Journal
 * of Statistical Mechanics P10008, 2008.
 */
import { UndirectedGraph } from 'graphology'
import louvainModule from 'graphology-communities-louvain'
import { seededRandom } from '../model/seeded-random.js'
import type { WeightedPairs } from './weighted-pairs.js'

/** By node. */
export function louvain({ order, from, to, weight }: WeightedPairs): Uint32Array<ArrayBuffer> {
  const graph = new UndirectedGraph<object, { weight: number }>()
  for (let node = 0; node < order; node++) graph.addNode(node)
  for (let i = 0; i < from.length; i++) {
    if (!(weight[i]! > 0)) continue
    graph.updateEdge(from[i]!, to[i]!, ({ weight: before = 0 }) => ({ weight: before + weight[i]! }))
  }
  const found = communities(graph, { getEdgeWeight: 'weight', rng: seededRandom(seed) })

  const numbers = new Map<number, number>()
  return Uint32Array.from({ length: order }, (_, node) => {
    const community = found[node]!
    const number = numbers.get(community) ?? numbers.size
    numbers.set(community, number)
    return number
  })
}

/** The package's types speak of a default export; what it exports is the function itself. */
const communities = louvainModule as unknown as typeof louvainModule.default

/** Any number will do, as long as it stays. */
const seed = 1
