/**
 * What takes a look at the whole graph: PageRank and communities, by graph revision. Promises: `current()` answers at once, with
 * the last that was finished; a newer one is computed in a worker, one at a time, which ends when it is done and so costs
 * no memory; a failure is logged and leaves the last one standing. Never keeps the process alive, but for `settled()`.
 */
import { Worker } from 'node:worker_threads'
import { builtUrl } from '../model/built-url.js'
import type { NodeId } from '../model/edge.js'
import type { Log } from '../model/log.js'
import type { KnowledgeGraph } from './knowledge-graph.js'
import type { WeightedPairs } from './weighted-pairs.js'

export interface Analysis {
  /** Of the graph it was computed from; 0 is the empty graph that every graph starts as. */
  readonly revision: number
  /** Adds up to 1. */
  readonly pageRank: ReadonlyMap<NodeId, number>
  /** Numbers mean nothing but "the same", and change between revisions. */
  readonly communities: ReadonlyMap<NodeId, number>
}

export interface Analyses {
  current(): Analysis
  /** Waits for one that is no older than the graph is now. */
  settled(): Promise<Analysis>
  close(): Promise<void>
}

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
  let latest: Analysis = { revision: 0, pageRank: new Map(), communities: new Map() }
  let running: Run | undefined
  let timer: NodeJS.Timeout | undefined
  let failedRevision: number | undefined
  let closed = false

  const start = (): Run => {
    clearTimeout(timer)
    timer = undefined
    const { revision } = graph
    const { nodes, pairs } = graph.weightedPairs()
    const { found, keepAlive, end } = runWorker(workerUrl, pairs)
    const done = found.then(
      ({ pageRank, communities }) => {
        running = undefined
        latest = { revision, pageRank: byName(nodes, pageRank), communities: byName(nodes, communities) }
      },
      (error: Error) => {
        running = undefined
        failedRevision = revision
        throw error
      },
    )
    // Whoever waits for it is told as well.
    done.catch((error: Error) => {
      if (!closed)
        log.warn('The graph could not be analysed; the last analysis stays.', { reason: error.message })
    })
    running = { done, keepAlive, end }
    return running
  }

  return {
    current() {
      const due = latest.revision !== graph.revision && failedRevision !== graph.revision
      if (due && running === undefined && !closed) timer ??= setTimeout(start, debounceMs).unref()
      return latest
    },
    async settled() {
      const wanted = graph.revision
      while (latest.revision < wanted) {
        if (closed) throw new Error('The analysis is closed.')
        const run = running ?? start()
        run.keepAlive()
        await run.done
      }
      return latest
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await running?.end()
    },
  }
}

interface Run {
  readonly done: Promise<void>
  keepAlive(): void
  end(): Promise<unknown>
}

/** What the worker answers, by node. */
export interface Found {
  readonly pageRank: Float64Array<ArrayBuffer>
  readonly communities: Uint32Array<ArrayBuffer>
}

function runWorker(
  url: URL,
  pairs: WeightedPairs,
): { readonly found: Promise<Found>; keepAlive(): void; end(): Promise<unknown> } {
  const worker = new Worker(url, {
    workerData: pairs,
    transferList: [pairs.from.buffer, pairs.to.buffer, pairs.weight.buffer],
  })
  worker.unref()
  const found = new Promise<Found>((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('The analysis ended before it was done.')))
  })
  return { found, keepAlive: () => worker.ref(), end: () => worker.terminate() }
}

function byName(nodes: readonly NodeId[], values: ArrayLike<number>): ReadonlyMap<NodeId, number> {
  return new Map(nodes.map((node, i) => [node, values[i]!]))
}
