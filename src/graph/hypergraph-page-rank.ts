/**
 * PageRank on a hypergraph: a node matters when it is used together with nodes that matter, or needed by them. Each capability is a
 * hyperedge that holds the capability and its tools. A walker chooses among the hyperedges it is in (1 each) and the directed edges that
 * lead on (their weights); in a hyperedge any member is as likely, the one it came from too. With probability .15, and where
 * nothing leads on, it starts anew anywhere.
 *
 * References: D. Zhou, J. Huang, B. Schölkopf. Learning with hypergraphs: clustering, classification, and embedding. NIPS 2006 (the walk).
 * L. Page, S. Brin, R. Motwani, T. Winograd. The PageRank citation ranking: bringing order to the Web. Stanford InfoLab, 1999.
 */
import type { NodeId } from '../model/edge.js'

export interface HypergraphInput {
  /** Tools and capabilities. What else the rest names is left out. */
  readonly nodes: readonly NodeId[]
  readonly memberships: readonly { readonly capability: NodeId; readonly tool: NodeId }[]
  /** `dependency` and `contains`: rank goes from what needs or holds to what is needed or held. Weights of repeats add up. */
  readonly edges: readonly { readonly from: NodeId; readonly to: NodeId; readonly weight: number }[]
}

/** Every node; adds up to 1. */
export function hypergraphPageRank({
  nodes,
  memberships,
  edges,
}: HypergraphInput): ReadonlyMap<NodeId, number> {
  const names = [...new Set(nodes)]
  const numbers = new Map(names.map((node, i) => [node, i]))
  const rank = walk(names.length, hyperedgesOf(numbers, memberships), directedOf(numbers, edges))
  return new Map(names.map((node, i) => [node, rank[i]!]))
}

const damping = 0.85
const tolerance = 1e-8
const mostRounds = 100

/** The i-th pair says that `node[i]` is in `hyperedge[i]`. */
interface Hyperedges {
  readonly sizes: Uint32Array
  readonly node: Uint32Array
  readonly hyperedge: Uint32Array
}

interface Directed {
  readonly from: Uint32Array
  readonly to: Uint32Array
  readonly weight: Float64Array
}

function walk(
  order: number,
  { sizes, node, hyperedge }: Hyperedges,
  { from, to, weight }: Directed,
): Float64Array {
  const total = new Float64Array(order)
  for (let i = 0; i < node.length; i++) total[node[i]!]! += 1
  for (let i = 0; i < from.length; i++) total[from[i]!]! += weight[i]!

  let rank = new Float64Array(order).fill(1 / order)
  let next = new Float64Array(order)
  const held = new Float64Array(sizes.length)
  for (let round = 0, change = 1; round < mostRounds && change >= tolerance; round++) {
    let ending = 0
    for (let i = 0; i < order; i++) if (total[i] === 0) ending += rank[i]!
    next.fill((1 - damping + damping * ending) / order)
    held.fill(0)
    for (let i = 0; i < node.length; i++) held[hyperedge[i]!]! += rank[node[i]!]! / total[node[i]!]!
    for (let i = 0; i < held.length; i++) held[i]! *= damping / sizes[i]!
    for (let i = 0; i < node.length; i++) next[node[i]!]! += held[hyperedge[i]!]!
    for (let i = 0; i < from.length; i++)
      next[to[i]!]! += (damping * rank[from[i]!]! * weight[i]!) / total[from[i]!]!
    change = 0
    for (let i = 0; i < order; i++) change += Math.abs(next[i]! - rank[i]!)
    ;[rank, next] = [next, rank]
  }
  return rank
}

/** One for each capability that has a tool; a tool that is named twice is in it once. */
function hyperedgesOf(
  numbers: ReadonlyMap<NodeId, number>,
  memberships: HypergraphInput['memberships'],
): Hyperedges {
  const membersOf = new Map<number, Set<number>>()
  for (const { capability, tool } of memberships) {
    const holder = numbers.get(capability)
    const member = numbers.get(tool)
    if (holder === undefined || member === undefined) continue
    const members = membersOf.get(holder)
    if (members === undefined) membersOf.set(holder, new Set([holder, member]))
    else members.add(member)
  }
  const all = [...membersOf.values()]
  return {
    sizes: Uint32Array.from(all, ({ size }) => size),
    node: Uint32Array.from(all.flatMap((members) => [...members])),
    hyperedge: Uint32Array.from(all.flatMap(({ size }, i) => Array<number>(size).fill(i))),
  }
}

function directedOf(numbers: ReadonlyMap<NodeId, number>, edges: HypergraphInput['edges']): Directed {
  const known = edges.filter(({ from, to, weight }) => numbers.has(from) && numbers.has(to) && weight > 0)
  return {
    from: Uint32Array.from(known, ({ from }) => numbers.get(from)!),
    to: Uint32Array.from(known, ({ to }) => numbers.get(to)!),
    weight: Float64Array.from(known, ({ weight }) => weight),
  }
}
