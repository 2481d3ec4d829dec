/**
 * Keeps the edges of one type acyclic: an edge that would close a cycle is not taken.
 *
 * Idea: keep a topological order of the nodes. An edge that agrees with it needs no search; one that does not needs a
 * search only among the nodes that stand between its two ends, which are then put in order again.
 *
 * Reference: D. J. Pearce, P. H. J. Kelly. A dynamic topological sort algorithm for directed acyclic graphs. ACM Journal of
 * Experimental Algorithmics 11, 2006. The order of many at once: A. B. Kahn, Communications of the ACM 5(11), 1962.
 */
import type { NodeId } from '../model/edge.js'

export interface CycleCheck {
  /** False: it closes a cycle, and was not taken. A pair is added once. */
  add(from: NodeId, to: NodeId): boolean
  remove(from: NodeId, to: NodeId): void
}

export interface Pair {
  readonly from: NodeId
  readonly to: NodeId
}

/** Starts with these pairs, in linear time as long as they are acyclic; where they are not, the later ones are refused. */
export function createCycleCheck<P extends Pair>(
  pairs: readonly P[],
): { readonly check: CycleCheck; readonly refused: readonly P[] } {
  const nodes = new Map<NodeId, Node>()
  let first = 0
  let last = 0

  // Positions need not be without gaps: a new node goes to whichever end fits its first edge.
  const nodeAt = (id: NodeId, newPosition: () => number): Node => {
    const known = nodes.get(id)
    if (known !== undefined) return known
    const node: Node = { position: newPosition(), before: [], after: [], search: 0, waitsFor: 0 }
    nodes.set(id, node)
    return node
  }
  const add = (from: NodeId, to: NodeId): boolean => {
    if (from === to) return false
    const x = nodeAt(from, () => --first)
    const y = nodeAt(to, () => ++last)
    if (x.position > y.position && !reorder(x, y)) return false
    link(x, y)
    return true
  }

  const pending = startInOrder(pairs, (id) => nodeAt(id, () => ++last))
  return {
    refused: pending.filter(({ from, to }) => !add(from, to)),
    check: {
      add,
      remove(from, to) {
        const x = nodes.get(from)
        const y = nodes.get(to)
        if (x === undefined || y === undefined) return
        drop(x.after, y)
        drop(y.before, x)
      },
    },
  }
}

interface Node {
  position: number
  readonly before: Node[]
  readonly after: Node[]
  /** The search that came by last, so that none needs a set of its own. */
  search: number
  /** While starting: pairs to it whose first node has no place yet. */
  waitsFor: number
}

/** Kahn's order; pairs that leave a node which has no place in it, being on or behind a cycle, are given back. */
function startInOrder<P extends Pair>(pairs: readonly P[], nodeAt: (id: NodeId) => Node): P[] {
  const all = new Set<Node>()
  const ends = pairs.map(({ from, to }) => {
    const x = nodeAt(from)
    const y = nodeAt(to)
    all.add(x).add(y)
    x.after.push(y)
    y.waitsFor += 1
    return { x, y }
  })
  const positions = Array.from(all, (node) => node.position)
  const ordered = [...all].filter((node) => node.waitsFor === 0)
  for (const node of ordered)
    for (const next of node.after) {
      next.waitsFor -= 1
      if (next.waitsFor === 0) ordered.push(next)
    }
  const rest = [...all].filter((node) => node.waitsFor > 0)
  for (const [i, node] of [...ordered, ...rest].entries()) node.position = positions[i]!

  for (const node of rest) node.after.length = 0
  return pairs.filter((_, i) => {
    const { x, y } = ends[i]!
    if (x.waitsFor > 0) return true
    y.before.push(x)
    return false
  })
}

/** Makes room for x before y, which now stand the wrong way round; false where y leads to x. */
function reorder(x: Node, y: Node): boolean {
  const behind = collect(y, 'after', y.position, x.position)
  if (x.search === y.search) return false
  const ahead = collect(x, 'before', y.position, x.position)
  const moved = [...inOrder(ahead), ...inOrder(behind)]
  const positions = moved.map((node) => node.position).sort((a, b) => a - b)
  for (const [i, node] of moved.entries()) node.position = positions[i]!
  return true
}

let searches = 0

/** Who can be reached by way of those that stand from `first` to `last`. */
function collect(start: Node, direction: 'before' | 'after', first: number, last: number): Node[] {
  searches += 1
  start.search = searches
  const found = [start]
  for (const node of found)
    for (const next of node[direction]) {
      if (next.search === searches || next.position < first || next.position > last) continue
      next.search = searches
      found.push(next)
    }
  return found
}

function inOrder(nodes: Node[]): Node[] {
  return nodes.sort((a, b) => a.position - b.position)
}

function link(x: Node, y: Node): void {
  x.after.push(y)
  y.before.push(x)
}

function drop(list: Node[], node: Node): void {
  const at = list.indexOf(node)
  if (at >= 0) list.splice(at, 1)
}
