// Clusters or ranks of one graph, in a worker that has just begun, as every look at the whole graph is: nothing is compiled yet.

import { existsSync, readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { hypergraphPageRank } from '../../dist/graph/hypergraph-page-rank.js'
import { spectralClusters } from '../../dist/graph/spectral-clusters.js'

const { what, graph } = workerData
const work = { spectralClusters, hypergraphPageRank }[what]
const cpuBefore = cpuMs()
const from = performance.now()
const result = work(graph)
const ms = performance.now() - from
parentPort.postMessage({ ms, cpuMs: cpuMs() - cpuBefore, result })

/** What this thread has had of a processor; Linux alone tells. */
function cpuMs() {
  const path = '/proc/thread-self/schedstat'
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e6 : Number.NaN
}
