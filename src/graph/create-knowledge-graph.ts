import {
  type Edge,
  type EdgeKey,
  type EdgeSource,
  type EdgeType,
  edgeKeyText,
  type NodeId,
  type Observation,
} from '../model/edge.js'
import { type AdjacencyNode, createAdjacency } from './create-adjacency.js'
import { type CycleCheck, createCycleCheck } from './create-cycle-check.js'
import { density } from './density.js'
import { isPossibleEdge, isPossibleKey } from './is-possible-edge.js'
import type { KnowledgeGraph, KnowledgeGraphOptions, Neighbour, WeightedEdge } from './knowledge-graph.js'
import { type Agreement, coherence, localAlpha } from './local-alpha.js'
import { promoteEdge } from './promote-edge.js'
import { drawNeighbours, strongestWeight, weighEdges, weighNeighbours } from './weigh-neighbours.js'
import { toWeightedPairs } from './weighted-pairs.js'

export function createKnowledgeGraph({ now, cosine }: KnowledgeGraphOptions): KnowledgeGraph {
  let adjacency = createAdjacency()
  let checks: CycleChecks = startChecks([]).checks
  let views = new Map<NodeId, View>()
  let viewedAt = 0
  let revision = 0

  /** Weights are those of the current hour: in an hour one loses three ten-thousandths, and searches ask many times. */
  const hour = (): number => Math.floor(now() / hourMs) * hourMs
  const viewOf = (node: AdjacencyNode): View => {
    const at = hour()
    if (at !== viewedAt) views = new Map()
    viewedAt = at
    const known = views.get(node.id)
    if (known?.version === node.version) return known
    const view = { at, version: node.version }
    views.set(node.id, view)
    return view
  }

  const neighbours = (id: NodeId): readonly Neighbour[] => {
    const node = adjacency.node(id)
    if (node === undefined) return []
    const view = viewOf(node)
    view.neighbours ??= weighNeighbours(node, view.at)
    return view.neighbours
  }
  const alphaOf = (node: AdjacencyNode, at: number): number => {
    const points: Agreement[] = []
    for (const { node: other, weight } of drawNeighbours(node, mostCompared, at)) {
      const likeness = cosine(node.id, other)
      if (likeness !== undefined && Number.isFinite(likeness)) points.push({ cosine: likeness, weight })
    }
    return localAlpha(coherence(points), node.observations)
  }
  /** As things stood at the observation, not as they stand now: traces replayed later give the same graph. */
  const meanAlpha = ({ from, to }: EdgeKey, at: number): number =>
    (alphaOf(adjacency.node(from)!, at) + alphaOf(adjacency.node(to)!, at)) / 2

  const accept = (key: EdgeKey): boolean =>
    isPossibleKey(key) && (checks[key.type]?.add(key.from, key.to) ?? true)
  const sourceAfter = (edge: Edge, seen: Observation): EdgeSource => {
    if (seen.promotes === undefined) return promoteEdge(edge, () => meanAlpha(seen, seen.at))
    return seen.promotes || edge.source === 'observed' ? 'observed' : 'inferred'
  }
  const observeOne = (seen: Observation): Edge | undefined => {
    if (!Number.isFinite(seen.at)) return undefined
    const known = adjacency.find(seen)
    if (known === undefined && !accept(seen)) return undefined
    const counted = countIn(known ?? newTemplate(seen), seen)
    adjacency.put(counted)
    const source = sourceAfter(counted, seen)
    if (source === counted.source) return counted
    const promoted = { ...counted, source }
    adjacency.put(promoted)
    return promoted
  }

  return {
    get revision() {
      return revision
    },
    load(edges) {
      adjacency = createAdjacency()
      views = new Map()
      revision += 1
      const refused: Edge[] = []
      const loaded = edges.filter((edge) => {
        const added = isPossibleEdge(edge) && adjacency.add(edge)
        if (!added) refused.push(edge)
        return added
      })
      const started = startChecks(loaded)
      checks = started.checks
      for (const edge of started.refused) adjacency.remove(edge)
      return { refused: [...refused, ...started.refused] }
    },
    edges: () => adjacency.edges(),
    weightedPairs: () => toWeightedPairs(adjacency.nodes(), hour()),
    edge: (key) => adjacency.find(key),
    observe(observations) {
      const changed = new Map<string, Edge>()
      const refused: Observation[] = []
      for (const seen of observations) {
        const edge = observeOne(seen)
        if (edge === undefined) refused.push(seen)
        else changed.set(edgeKeyText(edge), edge)
      }
      if (changed.size > 0) revision += 1
      return { changed: [...changed.values()], refused }
    },
    replaceTemplates(keys) {
      const wanted = new Set(keys.map(edgeKeyText))
      const removed = adjacency.edges().filter((edge) => isUnseen(edge) && !wanted.has(edgeKeyText(edge)))
      for (const edge of removed) {
        adjacency.remove(edge)
        checks[edge.type]?.remove(edge.from, edge.to)
      }
      const added: Edge[] = []
      const refused: EdgeKey[] = []
      for (const key of keys) {
        if (adjacency.find(key) !== undefined) continue
        if (!accept(key)) refused.push(key)
        else {
          const edge = newTemplate(key)
          adjacency.put(edge)
          added.push(edge)
        }
      }
      if (added.length + removed.length > 0) revision += 1
      return { added, removed, refused }
    },
    weight(from, to) {
      const number = adjacency.node(to)?.number
      const pair = number === undefined ? undefined : adjacency.node(from)?.out.get(number)
      return pair === undefined ? 0 : strongestWeight(pair.edges, hour())
    },
    neighbours,
    degree: (id) => adjacency.node(id)?.degree ?? 0,
    outgoing(id) {
      const node = adjacency.node(id)
      if (node === undefined) return []
      const view = viewOf(node)
      view.outgoing ??= weighEdges(node.out.values(), view.at)
      return view.outgoing
    },
    incoming(id) {
      const node = adjacency.node(id)
      if (node === undefined) return []
      const view = viewOf(node)
      view.incoming ??= weighEdges(node.in, view.at)
      return view.incoming
    },
    observations: (id) => adjacency.node(id)?.observations ?? 0,
    density: () => density(adjacency.order, adjacency.pairs),
    activeAlpha(id) {
      const node = adjacency.node(id)
      if (node === undefined) return 1
      const view = viewOf(node)
      view.alpha ??= alphaOf(node, view.at)
      return view.alpha
    },
  }
}

