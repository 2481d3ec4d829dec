import { parseToolId, type ToolId } from '../../model/tool.js'
import { splitWords } from '../../model/words/split-words.js'
import { stem } from '../../model/words/stem.js'
import { stopWords } from '../../model/words/stop-words.js'
import type { IntentLikeness } from './next-tools.js'

/** Texts whose words are kept at hand; all that a session needs are the remembered ones and its own. */
const mostTexts = 1_000
/** What is asked for in more words is likened by the first ones. */
const mostCharacters = 4_000
/** Words of one time only say nothing about how often they come, and are most of all words. */
const mostWords = 20_000

/**
 * Likeness of intents by their words alone: the cosine of what they say, each word once, by how rarely it is asked for.
 * K. Sparck Jones, "A statistical interpretation of term specificity", Journal of Documentation 28(1), 1972.
 */
export function createWordLikeness(): IntentLikeness {
  const texts = new Map<string, WeighedText>()
  const intentsWith = new Map<string, number>()
  let intents = 0

  const rarity = (word: string) => Math.max(0, Math.log((intents + 1) / (1 + (intentsWith.get(word) ?? 0))))
  const weigh = (words: Iterable<string>): WeighedText => {
    const squares = new Map(Array.from(words, (word) => [word, rarity(word) ** 2]))
    return { squares, length: [...squares.values()].reduce((a, b) => a + b, 0), intents }
  }
  const read = (text: string): WeighedText => {
    const known = texts.get(text)
    // How rare words are hardly moves with one intent more.
    if (known !== undefined && intents <= known.intents * 1.1) return known
    const fresh = weigh(known?.squares.keys() ?? contentWords(text.slice(0, mostCharacters)))
    if (texts.size >= mostTexts && known === undefined) texts.delete(texts.keys().next().value!)
    texts.set(text, fresh)
    return fresh
  }

  return {
    learn(intent) {
      intents += 1
      for (const word of read(intent).squares.keys()) {
        intentsWith.set(word, (intentsWith.get(word) ?? 0) + 1)
        if (intentsWith.size > mostWords) forgetRare(intentsWith)
      }
    },
    between(a, b) {
      const [here, there] = [read(a), read(b)]
      let shared = 0
      for (const [word, square] of here.squares)
        if (square > 0) shared += Math.sqrt(square * (there.squares.get(word) ?? 0))
      return shared === 0 ? 0 : Math.min(1, shared / Math.sqrt(here.length * there.length))
    },
    words: (intent) => read(intent).squares.keys(),
    names(intent, tool) {
      const said = read(intent).squares
      let all = 0
      let named = 0
      for (const word of contentWords(nameOf(tool))) {
        // A word that every intent says still is one of the name.
        const weight = rarity(word) + 0.1
        all += weight
        if (said.has(word)) named += weight
      }
      return all === 0 ? 0 : named / all
    },
  }
}

interface WeighedText {
  /** Square of how rare each word is, by how many intents there were then. */
  readonly squares: ReadonlyMap<string, number>
  readonly length: number
  readonly intents: number
}

function contentWords(text: string): readonly string[] {
  return [
    ...new Set(
      splitWords(text)
        .filter((word) => word.length > 1 && !stopWords.has(word) && !/^\d+$/.test(word))
        .map(stem),
    ),
  ]
}

function nameOf(tool: ToolId): string {
  return parseToolId(tool)?.tool ?? tool
}

function forgetRare(intentsWith: Map<string, number>): void {
  for (const [word, count] of intentsWith) if (count <= 1) intentsWith.delete(word)
  for (const word of intentsWith.keys()) {
    if (intentsWith.size <= mostWords / 2) return
    intentsWith.delete(word)
  }
}
