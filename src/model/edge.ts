import type { ToolId } from './tool.js'

/** What stands for itself in the graph; capabilities join it with ids of their own. */
export type NodeId = ToolId

export type EdgeType = 'dependency' | 'contains' | 'provides' | 'alternative' | 'sequence'

/** How an edge came to be known, weakest first: guessed from schemas, seen too seldom to be sure, seen. */
export type EdgeSource = 'template' | 'inferred' | 'observed'

/** Who an edge is: types are separate edges and never overwrite one another. `from` comes first, `to` needs or follows it. */
export interface EdgeKey {
  readonly from: NodeId
  readonly to: NodeId
  readonly type: EdgeType
}

/** A key for maps. A tool's own name may hold any character, so the length says where one ends and the other starts. */
export function edgeKeyText({ from, to, type }: EdgeKey): string {
  return `${type} ${from.length} ${from} ${to}`
}

export interface Edge extends EdgeKey {
  readonly source: EdgeSource
  readonly count: number
  readonly successes: number
  readonly failures: number
  /** Absent while nobody has seen it: a template has no age. */
  readonly firstSeen?: number
  readonly lastSeen?: number
}

/** One run's word about one edge. */
export interface Observation extends EdgeKey {
  readonly success: boolean
  readonly at: number
  /** Of a run that is replayed: whether it made the edge `observed` then. It depended on the embeddings of that time. */
  readonly promotes?: boolean
}
