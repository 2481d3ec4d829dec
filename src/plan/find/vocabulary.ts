import { findRuns, splitRun } from '../../model/words/split-words.js'
import { stem } from '../../model/words/stem.js'

/**
 * Numbers for the words of a catalogue. A word has two: one for how it is written and one for its stem. The stem finds,
 * the written form prefers: "list keys" and "get key" are often two tools. Both together rank better than either alone
 * on every development set.
 *
 * A run of letters is taken apart once and remembered: descriptions repeat their words, and this makes building fast.
 */
export interface Vocabulary {
  /** The terms of a text; words seen for the first time get their numbers. */
  learn(text: string): number[]
  /** The terms of one word; words of no tool have none, and are not remembered: queries come without end. */
  find(word: string): readonly number[]
  readonly size: number
}

/** Terms per word: its written form and its stem. */
export const termsPerWord = 2

export function createVocabulary(): Vocabulary {
  const terms = new Map<string, number>()
  const runs = new Map<string, readonly number[]>()

  const numberOf = (term: string): number => {
    const known = terms.get(term)
    if (known !== undefined) return known
    terms.set(term, terms.size)
    return terms.size - 1
  }
  const learnRun = (run: string): readonly number[] => {
    const numbers = splitRun(run).flatMap((word) => [numberOf(word), numberOf(stemTerm(word))])
    runs.set(run, numbers)
    return numbers
  }

  return {
    learn(text) {
      const all: number[] = []
      for (const run of findRuns(text)) for (const term of runs.get(run) ?? learnRun(run)) all.push(term)
      return all
    },
    find: (word) => [word, stemTerm(word)].flatMap((term) => terms.get(term) ?? []),
    get size() {
      return terms.size
    },
  }
}

/** `~` is in no word, so a stem never meets a written form. */
function stemTerm(word: string): string {
  return `~${stem(word)}`
}
