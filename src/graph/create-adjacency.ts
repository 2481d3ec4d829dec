import type { Edge, EdgeKey, NodeId } from '../model/edge.js'

/**
 * Edges by their ends: each node knows its pairs, and each ordered pair its edges. A graphology graph was tried here: 50,000
 * edges took 260 to 420 ms to load, against 80 to 130, because each of its edges has a key and indices of its own.
 */
export interface Adjacency {
  readonly order: number
  /** Ordered pairs that have an edge. */
  readonly pairs: number
  node(id: NodeId): AdjacencyNode | undefined
  nodes(): Iterable<AdjacencyNode>
  find(key: EdgeKey): Edge | undefined
  /** False, and nothing done, where there is one with the same ends and type. */
  add(edge: Edge): boolean
  /** Adds it, or replaces the one with the same ends and type. */
  put(edge: Edge): void
  /** A node goes with its last edge. */
  remove(key: EdgeKey): void
  edges(): Edge[]
}

export interface AdjacencyNode {
  readonly id: NodeId
  /** By the number of the other end: a map of small integers is the fastest there is. */
  readonly out: ReadonlyMap<number, AdjacencyPair>
  readonly in: readonly AdjacencyPair[]
  readonly number: number
  /** In [0, 1), by its name: who is drawn when only some can be looked at, always the same ones. */
  readonly lot: number
  /** Distinct neighbours, in either direction. */
  readonly degree: number
  /** Sum of the counts of its edges. */
  readonly observations: number
  /** Another whenever one of its edges changes, also where the node was gone in between. */
  readonly version: number
}

export interface AdjacencyPair {
  readonly from: AdjacencyNode
  readonly to: AdjacencyNode
  readonly edges: readonly Edge[]
  /** The same two nodes the other way round. */
  readonly back: AdjacencyPair | undefined
}

export function createAdjacency(): Adjacency {
  const nodes = new Map<NodeId, Node>()
  let numbers = 0
  let pairs = 0
  let changes = 0

  const nodeOf = (id: NodeId): Node => {
    const known = nodes.get(id)
    if (known !== undefined) return known
    numbers += 1
    const node: Node = {
      id,
      number: numbers,
      lot: lotOf(id),
      out: new Map(),
      in: [],
      degree: 0,
      observations: 0,
      version: 0,
    }
    nodes.set(id, node)
    return node
  }
  const findPair = (key: EdgeKey): Pair | undefined => {
    const to = nodes.get(key.to)
    return to === undefined ? undefined : nodes.get(key.from)?.out.get(to.number)
  }
  const pairOf = (from: Node, to: Node): Pair => {
    const known = from.out.get(to.number)
    if (known !== undefined) return known
    const back = to.out.get(from.number)
    const pair: Pair = { from, to, edges: [], back }
    from.out.set(to.number, pair)
    to.in.push(pair)
    if (back === undefined) {
      from.degree += 1
      to.degree += 1
    } else back.back = pair
    pairs += 1
    return pair
  }
  const note = ({ from, to }: Pair, observations: number): void => {
    changes += 1
    for (const end of [from, to]) {
      end.observations += observations
      end.version = changes
    }
  }
  const removePair = (pair: Pair): void => {
    const { from, to, back } = pair
    from.out.delete(to.number)
    to.in.splice(to.in.indexOf(pair), 1)
    if (back === undefined) {
      from.degree -= 1
      to.degree -= 1
    } else back.back = undefined
    pairs -= 1
    for (const end of [from, to]) if (end.degree === 0) nodes.delete(end.id)
  }

  return {
    get order() {
      return nodes.size
    },
    get pairs() {
      return pairs
    },
    node: (id) => nodes.get(id),
    nodes: () => nodes.values(),
    find: (key) => edgeOf(findPair(key), key),
    add(edge) {
      const pair = pairOf(nodeOf(edge.from), nodeOf(edge.to))
      if (edgeOf(pair, edge) !== undefined) return false
      pair.edges.push(edge)
      note(pair, edge.count)
      return true
    },
    put(edge) {
      const pair = pairOf(nodeOf(edge.from), nodeOf(edge.to))
      const at = pair.edges.findIndex(({ type }) => type === edge.type)
      note(pair, edge.count - (pair.edges[at]?.count ?? 0))
      pair.edges[at < 0 ? pair.edges.length : at] = edge
    },
    remove(key) {
      const pair = findPair(key)
      const edge = edgeOf(pair, key)
      if (pair === undefined || edge === undefined) return
      pair.edges.splice(pair.edges.indexOf(edge), 1)
      note(pair, -edge.count)
      if (pair.edges.length === 0) removePair(pair)
    },
    edges() {
      const all: Edge[] = []
      for (const node of nodes.values())
        for (const { edges } of node.out.values()) for (const edge of edges) all.push(edge)
      return all
    },
  }
}

interface Node extends AdjacencyNode {
  readonly out: Map<number, Pair>
  readonly in: Pair[]
  degree: number
  observations: number
  version: number
}

interface Pair extends AdjacencyPair {
  readonly from: Node
  readonly to: Node
  readonly edges: Edge[]
  back: Pair | undefined
}

function edgeOf(pair: Pair | undefined, { type }: EdgeKey): Edge | undefined {
  return pair?.edges.find((edge) => edge.type === type)
}

/** FNV-1a (Fowler, Noll, Vo), with the finish of MurmurHash3: names that differ in the last letter end up far apart. */
function lotOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
