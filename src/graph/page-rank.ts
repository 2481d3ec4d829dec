/**
 * PageRank, weighted: a node matters when nodes that matter lead to it. A surfer follows edges by their weights and, with
 * probability .15 and where no edge leads on, starts anew anywhere.
 *
 * Power iteration over typed arrays, until all changes together are below 1e-9. (graphology-metrics stops at 1e-6 for each node,
 * throws where that is not reached, and wants a graphology graph, which takes longer to build than this to run.)
 *
 * Reference: L. Page, S. Brin, R. Motwani, T. Winograd. The PageRank citation ranking: bringing order to the Web. Stanford
 * InfoLab, 1999.
 */
import type { WeightedPairs } from './weighted-pairs.js'

/** By node; adds up to 1. */
export function pageRank({ order, from, to, weight }: WeightedPairs): Float64Array<ArrayBuffer> {
  const total = new Float64Array(order)
  for (let i = 0; i < from.length; i++) total[from[i]!]! += weight[i]!
  const share = weight.map((value, i) => (value > 0 ? value / total[from[i]!]! : 0))

  let rank = new Float64Array(order).fill(1 / order)
  let next = new Float64Array(order)
  for (let round = 0, change = 1; round < mostRounds && change >= tolerance; round++) {
    let ending = 0
    for (let node = 0; node < order; node++) if (total[node] === 0) ending += rank[node]!
    next.fill((1 - damping + damping * ending) / order)
    for (let i = 0; i < from.length; i++) next[to[i]!]! += damping * rank[from[i]!]! * share[i]!
    change = 0
    for (let node = 0; node < order; node++) change += Math.abs(next[node]! - rank[node]!)
    ;[rank, next] = [next, rank]
  }
  return rank
}

const damping = 0.85
const tolerance = 1e-9
/** .85 ^ 128 is below 1e-9, so this is never reached but for rounding. */
const mostRounds = 200
