/** Small graphs for the tests of this room. */
import type { Edge, EdgeType, NodeId, Observation } from '../model/edge.js'
import { createKnowledgeGraph } from './create-knowledge-graph.js'
import type { KnowledgeGraph } from './knowledge-graph.js'

export const dayMs = 24 * 60 * 60 * 1000
/** A whole hour, so that the hour's weights are those of the moment. */
export const noon = Date.UTC(2026, 0, 15, 12)

export const edgeTypes: readonly EdgeType[] = [
  'dependency',
  'contains',
  'provides',
  'alternative',
  'sequence',
]

export function id(name: string): NodeId {
  return `s:${name}` as NodeId
}

/** Seen just now, observed, every time a success: with `count` 8 its p is .9. */
export function edge(from: string, to: string, type: EdgeType, rest: Partial<Edge> = {}): Edge {
  const count = rest.count ?? 8
  return {
    from: id(from),
    to: id(to),
    type,
    source: 'observed',
    count,
    successes: count,
    failures: 0,
    firstSeen: noon,
    lastSeen: noon,
    ...rest,
  }
}

export function seen(from: string, to: string, type: EdgeType, rest: Partial<Observation> = {}): Observation {
  return { from: id(from), to: id(to), type, success: true, at: noon, ...rest }
}

export function graphOf(edges: readonly Edge[], at = noon): KnowledgeGraph {
  const graph = createKnowledgeGraph({ now: () => at, cosine: () => undefined })
  graph.load(edges)
  return graph
}

/** Dense enough that cycles, repeats and self loops come up all the time. */
export function randomObservations(random: () => number, count: number, nodes = 12): Observation[] {
  const pick = (n: number): number => Math.floor(random() * n)
  return Array.from({ length: count }, () =>
    seen(`t${pick(nodes)}`, `t${pick(nodes)}`, edgeTypes[pick(edgeTypes.length)]!, {
      success: random() < 0.7,
      at: noon - pick(200) * dayMs,
    }),
  )
}

export function sortEdges(edges: readonly Edge[]): readonly Edge[] {
  const text = (one: Edge): string => JSON.stringify([one.from, one.to, one.type])
  return [...edges].sort((a, b) => (text(a) < text(b) ? -1 : 1))
}
