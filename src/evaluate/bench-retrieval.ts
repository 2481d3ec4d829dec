/**
 * How well search finds tools: every request of a set against the set's whole catalogue, without context, through the very
 * search the gateway uses. Never opens a data directory.
 */
import type { Embedder } from '../embed/embedder.js'
import { openToolVectors } from '../embed/open-tool-vectors.js'
import { UsageError } from '../errors.js'
import { createKnowledgeGraph } from '../graph/create-knowledge-graph.js'
import { silentLog } from '../model/log.js'
import { createToolSearch, type ToolHit, type ToolSearch } from '../plan/find/create-tool-search.js'
import { percentile } from './percentile.js'
import { createPlainBm25 } from './plain-bm25.js'
import { readQueries, readToolSet } from './read-set.js'
import { type Ranking, type RetrievalFigures, retrievalFigures } from './retrieval-figures.js'

export interface RetrievalReport extends RetrievalFigures {
  readonly tools: number
  readonly p50_ms: number
  readonly p95_ms: number
  /** Mean gap between a hit's score and how often hits of such scores were wanted, over the first ten hits. */
  readonly calibration_error: number
  /** Wanted tools that the set does not hold: nobody can find them, and they count as not found. */
  readonly unknown_gold: number
  /** Textbook BM25 on the same requests. */
  readonly floor: RetrievalFigures
}

export interface Prediction {
  readonly id: string
  readonly ranked: readonly string[]
}

export interface BenchRetrievalOptions {
  readonly set: string
  /** Undefined: words alone. */
  readonly embedder: Embedder | undefined
  onPrediction(prediction: Prediction): void
}

const rankedAtMost = 50

export async function benchRetrieval(options: BenchRetrievalOptions): Promise<RetrievalReport> {
  const set = await readToolSet(options.set)
  const queries = (await readQueries(options.set)).filter(({ gold }) => gold.length > 0)
  if (queries.length === 0)
    throw new UsageError(
      `No request in ${options.set} wants a tool.`,
      'queries.jsonl needs rows with a "gold" that is not empty.',
    )
  const { search, close } = await openBareSearch(options.embedder)
  try {
    search.follow(set.tools)
    await search.settled()
    const rankings: Ranking[] = []
    const times: number[] = []
    const judged: Judged[] = []
    for (const { id, query, gold } of queries) {
      const from = performance.now()
      const hits = await search.search(query, { limit: rankedAtMost, context: [] })
      times.push(performance.now() - from)
      const ranked = hits.map(({ tool }) => set.idOf(tool.id))
      rankings.push({ gold, ranked })
      judged.push(...judge(hits, ranked, gold))
      options.onPrediction({ id, ranked })
    }
    const plain = createPlainBm25(set.tools)
    const floor = queries.map(({ query, gold }) => ({
      gold,
      ranked: plain(query, rankedAtMost).map(({ id }) => set.idOf(id)),
    }))
    return {
      ...retrievalFigures(rankings),
      tools: set.tools.length,
      p50_ms: percentile(times, 0.5),
      p95_ms: percentile(times, 0.95),
      calibration_error: calibrationError(judged),
      unknown_gold: queries.flatMap(({ gold }) => gold).filter((id) => set.toolOf(id) === undefined).length,
      floor: retrievalFigures(floor),
    }
  } finally {
    await close()
  }
}

/** The gateway's search without the gateway: no store, nothing learned. */
async function openBareSearch(
  embedder: Embedder | undefined,
): Promise<{ readonly search: ToolSearch; close(): Promise<void> }> {
  const vectors = openToolVectors({
    store: () => Promise.reject(new Error('a bench has no store')),
    log: silentLog,
  })
  const graph = createKnowledgeGraph({ now: Date.now, cosine: () => undefined })
  // A model that does not answer is told at once; left to the vectors, it would be asked again and again.
  await embedder?.embed(['a tool'], 'tool', new AbortController().signal)
  await vectors.use(embedder)
  return { search: createToolSearch({ vectors, graph }), close: () => vectors.close() }
}

interface Judged {
  readonly score: number
  readonly wanted: boolean
}

function judge(hits: readonly ToolHit[], ranked: readonly string[], gold: readonly string[]): Judged[] {
  return hits.slice(0, 10).map(({ score }, at) => ({ score, wanted: gold.includes(ranked[at]!) }))
}

/** Expected calibration error in ten bins. M. P. Naeini et al., "Obtaining well calibrated probabilities", AAAI 2015. */
function calibrationError(judged: readonly Judged[]): number {
  const bins = Array.from({ length: 10 }, () => ({ score: 0, wanted: 0 }))
  for (const { score, wanted } of judged) {
    const bin = bins[Math.min(9, Math.floor(score * 10))]!
    bin.score += score
    bin.wanted += wanted ? 1 : 0
  }
  const gaps = bins.reduce((sum, { score, wanted }) => sum + Math.abs(score - wanted), 0)
  return gaps / Math.max(1, judged.length)
}
