import type { Embedder } from './embedder.js'

const neverAborted = new AbortController().signal
/** Requests are compared with those of other procedures again and again. */
const mostKept = 2_000

/** Of two requests, in [-1, 1]: the cosine of what they mean. */
export function createLikeness(embedder: Pick<Embedder, 'embed'>): (a: string, b: string) => Promise<number> {
  const kept = new Map<string, Promise<Float32Array>>()
  const vectorOf = (text: string): Promise<Float32Array> => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const vector = embedder.embed([text], 'query', neverAborted).then(([only]) => only!)
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value!)
    kept.set(text, vector)
    return vector
  }
  return async (a, b) => {
    const [one, other] = await Promise.all([vectorOf(a), vectorOf(b)])
    return one.reduce((sum, value, at) => sum + value * other[at]!, 0)
  }
}
