import type { NodeId } from '../model/edge.js'
import type { AdjacencyNode } from './create-adjacency.js'
import { strongestWeight } from './weigh-neighbours.js'

/**
 * A graph as numbers, for algorithms that look at all of it, in this thread or in another: nodes are 0 .. order - 1, and the
 * i-th pair leads from `from[i]` to `to[i]`. Each ordered pair stands once, with its strongest edge.
 */
export interface WeightedPairs {
  readonly order: number
  readonly from: Uint32Array<ArrayBuffer>
  readonly to: Uint32Array<ArrayBuffer>
  readonly weight: Float64Array<ArrayBuffer>
}

export interface NamedPairs {
  /** By number. */
  readonly nodes: readonly NodeId[]
  readonly pairs: WeightedPairs
}

/** Nodes are numbered by name and pairs sorted, so that the same edges in any order give the same result in every bit. */
export function toWeightedPairs(unsorted: Iterable<AdjacencyNode>, at: number): NamedPairs {
  const nodes = [...unsorted].sort((a, b) => (a.id < b.id ? -1 : 1))
  const places = new Map(nodes.map((node, i) => [node.number, i]))
  const size = nodes.reduce((sum, { out }) => sum + out.size, 0)
  const from = new Uint32Array(size)
  const to = new Uint32Array(size)
  const weight = new Float64Array(size)
  let i = 0
  for (const [place, node] of nodes.entries()) {
    const row = Array.from(node.out.values(), (pair) => ({ pair, place: places.get(pair.to.number)! }))
    for (const { pair, place: target } of row.sort((a, b) => a.place - b.place)) {
      from[i] = place
      to[i] = target
      weight[i] = strongestWeight(pair.edges, at)
      i += 1
    }
  }
  return { nodes: nodes.map(({ id }) => id), pairs: { order: nodes.length, from, to, weight } }
}
