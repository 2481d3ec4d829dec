import { setImmediate as nextTurn } from 'node:timers/promises'
import { EmbedderError } from '../errors.js'
import { findRuns, splitRun } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'
import { stopWords } from '../model/words/stop-words.js'
import type { Embedder } from './embedder.js'
import { normalise } from './normalise.js'

/**
 * Signed feature hashing: every stem of the text and every stretch of 3 to 5 characters within a word adds or subtracts
 * at a place that its hash names. Vectors of texts that share words, or parts of words, point the same way; what two
 * features have in common by chance cancels out on average, because of the sign. It knows no meaning: `car` and
 * `vehicle` are strangers. K. Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009;
 * parts of words as in P. Bojanowski et al., "Enriching Word Vectors with Subword Information", TACL 2017.
 */
export function createHashingEmbedder(): Embedder {
  let closed = false
  return {
    id: 'static-hashing',
    sees: 'letters',
    isCheap: true,
    async embed(texts, _, signal) {
      if (closed) throw new EmbedderError('static', 'it is closed.', 'Open it again.')
      const vectors: Float32Array[] = []
      for (const [index, text] of texts.entries()) {
        // A thousand texts take some tens of milliseconds: calls must get their turn in between.
        if (index % textsPerTurn === textsPerTurn - 1) await nextTurn()
        signal.throwIfAborted()
        vectors.push(hashText(text))
      }
      signal.throwIfAborted()
      return vectors
    },
    async close() {
      closed = true
    },
  }
}

const dimensions = 384
const textsPerTurn = 100
/** Longer texts are manuals: their first part says what they are about. */
const longestText = 20_000
/** Longer words are data, not language. */
const longestWord = 40
/** All parts of a word together, where the word itself counts 1: they find what is misspelt, and do not outvote it. */
const weightOfParts = 0.5
/** Next to nothing, and still something for a text that is made of nothing else. */
const weightOfStopWord = 0.1
const shortestPart = 3
const longestPart = 5

function hashText(text: string): Float32Array {
  const vector = new Float32Array(dimensions)
  const counts = new Map<string, number>()
  for (const run of findRuns(text.slice(0, longestText))) {
    for (const word of splitRun(run)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  // A word said five times is not five times as telling.
  for (const [word, count] of counts) {
    const weight = (1 + Math.log(count)) * (stopWords.has(word) ? weightOfStopWord : 1)
    addWord(vector, word.slice(0, longestWord), weight)
  }
  return normalise(vector)
}

function addWord(vector: Float32Array, word: string, weight: number): void {
  add(vector, hashOf(stem(word)), weight)
  if (word.length < shortestPart) return
  // Beginning and end count as characters, so that `<pre` of a prefix is not the `pre` in the middle of a word.
  const marked = `<${word}>`
  const starts = marked.length - shortestPart + 1
  const weightOfPart = (weight * weightOfParts) / Math.sqrt(starts * (longestPart - shortestPart + 1))
  for (let start = 0; start < starts; start++) {
    let hash = seedOfParts
    const end = Math.min(marked.length, start + longestPart)
    for (let at = start; at < end; at++) {
      hash = mix(hash, marked.charCodeAt(at))
      if (at - start + 1 >= shortestPart) add(vector, hash, weightOfPart)
    }
  }
}

/** The lowest bits of FNV are its weakest, so they are stirred once more before they choose place and sign. */
function add(vector: Float32Array, hash: number, weight: number): void {
  const stirred = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  const place = ((stirred >>> 8) & 0xffffff) % dimensions
  vector[place]! += stirred & 1 ? weight : -weight
}

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv */
const seed = 0x811c9dc5
/** Another beginning keeps a part from meeting the word that is spelt the same. */
const seedOfParts = 0x9747b28c

function mix(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

function hashOf(word: string): number {
  let hash = seed
  for (let at = 0; at < word.length; at++) hash = mix(hash, word.charCodeAt(at))
  return hash
}
