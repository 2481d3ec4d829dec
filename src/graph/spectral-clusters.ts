/**
 * Spectral clustering: groups of capabilities and tools that are used with one another. The smallest eigenvectors of the normalised
 * Laplacian change little along strong ties and much across weak ones; in their coordinates groups are heaps that k-means can tell apart.
 * How many there are is where the eigenvalues make their largest step.
 *
 * What no path joins is never put together, so every connected part is looked at by itself, with 2 to 8 clusters; how many
 * other parts there are changes nothing about it. A part stays whole where it has fewer than four nodes, or where its second eigenvalue is
 * .5 or more: then every way to cut it in two cuts at least a quarter of the weight on one side (Cheeger's inequality), as in one
 * capability with its tools. A node without ties is alone, and numbered after the clusters.
 *
 * References: A. Y. Ng, M. I. Jordan, Y. Weiss. On spectral clustering: analysis and an algorithm. NIPS 2001. U. von Luxburg. A
 * tutorial on spectral clustering. Statistics and Computing 17(4), 2007 (eigengap). F. R. K. Chung. Spectral Graph Theory, chapter 2.
 * AMS, 1997 (Cheeger's inequality).
 */
import type { NodeId } from '../model/edge.js'
import { seededRandom } from '../model/seeded-random.js'
import { type AffinityMatrix, affinityMatrix, componentsOf, partOf } from './affinity-matrix.js'
import { kMeans } from './k-means.js'
import { lanczos } from './lanczos.js'

export interface ClusterInput {
  /** Tools and capabilities. What else the rest names is left out. */
  readonly nodes: readonly NodeId[]
  /** Each ties the two with weight 1. */
  readonly memberships: readonly { readonly capability: NodeId; readonly tool: NodeId }[]
  /** Between capabilities; weight = type * confidence, of both directions the larger. Those not above .3 are left out. */
  readonly links: readonly { readonly from: NodeId; readonly to: NodeId; readonly weight: number }[]
}

export interface Clusters {
  /** Clusters of two nodes and more, or of one that was cut off from others. */
  readonly k: number
  /**
   * Every node. 0 .. k - 1 by first appearance in `nodes`; from k on nodes without any tie, each alone. Numbers mean nothing but "the
   * same", and change between inputs.
   */
  readonly of: ReadonlyMap<NodeId, number>
  /** The smallest of the whole graph but for nodes without ties, at most nine, ascending. There are as many zeros as connected parts. */
  readonly eigenvalues: readonly number[]
}

/** The same input gives the same clusters in every bit. */
export function spectralClusters(graph: ClusterInput, options: { readonly seed?: number } = {}): Clusters {
  const nodes = [...new Set(graph.nodes)]
  const matrix = affinityMatrix(new Map(nodes.map((node, i) => [node, i])), [
    ...graph.memberships.map(({ capability, tool }) => ({ a: capability, b: tool, weight: 1 })),
    ...graph.links
      .filter(({ weight }) => weight > leastLink)
      .map(({ from, to, weight }) => ({ a: from, b: to, weight })),
  ])

  const random = seededRandom(options.seed ?? defaultSeed)
  const labels = new Int32Array(nodes.length).fill(alone)
  const eigenvalues: number[] = []
  let taken = 0
  for (const members of componentsOf(matrix)) {
    if (members.length === 1) continue
    const part = clusterPart(partOf(matrix, members), random)
    for (const [place, node] of members.entries()) labels[node] = taken + part.labels[place]!
    taken += part.k
    eigenvalues.push(...part.eigenvalues)
  }
  eigenvalues.sort((a, b) => a - b)
  return { ...numbered(nodes, labels), eigenvalues: eigenvalues.slice(0, mostClusters + 1) }
}

const leastLink = 0.3
const mostClusters = 8
/** Where the second eigenvalue is this large a part is one cluster. */
const tight = 0.5
/** Steps between eigenvalues that differ by less are the same: of equal ones the fewest clusters are taken. */
const sameStep = 1e-3
/** Any number will do, as long as it stays. */
const defaultSeed = 1
const alone = -1

