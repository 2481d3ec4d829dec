/**
 * Finds tools by name, by what they say of themselves, and by what they were used with. Promises: an exact or near-exact
 * name comes first outright; without a context the order is that of `semantic`, whatever the graph holds; the same
 * catalogue, query and context always give the same answer; any text is a legal query. Never touches the network, the
 * store or the clock: vectors and graph are given.
 *
 *     query ─┬─ names ──────────────────────── near a name: first, by nearness
 *            ├─ words (BM25F) ──┐
 *            ├─ embedding ──────┴─ semantic ─┬─ score = alpha * semantic + (1 - alpha) * max(semantic, evidence)
 *     context ── graph ─ evidence ───────────┘
 */
import type { EmbeddedQuery, ToolVectors } from '../../embed/open-tool-vectors.js'
import { createEvidence, type Evidence } from '../../graph/create-evidence.js'
import { candidateCount, graphCandidates } from '../../graph/graph-candidates.js'
import type { KnowledgeGraph } from '../../graph/knowledge-graph.js'
import type { Tool, ToolId } from '../../model/tool.js'
import { bestSlots } from './best-slots.js'
import { type CatalogueIndex, createCatalogueIndex } from './create-catalogue-index.js'
import { fuseSignals } from './fuse-signals.js'
import { type NameMatches, nearness as nameNearness } from './match-name.js'
import { scoreInContext } from './score-in-context.js'
import { scoreWords } from './score-words.js'
import { splitRequest } from './split-request.js'
import { toolSentence } from './tool-sentence.js'

export interface ToolSearch {
  /** The catalogue is these tools from now on; a search waits until they are taken up. */
  follow(tools: readonly Tool[]): void
  search(query: string, options: SearchOptions): Promise<readonly ToolHit[]>
  /** Likeness of what two tools say; undefined where one is not known. */
  cosine(a: ToolId, b: ToolId): number | undefined
  /** Resolves when the catalogue is taken up, vectors included where the model is not in trouble. */
  settled(): Promise<void>
}

export interface SearchOptions {
  readonly limit: number
  /** Tools that are used together with what is looked for. */
  readonly context: readonly ToolId[]
}

export interface ToolHit {
  readonly tool: Tool
  readonly score: number
  readonly parts: ScoreParts
}

/** Where a score comes from. */
export interface ScoreParts {
  /** How near the query is to the tool's name: one of `nearness` in match-name.ts, or 0. */
  readonly name: number
  /** How much the tool says of the query, in words that no other tool says. */
  readonly words: number
  /** Cosine of the embeddings, in the mean with that of the request's nearest part if it has parts; absent without a model. */
  readonly cosine?: number
  /** Words and cosine in one: how probable it is that the tool is wanted. */
  readonly semantic: number
  /** What the context adds; absent where it adds nothing. */
  readonly graph?: {
    readonly alpha: number
    readonly evidence: number
    readonly by: Evidence['by']
    readonly from?: ToolId
  }
  /** Of a capability: how far it can be relied on, itself and with all that it needs. */
  readonly capability?: {
    readonly rate: number
    readonly reliability: number
    readonly transitive: number
    readonly weakest?: ToolId
    readonly standsInFor?: ToolId
    /** How far it fits what was used so far. */
    readonly discovery?: number
  }
}

export interface ToolSearchOptions {
  readonly vectors: ToolVectors
  readonly graph: Pick<KnowledgeGraph, 'activeAlpha' | 'degree' | 'density' | 'neighbours'>
}

/** The longest request of the development sets has 4,739 characters; what follows later says no more about the tool. */
const longestQuery = 10_000
/** The best by words are compared by meaning even where a prefilter would pass them over. */
const comparedByWords = 500
/** Whoever is not among so many by the whole request hardly comes first by a part of it; all of 100,000 would take 8 ms a part. */
const comparedByParts = 1_000
const mostContext = 100

