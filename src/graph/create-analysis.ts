/** What takes a look at the whole graph: PageRank and communities, by graph revision, as analyse-in-worker.ts promises. */
import { builtUrl } from '../model/built-url.js'
import type { NodeId } from '../model/edge.js'
import type { Log } from '../model/log.js'
import { analyseInWorker, type WorkerAnalysis } from './analyse-in-worker.js'
import type { KnowledgeGraph } from './knowledge-graph.js'

export interface Analysis {
  /** Of the graph it was computed from; 0 is the empty graph that every graph starts as. */
  readonly revision: number
  /** Adds up to 1. */
  readonly pageRank: ReadonlyMap<NodeId, number>
  /** Numbers mean nothing but "the same", and change between revisions. */
  readonly communities: ReadonlyMap<NodeId, number>
}

export type Analyses = WorkerAnalysis<Analysis>

export interface AnalysisOptions {
  readonly graph: Pick<KnowledgeGraph, 'revision' | 'weightedPairs'>
  readonly log: Log
  /** How long to wait for further changes before computing. */
  readonly debounceMs: number
}

export function createAnalysis(
  { graph, log, debounceMs }: AnalysisOptions,
  workerUrl: URL = builtUrl('./analysis-worker.js', import.meta.url),
): Analyses {
  return analyseInWorker<Found, Analysis>({
    ...{ workerUrl, log, debounceMs, what: 'The graph' },
    revision: () => graph.revision,
    first: { revision: 0, result: { revision: 0, pageRank: new Map(), communities: new Map() } },
    begin() {
      const { revision } = graph
      const { nodes, pairs } = graph.weightedPairs()
      return {
        data: pairs,
        transferList: [pairs.from.buffer, pairs.to.buffer, pairs.weight.buffer],
        finish: ({ pageRank, communities }) => ({
          revision,
          pageRank: byName(nodes, pageRank),
          communities: byName(nodes, communities),
        }),
      }
    },
  })
}

/** What the worker answers, by node. */
export interface Found {
  readonly pageRank: Float64Array<ArrayBuffer>
  readonly communities: Uint32Array<ArrayBuffer>
}

function byName(nodes: readonly NodeId[], values: ArrayLike<number>): ReadonlyMap<NodeId, number> {
  return new Map(nodes.map((node, i) => [node, values[i]!]))
}