/** What was computed for a node, until one of its edges changes or the hour is over. */
interface View {
  readonly at: number
  readonly version: number
  neighbours?: readonly Neighbour[]
  outgoing?: readonly WeightedEdge[]
  incoming?: readonly WeightedEdge[]
  alpha?: number
}

const hourMs = 60 * 60 * 1000

/**
 * Neighbours that an alpha looks at. From so many the correlation is known to about .06, and the alpha to .015; around the
 * few tools that know thousands, more would take milliseconds of an observation.
 */
const mostCompared = 256

/** The types that plans and capabilities are made of: a cycle in one could not be run. */
type CycleChecks = Readonly<Partial<Record<EdgeType, CycleCheck>>>

function startChecks(edges: readonly Edge[]): { checks: CycleChecks; refused: readonly Edge[] } {
  const contains = createCycleCheck(edges.filter(({ type }) => type === 'contains'))
  const dependency = createCycleCheck(edges.filter(({ type }) => type === 'dependency'))
  return {
    checks: { contains: contains.check, dependency: dependency.check },
    refused: [...contains.refused, ...dependency.refused],
  }
}

function newTemplate({ from, to, type }: EdgeKey): Edge {
  return { from, to, type, source: 'template', count: 0, successes: 0, failures: 0 }
}

function isUnseen(edge: Edge): boolean {
  return edge.source === 'template' && edge.count === 0
}

function countIn(edge: Edge, { success, at }: Observation): Edge {
  return {
    ...edge,
    count: edge.count + 1,
    successes: edge.successes + (success ? 1 : 0),
    failures: edge.failures + (success ? 0 : 1),
    // Observations may arrive out of order.
    firstSeen: Math.min(edge.firstSeen ?? at, at),
    lastSeen: Math.max(edge.lastSeen ?? at, at),
  }
}