export function createToolSearch({ vectors, graph }: ToolSearchOptions): ToolSearch {
  const index = createCatalogueIndex({
    added: (slot, tool) => vectors.set(slot, tool.id, toolSentence(tool)),
    removed: (slot) => vectors.remove(slot),
  })

  return {
    follow: (tools) => index.follow(tools),
    async search(query, { limit, context }) {
      const text = query.slice(0, longestQuery)
      await index.ready()
      const embedded = await vectors.embedQuery(text, splitRequest(text))
      // From here on nothing waits: the catalogue stays as it is until the answer is made.
      const signals = readSignals(text, index, embedded)
      const wanted = Math.max(0, Math.floor(limit) || 0)
      if (context.length === 0) return signals.best(wanted).map((slot) => signals.hit(slot))
      return searchInContext(signals, { index, graph, wanted, context: context.slice(-mostContext) })
    },
    cosine(a, b) {
      const [slotA, slotB] = [index.slotOf(a), index.slotOf(b)]
      return slotA === undefined || slotB === undefined ? undefined : vectors.cosine(slotA, slotB)
    },
    async settled() {
      await index.ready()
      await vectors.settled()
    },
  }
}

interface Signals {
  /** By name, then by evidence, then by id. */
  best(count: number): readonly number[]
  hit(slot: number): ToolHit
}

function readSignals(text: string, index: CatalogueIndex, embedded: EmbeddedQuery | undefined): Signals {
  const { end } = index
  const names = index.matchName(text)
  const isBefore = (a: number, b: number) => index.toolAt(a)!.id < index.toolAt(b)!.id
  const { words, possible } = scoreWords(text, index)
  const cosines = new Float32Array(end)
  embedded?.compare(cosines, bestSlots(words, comparedByWords, isBefore))

  const fusion = fuseSignals(embedded === undefined ? 'words' : 'meaning')
  const nearness = embedded?.nearness ?? (() => 0)
  /** 0 also where there is no vector yet. */
  const nearnessAt = (slot: number): number => (cosines[slot] === 0 ? 0 : nearness(cosines[slot]!))
  const evidenceAt = (slot: number): number => fusion.evidence(words[slot]!, nearnessAt(slot))
  const evidence = new Float64Array(end)
  /** Of all slots, in one plain loop: there may be 100,000. An empty one has neither words nor cosine. */
  const weighAll = (leastNearness: number): void => {
    for (let slot = 0; slot < end; slot++) {
      const said = words[slot]!
      const near = nearnessAt(slot)
      evidence[slot] = said > 0 || near >= leastNearness ? fusion.evidence(said, near) : 0
    }
  }
  if (embedded?.hasParts) {
    // Whoever the whole request is not near enough to may be near to a part of it.
    weighAll(0)
    embedded.compareParts(cosines, bestSlots(evidence, comparedByParts, isBefore))
  }
  weighAll(fusion.leastNearness)
  const lead = greatest(evidence)
  return {
    best: (count) =>
      namesFirst(names, bestSlots(evidence, count, isBefore), evidence, isBefore).slice(0, count),
    hit(slot) {
      const name = names.get(slot) ?? 0
      const semantic = name || fusion.semantic(evidenceAt(slot), { possible, lead }) * nameNearness.misspelt
      return {
        tool: index.toolAt(slot)!,
        score: semantic,
        parts: {
          name,
          words: words[slot]!,
          ...(embedded && { cosine: cosines[slot]! }),
          semantic,
        },
      }
    },
  }
}

function greatest(values: Float64Array): number {
  let most = 0
  for (let at = 0; at < values.length; at++) if (values[at]! > most) most = values[at]!
  return most
}

function namesFirst(
  names: NameMatches,
  found: readonly number[],
  evidence: Float64Array,
  isBefore: (a: number, b: number) => boolean,
): readonly number[] {
  if (names.size === 0) return found
  const named = [...names.keys()].sort(
    (a, b) => names.get(b)! - names.get(a)! || evidence[b]! - evidence[a]! || (isBefore(a, b) ? -1 : 1),
  )
  return [...named, ...found.filter((slot) => !names.has(slot))]
}

interface ContextOptions {
  readonly index: CatalogueIndex
  readonly graph: ToolSearchOptions['graph']
  readonly wanted: number
  readonly context: readonly ToolId[]
}

function searchInContext(
  signals: Signals,
  { index, graph, wanted, context }: ContextOptions,
): readonly ToolHit[] {
  const most = candidateCount(wanted, graph.density())
  const neighbours = graphCandidates(graph, context, most).flatMap((id) => index.slotOf(id) ?? [])
  const candidates = [...new Set([...signals.best(most), ...neighbours])].map((slot) => signals.hit(slot))
  return scoreInContext(candidates, createEvidence(graph, context), graph.activeAlpha).slice(0, wanted)
}
