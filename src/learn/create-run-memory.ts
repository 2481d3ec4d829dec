import type { PastRun, SimilarRun } from '../model/experience.js'
import type { ToolId } from '../model/tool.js'
import { anyValue, normaliseIntent } from './normalise-intent.js'

/** The newest runs, found by what was asked for. */
export interface RunMemory {
  add(run: PastRun): void
  like(intent: string): readonly SimilarRun[]
  among(tools: readonly ToolId[]): readonly PastRun[]
  steps(): { readonly total: number; readonly linked: number }
}

/** Some 2 KB each; a person who starts one every ten minutes fills it in two months. */
export const runsRemembered = 2_000
const mostFound = 5
/** What the newest say of a pair of tools is what can be said of it. */
const mostAmong = 500
/** Below it two of five words are others, and so is what is meant. */
const leastSimilarity = 0.6
/** Other words never say quite the same. */
const mostSimilarInOtherWords = 0.99

interface Kept {
  readonly run: PastRun
  /** Grows with every run. */
  readonly order: number
  readonly sequence: string
  readonly terms: readonly string[]
}

/**
 * The same normalised words in the same order are 1; else the Jaccard similarity of their bags: P. Jaccard, The distribution
 * of the flora in the alpine zone, New Phytologist 11(2), 1912. A word that stands there twice is two terms, which makes a set
 * of the bag; an index from each term to its runs keeps a search among 2,000 below a millisecond.
 */
export function createRunMemory(): RunMemory {
  /** A ring: the newest run takes the place of the oldest. */
  const runs: Kept[] = []
  const byTerm = new Map<string, Set<number>>()
  const byTool = new Map<ToolId, Set<number>>()
  let order = 0
  let [total, linked] = [0, 0]

  const count = ({ tasks }: PastRun, sign: 1 | -1): void => {
    total += sign * Math.max(0, tasks.length - 1)
    linked += sign * tasks.filter(({ dependsOn }) => dependsOn.length > 0).length
  }
  const forget = (place: number): void => {
    const old = runs[place]
    if (old === undefined) return
    count(old.run, -1)
    for (const { tool } of old.run.tasks) remove(byTool, tool, place)
    for (const term of old.terms) remove(byTerm, term, place)
  }
  const countShared = (terms: readonly string[]): Uint16Array => {
    const shared = new Uint16Array(runs.length)
    for (const term of terms) for (const place of byTerm.get(term) ?? []) shared[place]! += 1
    return shared
  }

  return {
    add(run) {
      const words = normaliseIntent(run.intent)
      if (!hasWord(words)) return
      const place = order % runsRemembered
      forget(place)
      const kept = { run, order: order++, sequence: words.join(' '), terms: termsOf(words) }
      runs[place] = kept
      count(run, 1)
      for (const { tool } of run.tasks) insert(byTool, tool, place)
      for (const term of kept.terms) insert(byTerm, term, place)
    },
    among(tools) {
      const seen = new Map<number, number>()
      for (const tool of new Set(tools))
        for (const place of byTool.get(tool) ?? []) seen.set(place, (seen.get(place) ?? 0) + 1)
      return [...seen]
        .filter(([, having]) => having > 1)
        .map(([place]) => runs[place]!)
        .sort((a, b) => b.order - a.order)
        .slice(0, mostAmong)
        .map(({ run }) => run)
    },
    steps: () => ({ total, linked }),
    like(intent) {
      const words = normaliseIntent(intent)
      if (!hasWord(words)) return []
      const sequence = words.join(' ')
      const terms = termsOf(words)
      const found: { readonly kept: Kept; readonly similarity: number }[] = []
      for (const [place, count] of countShared(terms).entries()) {
        const kept = runs[place]!
        const jaccard = count / (terms.length + kept.terms.length - count)
        if (jaccard < leastSimilarity) continue
        const similarity = kept.sequence === sequence ? 1 : Math.min(mostSimilarInOtherWords, jaccard)
        found.push({ kept, similarity })
      }
      return found
        .sort((a, b) => b.similarity - a.similarity || b.kept.order - a.kept.order)
        .slice(0, mostFound)
        .map(({ kept, similarity }) => ({ run: kept.run, similarity }))
    },
  }
}

function insert<Key>(index: Map<Key, Set<number>>, key: Key, place: number): void {
  const having = index.get(key)
  if (having === undefined) index.set(key, new Set([place]))
  else having.add(place)
}

function remove<Key>(index: Map<Key, Set<number>>, key: Key, place: number): void {
  const having = index.get(key)
  if (having?.delete(place) && having.size === 0) index.delete(key)
}

/** Values alone say nothing of what is to be done with them. */
function hasWord(words: readonly string[]): boolean {
  return words.some((word) => word !== anyValue)
}

function termsOf(words: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  return words.map((word) => {
    const count = counts.get(word) ?? 0
    counts.set(word, count + 1)
    return count === 0 ? word : `${word} ${count}`
  })
}
