import { parentPort, workerData } from 'node:worker_threads'
import type { CapabilityGraph, ClusterAnalysis } from './create-cluster-analysis.js'
import { hypergraphPageRank } from './hypergraph-page-rank.js'
import { spectralClusters } from './spectral-clusters.js'

const graph = workerData as CapabilityGraph
const found: ClusterAnalysis = { clusters: spectralClusters(graph).of, rank: hypergraphPageRank(graph) }
parentPort?.postMessage(found)