interface PartClusters {
  readonly k: number
  readonly labels: ArrayLike<number>
  readonly eigenvalues: readonly number[]
}

function clusterPart(matrix: AffinityMatrix, random: () => number): PartClusters {
  const order = matrix.starts.length - 1
  const { eigenvalues, vectors } = smallestEigenpairs(matrix, Math.min(mostClusters + 1, order), random)
  const k = countClusters(eigenvalues, order)
  if (k === 1) return { k, labels: new Uint32Array(order), eigenvalues }
  return { k, labels: kMeans({ points: unitRows(vectors, k), dimension: k, k, random }), eigenvalues }
}

/** Of I - D^-1/2 W D^-1/2, where D holds the sums of W's rows. Its smallest are the largest of what is taken off I. */
function smallestEigenpairs(
  { starts, targets, weights }: AffinityMatrix,
  count: number,
  random: () => number,
): { readonly eigenvalues: readonly number[]; readonly vectors: readonly Float64Array[] } {
  const order = starts.length - 1
  const roots = new Float64Array(order)
  for (let node = 0; node < order; node++) {
    let sum = 0
    for (let i = starts[node]!; i < starts[node + 1]!; i++) sum += weights[i]!
    roots[node] = Math.sqrt(sum)
  }
  const scaled = new Float64Array(weights.length)
  for (let node = 0; node < order; node++)
    for (let i = starts[node]!; i < starts[node + 1]!; i++)
      scaled[i] = weights[i]! / (roots[node]! * roots[targets[i]!]!)

  // The first is known: 0, along the roots of the degrees. A connected part has it once.
  const length = Math.sqrt(roots.reduce((sum, root) => sum + root * root, 0))
  const first = roots.map((root) => root / length)
  const rest = lanczos({
    order,
    multiply(vector, product) {
      for (let node = 0; node < order; node++) {
        let sum = 0
        for (let i = starts[node]!; i < starts[node + 1]!; i++) sum += scaled[i]! * vector[targets[i]!]!
        product[node] = sum
      }
    },
    count: count - 1,
    known: [first],
    random,
  })
  return {
    eigenvalues: [0, ...rest.map(({ value }) => 1 - value)],
    vectors: [first, ...rest.map(({ vector }) => vector)],
  }
}

/** Where the largest step comes after; clusters have two nodes each, or more, on average. */
function countClusters(eigenvalues: readonly number[], order: number): number {
  const most = Math.min(mostClusters, Math.floor(order / 2), eigenvalues.length - 1)
  if (most < 2 || eigenvalues[1]! > tight - sameStep) return 1
  let best = 2
  const step = (k: number): number => eigenvalues[k]! - eigenvalues[k - 1]!
  for (let k = 3; k <= most; k++) if (step(k) > step(best) + sameStep) best = k
  return best
}

/** A node's elements of the first k vectors, as a point on the unit sphere. */
function unitRows(vectors: readonly Float64Array[], k: number): Float64Array {
  const order = vectors[0]!.length
  const points = new Float64Array(order * k)
  for (let node = 0; node < order; node++) {
    let sum = 0
    for (let i = 0; i < k; i++) sum += vectors[i]![node]! ** 2
    // Never 0: the first vector has no zeros.
    for (let i = 0; i < k; i++) points[node * k + i] = vectors[i]![node]! / Math.sqrt(sum)
  }
  return points
}

function numbered(nodes: readonly NodeId[], labels: Int32Array): Pick<Clusters, 'k' | 'of'> {
  const numbers = new Map<number, number>()
  for (const label of labels) if (label !== alone && !numbers.has(label)) numbers.set(label, numbers.size)
  const k = numbers.size
  let next = k
  const of = new Map(nodes.map((node, i) => [node, labels[i] === alone ? next++ : numbers.get(labels[i]!)!]))
  return { k, of }
}
