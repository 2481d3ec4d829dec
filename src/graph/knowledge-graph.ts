/**
 * What is known of how tools go together: a graph in memory, loaded from the store and changed by observations. Promises:
 * edges, weights, promotion, decay and acyclicity as documented in edge-weight.ts, promote-edge.ts and closes-cycle.ts;
 * a change costs less than a millisecond; `revision` grows with every change. Never touches the store: what changed is
 * returned, and the caller writes it through.
 */
import type { Edge, EdgeKey, NodeId, Observation } from '../model/edge.js'

export interface KnowledgeGraph {
  /** What was computed from an older revision is stale. */
  readonly revision: number
  /** Replaces everything. */
  load(edges: readonly Edge[]): void
  edges(): readonly Edge[]
  edge(key: EdgeKey): Edge | undefined
  /** Takes in what runs have shown, in order. Refused: what would close a cycle of `contains` or of `dependency`. */
  observe(observations: readonly Observation[]): ObserveResult
  /** Replaces the templates that nobody has seen yet by these; what has been seen stays as it is. */
  replaceTemplates(keys: readonly EdgeKey[]): { readonly added: readonly Edge[]; readonly removed: readonly Edge[] }
  /** Weight of the strongest edge from one to the other, 0 where there is none. */
  weight(from: NodeId, to: NodeId): number
  /** Both directions, strongest edge each, strongest neighbour first. */
  neighbours(node: NodeId): readonly Neighbour[]
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

export interface Neighbour {
  readonly node: NodeId
  readonly weight: number
}

export interface KnowledgeGraphOptions {
  now(): number
  /** Likeness of what two nodes say of themselves, in [-1, 1]; undefined where one is not known. */
  cosine(a: NodeId, b: NodeId): number | undefined
}
