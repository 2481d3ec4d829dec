/**
 * Finds tools by name and by what they say of themselves. Promises: an exact or near-exact name comes first outright;
 * the same catalogue and query always give the same answer; any text is a legal query. Never touches the network, the
 * store or the clock; the catalogue it was built from is not followed, a changed one gets a new search.
 */
import type { Tool } from '../model/tool.js'
import { type Bm25f, buildBm25f, type FieldWeight } from './bm25f.js'
import { createNameMatcher, nearness } from './match-name.js'
import { splitTerms } from './split-words.js'
import { stem } from './stem.js'
import { stopWords } from './stop-words.js'
import { type Field, toolText } from './tool-text.js'

export interface ToolSearch {
  search(query: string, options: { readonly limit: number }): readonly ToolHit[]
}

export interface ToolHit {
  readonly tool: Tool
  /** `name` where the name is near, else `bm25` scaled to stay below every near name. */
  readonly score: number
  readonly parts: {
    /** How near the query is to the tool's name: one of `nearness`, or 0. */
    readonly name: number
    /** The share of the query's weight (sum of idf) that the tool's text covers, each term saturating: 0 to 1. */
    readonly bm25: number
  }
}

/**
 * Set by hand, by rank of what they say, and left round: a name is chosen with care, a parameter's description is about
 * the parameter. On the development sets any name weight of 2 to 4, server 1 to 2 and parameters .3 to 1 stays within
 * .01 NDCG@10, so there is nothing to tune here.
 */
const weights: Readonly<Record<Field, FieldWeight>> = {
  server: { weight: 1, b: 0.5 },
  name: { weight: 2, b: 0.5 },
  title: { weight: 2, b: 0.5 },
  description: { weight: 1, b: 0.75 },
  parameters: { weight: 0.5, b: 0.5 },
  parameterText: { weight: 0.5, b: 0.75 },
}
const fields = Object.keys(weights) as Field[]

/** The longest request of the development sets has 4,739 characters; what follows later says no more about the tool. */
const longestQuery = 10_000
/** Distinct words of a query that count; the rarest are kept. A request of 1,000 characters has about 100. */
const mostQueryTerms = 128

export function createToolSearch(tools: readonly Tool[]): ToolSearch {
  // In order of id, so that a tie is broken by the lower index.
  const catalogue = [...tools].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const terms = createTermMaker()
  const index = buildBm25f(
    catalogue.map((tool) => {
      const text = toolText(tool)
      return fields.map((field) => splitTerms(text[field]).flatMap(terms))
    }),
    fields.map((field) => weights[field]),
  )
  const matchName = createNameMatcher(catalogue, (word) => index.has(word))

  return {
    search(query, { limit }) {
      const text = query.slice(0, longestQuery)
      const names = matchName(text)
      const bm25 = scoreText(index, queryTerms(index, text, terms), catalogue.length)
      const score = (i: number) => names.get(i) ?? bm25[i]! * nearness.misspelt
      return bestFirst(bm25, names, limit).map((i) => ({
        tool: catalogue[i]!,
        score: score(i),
        parts: { name: names.get(i) ?? 0, bm25: bm25[i]! },
      }))
    },
  }
}

/**
 * A word counts twice: as it is written and as its stem (`~`). The stem finds, the written form prefers: "list keys"
 * and "get key" are often two tools. Both together beat either alone on every development set.
 */
function createTermMaker(): (word: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (word) => {
    let pair = known.get(word)
    if (!pair) {
      pair = [word, `~${stem(word)}`]
      // Queries come without end, and the catalogue's own words are what pays to remember.
      if (known.size < 100_000) known.set(word, pair)
    }
    return pair
  }
}

function queryTerms(index: Bm25f, text: string, terms: (word: string) => readonly string[]): string[] {
  const words = [...new Set(splitTerms(text))]
  const telling = words.filter((word) => !stopWords.has(word))
  const kept = [...new Set((telling.length > 0 ? telling : words).flatMap(terms))]
  if (kept.length <= 2 * mostQueryTerms) return kept
  const known = kept.filter((term) => index.has(term))
  return known.sort((a, b) => index.idf(b) - index.idf(a)).slice(0, 2 * mostQueryTerms)
}

/** Each term gives at most its idf, so the sum over the sum of idf is the covered share, in [0, 1). */
function scoreText(index: Bm25f, terms: readonly string[], size: number): Float64Array {
  const scores = new Float64Array(size)
  let most = 0
  for (const term of terms) {
    index.addScores(term, scores)
    most += index.idf(term)
  }
  if (most > 0) for (let i = 0; i < size; i++) scores[i]! /= most
  return scores
}

function bestFirst(bm25: Float64Array, names: ReadonlyMap<number, number>, limit: number): readonly number[] {
  const wanted = Math.max(0, Math.floor(limit) || 0)
  if (wanted === 0) return []
  const near = (i: number) => names.get(i) ?? 0
  const order = (a: number, b: number) => near(b) - near(a) || bm25[b]! - bm25[a]! || a - b
  // Sorting numbers is several times faster than sorting by a function, so find the bar first.
  const bar = wanted < bm25.length ? Float64Array.from(bm25).sort()[bm25.length - wanted]! : 0
  const candidates: number[] = []
  for (let i = 0; i < bm25.length; i++) {
    if ((bm25[i]! > 0 && bm25[i]! >= bar) || names.has(i)) candidates.push(i)
  }
  return candidates.sort(order).slice(0, wanted)
}
