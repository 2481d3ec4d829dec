import type { Tool } from '../model/tool.js'
import { splitWords } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'
import { stopWords } from '../model/words/stop-words.js'

/**
 * The floor that search has to beat: textbook BM25 over the stems of name and description.
 * S. Robertson et al., "Okapi at TREC-3", 1994.
 */
export function createPlainBm25(tools: readonly Tool[]): (query: string, limit: number) => readonly Tool[] {
  const documents = tools.map(({ name, definition }) => wordsOf(`${name} ${definition.description}`))
  const meanLength = documents.reduce((sum, words) => sum + words.length, 0) / Math.max(1, tools.length)
  const postings = new Map<string, Map<number, number>>()
  documents.forEach((words, at) => {
    for (const word of words) {
      const counts = postings.get(word) ?? new Map<number, number>()
      postings.set(word, counts.set(at, (counts.get(at) ?? 0) + 1))
    }
  })
  return (query, limit) => {
    const scores = new Map<number, number>()
    for (const word of new Set(wordsOf(query))) {
      const counts = postings.get(word) ?? new Map<number, number>()
      const idf = Math.log(1 + (tools.length - counts.size + 0.5) / (counts.size + 0.5))
      for (const [at, count] of counts) {
        const norm = k1 * (1 - b + (b * documents[at]!.length) / meanLength)
        scores.set(at, (scores.get(at) ?? 0) + (idf * count * (k1 + 1)) / (count + norm))
      }
    }
    return [...scores]
      .sort(([a, x], [c, y]) => y - x || a - c)
      .slice(0, limit)
      .map(([at]) => tools[at]!)
  }
}

const k1 = 1.2
const b = 0.75

function wordsOf(text: string): readonly string[] {
  return splitWords(text)
    .filter((word) => !stopWords.has(word))
    .map(stem)
}
