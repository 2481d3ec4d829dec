import { parentPort, workerData } from 'node:worker_threads'
import type { Found } from './create-analysis.js'
import { louvain } from './louvain.js'
import { pageRank } from './page-rank.js'
import type { WeightedPairs } from './weighted-pairs.js'

const pairs = workerData as WeightedPairs
const found: Found = { pageRank: pageRank(pairs), communities: louvain(pairs) }
parentPort?.postMessage(found)
