/**
 * Which tools and capabilities belong together, and how much each matters: spectral clusters and hypergraph PageRank, by the revision of the
 * capabilities, as analyse-in-worker.ts promises.
 */
import { builtUrl } from '../model/built-url.js'
import type { NodeId } from '../model/edge.js'
import type { Log } from '../model/log.js'
import { analyseInWorker, type WorkerAnalysis } from './analyse-in-worker.js'
import type { HypergraphInput } from './hypergraph-page-rank.js'
import type { ClusterInput } from './spectral-clusters.js'

export interface ClusterAnalysis {
  /** Numbers mean nothing but "the same". */
  readonly clusters: ReadonlyMap<NodeId, number>
  /** Adds up to 1. */
  readonly rank: ReadonlyMap<NodeId, number>
}

export type ClusterAnalyses = WorkerAnalysis<ClusterAnalysis>

/** Capabilities with their tools, links between capabilities, and what needs or holds what. */
export type CapabilityGraph = ClusterInput & HypergraphInput

export interface ClusterAnalysisOptions {
  /** 0 while there is nothing. */
  revision(): number
  graph(): CapabilityGraph
  readonly log: Log
  readonly debounceMs: number
}

export function createClusterAnalysis(
  { revision, graph, log, debounceMs }: ClusterAnalysisOptions,
  workerUrl: URL = builtUrl('./cluster-worker.js', import.meta.url),
): ClusterAnalyses {
  return analyseInWorker<ClusterAnalysis, ClusterAnalysis>({
    ...{ revision, workerUrl, log, debounceMs, what: 'What belongs together' },
    first: { revision: 0, result: { clusters: new Map(), rank: new Map() } },
    begin: () => ({ data: graph(), transferList: [], finish: (found) => found }),
  })
}
