import type { NodeId } from '../model/edge.js'

/** What goes with what, as numbers: a symmetric matrix in rows, without its diagonal. Row `i` has the places starts[i] .. starts[i + 1] - 1. */
export interface AffinityMatrix {
  readonly starts: Uint32Array<ArrayBuffer>
  readonly targets: Uint32Array<ArrayBuffer>
  readonly weights: Float64Array<ArrayBuffer>
}

export interface Affinity {
  readonly a: NodeId
  readonly b: NodeId
  readonly weight: number
}

/** Of two nodes that are named together several times, in whatever order, the largest weight holds. Names that have no number are left out. */
export function affinityMatrix(
  numbers: ReadonlyMap<NodeId, number>,
  affinities: readonly Affinity[],
): AffinityMatrix {
  const order = numbers.size
  const ends = new Uint32Array(2 * affinities.length)
  const counts = new Uint32Array(order + 1)
  let pairs = 0
  const weightOf = new Float64Array(affinities.length)
  for (const { a, b, weight } of affinities) {
    const from = numbers.get(a)
    const to = numbers.get(b)
    if (from === undefined || to === undefined || from === to) continue
    ends[2 * pairs] = from
    ends[2 * pairs + 1] = to
    weightOf[pairs] = weight
    counts[from]! += 1
    counts[to]! += 1
    pairs += 1
  }

  const rows = new Uint32Array(order + 1)
  for (let node = 0; node < order; node++) rows[node + 1] = rows[node]! + counts[node]!
  const free = rows.slice()
  const targets = new Uint32Array(2 * pairs)
  const weights = new Float64Array(2 * pairs)
  for (let end = 0; end < 2 * pairs; end++) {
    const place = free[ends[end]!]!++
    // The two ends of a pair stand side by side, at an even and the next odd place.
    targets[place] = ends[end ^ 1]!
    weights[place] = weightOf[end >> 1]!
  }

  // Repeats are folded into the first of their row.
  const starts = new Uint32Array(order + 1)
  const placeOf = new Int32Array(order).fill(-1)
  let size = 0
  for (let node = 0; node < order; node++) {
    for (let i = rows[node]!; i < rows[node + 1]!; i++) {
      const target = targets[i]!
      const known = placeOf[target]!
      if (known >= starts[node]!) weights[known] = Math.max(weights[known]!, weights[i]!)
      else {
        placeOf[target] = size
        targets[size] = target
        weights[size] = weights[i]!
        size += 1
      }
    }
    starts[node + 1] = size
  }
  return { starts, targets: targets.slice(0, size), weights: weights.slice(0, size) }
}

/** Groups of nodes that a path joins, each in ascending order, those of one node too; by their first nodes. */
export function componentsOf({ starts, targets }: AffinityMatrix): readonly Uint32Array<ArrayBuffer>[] {
  const order = starts.length - 1
  const isSeen = new Uint8Array(order)
  const components: Uint32Array<ArrayBuffer>[] = []
  for (let first = 0; first < order; first++) {
    if (isSeen[first] === 1) continue
    isSeen[first] = 1
    const members = [first]
    for (const node of members)
      for (let i = starts[node]!; i < starts[node + 1]!; i++) {
        const target = targets[i]!
        if (isSeen[target] === 1) continue
        isSeen[target] = 1
        members.push(target)
      }
    components.push(Uint32Array.from(members).sort())
  }
  return components
}

/** The rows of some nodes that have all their neighbours among them, numbered by their places in `members`. */
export function partOf(matrix: AffinityMatrix, members: Uint32Array): AffinityMatrix {
  const places = new Map(Array.from(members, (node, place) => [node, place]))
  const starts = new Uint32Array(members.length + 1)
  for (const [place, node] of members.entries())
    starts[place + 1] = starts[place]! + matrix.starts[node + 1]! - matrix.starts[node]!
  const targets = new Uint32Array(starts[members.length]!)
  const weights = new Float64Array(starts[members.length]!)
  for (const [place, node] of members.entries()) {
    const from = matrix.starts[node]!
    const to = matrix.starts[node + 1]!
    weights.set(matrix.weights.subarray(from, to), starts[place]!)
    for (let i = from; i < to; i++) targets[starts[place]! + i - from] = places.get(matrix.targets[i]!)!
  }
  return { starts, targets, weights }
}
