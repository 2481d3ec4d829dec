import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { EmbedderError } from '../errors.js'
import type { Embedder, TextKind } from './embedder.js'
import { readStaticModel, type StaticModel, staticVersion, unitKey } from './read-static-model.js'

/** The same place from the source and from what is built of it. */
const shippedModel = fileURLToPath(
  new URL(`../../models/static-${staticVersion}.safetensors`, import.meta.url),
)

/**
 * A text is the sum of what its words are: every piece of a word has a vector, learned beforehand, and so have some pairs of
 * pieces that mean something else together. How much one counts depends on where it stands and on who says it. No network is
 * run, so a request takes microseconds. The idea, without pairs and places: S. Arora et al., "A Simple but Tough-to-Beat
 * Baseline for Sentence Embeddings", ICLR 2017; learned from a larger model as in model2vec,
 * https://github.com/MinishLab/model2vec.
 *
 * Opens nothing: the first text reads the file, once for all embedders of this process.
 */
export function createStaticEmbedder(path: string = shippedModel): Embedder {
  let closed = false
  return {
    id: `static-${staticVersion}`,
    isCheap: true,
    async embed(texts, kind, signal) {
      if (closed) throw new EmbedderError('static', 'it is closed.', 'Open it again.')
      signal.throwIfAborted()
      const model = await sharedModel(path)
      const vectors: Float32Array[] = []
      let since = performance.now()
      for (const text of texts) {
        // By time: a text takes microseconds, or a millisecond where it is long. Calls must get their turn in between.
        if (performance.now() - since > turnMs) {
          await nextTurn()
          since = performance.now()
        }
        signal.throwIfAborted()
        vectors.push(embedText(model, text, kind))
      }
      signal.throwIfAborted()
      return vectors
    },
    async close() {
      closed = true
    },
  }
}

const turnMs = 8
/** Longer texts are manuals: their first part says what they are about. */
const longestText = 20_000

/** Ten megabytes are read once; what failed is tried again. */
const models = new Map<string, Promise<StaticModel>>()

function sharedModel(path: string): Promise<StaticModel> {
  const shared = models.get(path)
  if (shared !== undefined) return shared
  const reading = readStaticModel(path)
  models.set(path, reading)
  reading.catch(() => models.delete(path))
  return reading
}

/** `createIssue` is create Issue, `HTTPServer` is HTTP Server. */
const humps = /[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z])/g

/**
 * Only + * / and square roots of doubles, in the order of the text: these are exactly rounded everywhere, so the same text gives
 * the same bits on every machine.
 */
function embedText(model: StaticModel, text: string, kind: TextKind): Float32Array {
  const { dimensions, maxTokens, wordPiece, units, unknown } = model
  const words = text.slice(0, longestText).replace(humps, '$& ')
  const ids = wordPiece.encode(words, maxTokens)
  const { scales, places } = model.sides[kind]
  const weigh = (row: number, position: number): number => {
    const place = Math.min(31 - Math.clz32(position + 1), places.length - 1)
    return scales[row]! * places[place]!
  }
  const sum = sumOf(dimensions)
  for (let at = 0; at < ids.length; at++) {
    // What cannot be spelt says nothing beside what can: all emoji share one row, and so does any odd script.
    if (ids[at] !== unknown) addRow(sum, model, ids[at]!, weigh(ids[at]!, at))
  }
  for (let at = 1; at < ids.length; at++) {
    const unit = units.get(unitKey(ids[at - 1]!, ids[at]!))
    if (unit !== undefined) addRow(sum, model, unit, weigh(unit, at - 1))
  }
  // Nothing that can be spelt, or weights that cancel out; a text that says something has a direction all the same.
  if (ids.length > 0 && sum.every((value) => value === 0)) addRow(sum, model, unknown, 1)
  return toUnitLength(sum)
}

function addRow(sum: Float64Array, { vectors }: StaticModel, row: number, weight: number): void {
  const start = row * sum.length
  for (let at = 0; at < sum.length; at++) sum[at]! += weight * vectors[start + at]!
}

/** Rounded once, at the end: `normalise` works on what has been rounded before. */
function toUnitLength(sum: Float64Array): Float32Array {
  let squares = 0
  for (let at = 0; at < sum.length; at++) squares += sum[at]! * sum[at]!
  const vector = new Float32Array(sum.length)
  if (squares === 0) return vector
  const scale = 1 / Math.sqrt(squares)
  for (let at = 0; at < sum.length; at++) vector[at] = sum[at]! * scale
  return vector
}

/** Kept from text to text, which are embedded one at a time. */
let kept = new Float64Array(0)

function sumOf(dimensions: number): Float64Array {
  if (kept.length !== dimensions) kept = new Float64Array(dimensions)
  return kept.fill(0)
}
