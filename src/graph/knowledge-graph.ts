/**
 * What is known of how tools go together: a graph in memory, loaded from the store and changed by observations. Promises:
 * edges, weights, promotion, decay and acyclicity as documented in edge-weight.ts, promote-edge.ts and create-cycle-check.ts;
 * a change costs less than a millisecond; `revision` grows with every change. Never touches the store: what changed is
 * returned, and the caller writes it through.
 */
import type { Edge, EdgeKey, NodeId, Observation } from '../model/edge.js'
import type { NamedPairs } from './weighted-pairs.js'

export interface KnowledgeGraph {
  /** What was computed from an older revision is stale. */
  readonly revision: number
  /** Replaces everything. Refused: what cannot be true (is-possible-edge.ts) or would close a cycle. */
  load(edges: readonly Edge[]): { readonly refused: readonly Edge[] }
  /** In no particular order. */
  edges(): readonly Edge[]
  edge(key: EdgeKey): Edge | undefined
  /** The whole graph as numbers, for algorithms that look at all of it. */
  weightedPairs(): NamedPairs
  /**
   * Takes in what runs have shown, in order; each changed edge is returned once, as it is now. Refused: what would close a
   * cycle of `contains` or of `dependency`, leads from a node to itself, or has no possible type or time.
   */
  observe(observations: readonly Observation[]): ObserveResult
  /** Replaces the templates that nobody has seen yet by these; what has been seen stays as it is. */
  replaceTemplates(keys: readonly EdgeKey[]): ReplaceResult
  /** Weight of the strongest edge from one to the other, 0 where there is none. */
  weight(from: NodeId, to: NodeId): number
  /** Both directions, strongest edge each, strongest neighbour first. */
  neighbours(node: NodeId): readonly Neighbour[]
  /** How many distinct neighbours, in either direction. */
  degree(node: NodeId): number
  /** Every edge from this node, strongest first. */
  outgoing(node: NodeId): readonly WeightedEdge[]
  /** Every edge to this node, strongest first. */
  incoming(node: NodeId): readonly WeightedEdge[]
  /** How often runs have shown an edge of this node. */
  observations(node: NodeId): number
  /** Share of the possible ordered pairs that have an edge. */
  density(): number
  /** How far search trusts meaning over structure around this node, see local-alpha.ts. */
  activeAlpha(node: NodeId): number
}

export interface ObserveResult {
  readonly changed: readonly Edge[]
  readonly refused: readonly Observation[]
}

export interface ReplaceResult {
  readonly added: readonly Edge[]
  readonly removed: readonly Edge[]
  readonly refused: readonly EdgeKey[]
}

export interface Neighbour {
  readonly node: NodeId
  readonly weight: number
}

export interface WeightedEdge {
  readonly edge: Edge
  readonly weight: number
}

export interface KnowledgeGraphOptions {
  now(): number
  /** Likeness of what two nodes say of themselves, in [-1, 1]; undefined where one is not known. */
  cosine(a: NodeId, b: NodeId): number | undefined
}
