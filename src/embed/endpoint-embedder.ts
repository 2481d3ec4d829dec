import { createHash } from 'node:crypto'
import { EmbedderError } from '../errors.js'
import type { EndpointConfig } from '../model/config.js'
import type { Embedder, TextKind } from './embedder.js'
import { isTooLong, requestVectors } from './request-vectors.js'

export interface EndpointOptions
  extends Pick<EndpointConfig, 'name' | 'url' | 'model'>,
    Partial<Omit<EndpointConfig, 'name' | 'url' | 'model'>> {
  readonly fetch?: typeof fetch
  /** Of one request; a program that has to load its model first takes tens of seconds. */
  readonly timeoutMs?: number
  /** Doubles with each attempt. */
  readonly firstRetryMs?: number
}

/** OpenAI takes up to 2048 inputs and 300,000 tokens at once, small servers far fewer; 64 keeps an answer below some MB. */
const textsPerRequest = 64
const requestsAtOnce = 4
/**
 * Some 2,000 tokens, which the common models take. Servers differ in what they do above their limit: Ollama cuts, OpenAI and
 * vLLM refuse; what is refused is cut further, down to the length that every model takes.
 */
const longestText = 8_000
const shortestCut = 250

/** Any program with an OpenAI-compatible `POST {url}/embeddings`: Ollama, LM Studio, vLLM, a provider. */
export function createEndpointEmbedder(options: EndpointOptions): Embedder {
  const closing = new AbortController()
  const prefixes = { query: options.queryPrefix ?? '', tool: options.toolPrefix ?? '' }
  let dimensions: number | undefined

  return {
    id: idOf(options, prefixes),
    isCheap: false,
    async embed(texts, kind, signal) {
      signal.throwIfAborted()
      if (closing.signal.aborted) throw new EmbedderError(options.name, 'it is closed.', 'Open it again.')
      const said = texts.flatMap((text, index) => (text.trim() === '' ? [] : [{ text, index }]))
      const vectors = new Array<Float32Array>(texts.length)
      await eachBatch(said, signal, async (batch, stop) => {
        const answers = await embedAll(
          batch.map(({ text }) => shorten(prefixes[kind] + text.toWellFormed(), longestText)),
          stop,
        )
        for (const [at, answer] of answers.entries()) vectors[batch[at]!.index] = answer
      })
      // Servers refuse a text that says nothing, or make something up for it.
      const zeros = new Float32Array(said.length === texts.length ? 0 : await dimension(signal))
      return Array.from(vectors, (vector) => vector ?? zeros.slice())
    },
    async close() {
      closing.abort(new EmbedderError(options.name, 'it was closed meanwhile.', 'Open it again.'))
    },
  }

  /** The first batch that fails ends the others: their answers would be thrown away. */
  async function eachBatch<Text>(
    texts: readonly Text[],
    signal: AbortSignal,
    work: (batch: readonly Text[], stop: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const failed = new AbortController()
    const stop = AbortSignal.any([signal, closing.signal, failed.signal])
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < texts.length) {
        const start = next
        next += textsPerRequest
        await work(texts.slice(start, start + textsPerRequest), stop)
      }
    }
    try {
      await Promise.all(Array.from({ length: requestsAtOnce }, lane))
    } catch (error) {
      failed.abort(error)
      throw error
    }
  }

  /**
   * A batch that is too long for the server is halved, and a single text cut: so what a text is cut to depends on nothing
   * but itself, and the same text gives the same vector.
   */
  async function embedAll(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    try {
      return known(await requestVectors(texts, options, signal))
    } catch (error) {
      const [text] = texts
      if (!isTooLong(error) || (texts.length === 1 && text!.length <= shortestCut)) throw error
      if (texts.length === 1) return embedAll([shorten(text!, Math.ceil(text!.length / 2))], signal)
      const middle = Math.ceil(texts.length / 2)
      return [
        ...(await embedAll(texts.slice(0, middle), signal)),
        ...(await embedAll(texts.slice(middle), signal)),
      ]
    }
  }

  function known(vectors: readonly Float32Array[]): readonly Float32Array[] {
    for (const vector of vectors) {
      dimensions ??= vector.length
      if (vector.length === dimensions) continue
      throw new EmbedderError(
        options.name,
        `${options.model} gave a vector of ${vector.length} numbers where it gave ${dimensions} before.`,
        `Has another model been put in its place? Name the one to use in search.endpoints.${options.name}.model.`,
      )
    }
    return vectors
  }

  async function dimension(signal: AbortSignal): Promise<number> {
    const stop = AbortSignal.any([signal, closing.signal])
    return dimensions ?? (await embedAll(['text'], stop))[0]!.length
  }
}

/** The address without its path and its user: the same server under `/v1` and `/v1/` is the same. */
function idOf({ url, model }: EndpointOptions, prefixes: Readonly<Record<TextKind, string>>): string {
  const id = `${new URL(url).host}/${model}`
  if (prefixes.query === '' && prefixes.tool === '') return id
  const hash = createHash('sha256').update(JSON.stringify([prefixes.query, prefixes.tool]))
  return `${id}#${hash.digest('hex').slice(0, 8)}`
}

function shorten(text: string, length: number): string {
  // A pair cut in two is no text.
  return text.length <= length ? text : text.slice(0, length).toWellFormed()
}
