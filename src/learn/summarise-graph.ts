import type { Analysis } from '../graph/create-analysis.js'
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { Edge, EdgeSource, EdgeType, NodeId } from '../model/edge.js'

export interface GraphSummary {
  /** Tools that have an edge. */
  readonly tools: number
  readonly edges: number
  /** Share of the possible ordered pairs that have an edge. */
  readonly density: number
  /** Kinds without any edge are left out. */
  readonly kinds: readonly { readonly type: EdgeType; readonly source: EdgeSource; readonly edges: number }[]
  /** Heaviest first. */
  readonly strongest: readonly (Edge & { readonly weight: number })[]
  /** Groups of tools that are used together. */
  readonly communities: number
  /** What most ways lead to, by PageRank. */
  readonly central: readonly { readonly tool: NodeId; readonly pageRank: number }[]
}

const strongestShown = 10
const centralShown = 5
/** In the order of their base weights (graph/edge-weight.ts), surest first. */
const types: readonly EdgeType[] = ['dependency', 'contains', 'provides', 'alternative', 'sequence']
const sources: readonly EdgeSource[] = ['observed', 'inferred', 'template']

/** What is known, at a glance. */
export function summariseGraph(graph: KnowledgeGraph, { pageRank, communities }: Analysis): GraphSummary {
  const edges = graph.edges()
  const nodes = new Set(edges.flatMap(({ from, to }) => [from, to]))
  const kinds = types.flatMap((type) =>
    sources.map((source) => ({
      type,
      source,
      edges: edges.filter((edge) => edge.type === type && edge.source === source).length,
    })),
  )
  const strongest = [...nodes]
    .flatMap((node) => graph.outgoing(node).slice(0, strongestShown))
    .sort(
      (a, b) => b.weight - a.weight || b.edge.count - a.edge.count || (a.edge.from < b.edge.from ? -1 : 1),
    )
    .slice(0, strongestShown)
  return {
    tools: nodes.size,
    edges: edges.length,
    density: graph.density(),
    kinds: kinds.filter((kind) => kind.edges > 0),
    strongest: strongest.map(({ edge, weight }) => ({ ...edge, weight })),
    communities: new Set(communities.values()).size,
    central: [...pageRank]
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .slice(0, centralShown)
      .map(([tool, rank]) => ({ tool, pageRank: rank })),
  }
}
