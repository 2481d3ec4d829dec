import { findRuns, splitRun } from '../../model/words/split-words.js'
import { stopWords } from '../../model/words/stop-words.js'
import type { CatalogueIndex } from './create-catalogue-index.js'
import { termsPerWord } from './vocabulary.js'

interface WordScores {
  /** By slot: BM25 in words. 1 is a word, written and stem, that one tool alone holds. */
  readonly words: Float64Array
  /** What a tool would have that says the whole query. */
  readonly possible: number
}

/** Distinct terms of a query that count; the rarest are kept. A request of 1,000 characters has about 200. */
const mostQueryTerms = 256

export function scoreWords(text: string, index: CatalogueIndex): WordScores {
  const words = new Float64Array(index.end)
  const terms = queryTerms(text, index)
  const word = termsPerWord * index.text.highestIdf()
  let possible = 0
  for (const term of terms) {
    index.text.addScores(term, words)
    possible += index.text.idf(term)
  }
  if (word === 0) return { words, possible: 0 }
  for (let slot = 0; slot < words.length; slot++) words[slot] = index.toolAt(slot) ? words[slot]! / word : 0
  return { words, possible: possible / word }
}

function queryTerms(text: string, { vocabulary, text: index }: CatalogueIndex): readonly number[] {
  const words = [...new Set(findRuns(text).flatMap(splitRun))]
  const telling = words.filter((word) => !stopWords.has(word))
  const terms = [...new Set((telling.length > 0 ? telling : words).flatMap(vocabulary.find))]
  if (terms.length <= mostQueryTerms) return terms
  return terms.sort((a, b) => index.idf(b) - index.idf(a)).slice(0, mostQueryTerms)
}
