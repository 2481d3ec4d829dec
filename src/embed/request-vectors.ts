import { setTimeout as sleep } from 'node:timers/promises'
import { EmbedderError } from '../errors.js'
import { isObject } from '../model/json.js'
import type { EndpointOptions } from './endpoint-embedder.js'
import { explainRefusal, explainUnreachable, secretsRemoved } from './explain-endpoint.js'
import { normalise } from './normalise.js'

const defaultTimeoutMs = 60_000
const defaultFirstRetryMs = 250
const mostAttempts = 4
/** A server that asks for a longer wait is not coming back for this request. */
const longestWaitMs = 30_000
/** 64 vectors of 4096 numbers of 20 characters take 5 MB; the rest is room. */
const largestAnswer = 64 * 1024 * 1024

/** One request, repeated while the server is busy; one vector of unit length per text, in the texts' order. */
export async function requestVectors(
  texts: readonly string[],
  options: EndpointOptions,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(texts, options, signal)
    if (answer.status === 200) return readVectors(answer.text, texts.length, options)
    const waitMs =
      answer.status === 429 || answer.status >= 500 ? retryAfter(answer, attempt, options) : undefined
    if (waitMs === undefined) throw explainRefusal(answer, options)
    await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/** The server says that the texts are longer than it takes; nothing else is wrong with them. */
export function isTooLong(error: unknown): boolean {
  const refusal = error instanceof EmbedderError ? (error.cause as Answer | undefined) : undefined
  if (refusal?.status === 413) return true
  if (refusal?.status !== 400 && refusal?.status !== 422 && refusal?.status !== 500) return false
  return /too (?:long|large|many tokens)|context (?:length|size)|maximum (?:context|length|sequence|input)|exceeds?\b.*\b(?:length|tokens|context|limit|batch)|input length|max_model_len/is.test(
    refusal.text,
  )
}

/** What came back; kept as the cause of an error, so that everything about it can be seen. */
export interface Answer {
  readonly status: number
  readonly text: string
  readonly retryAfter: string | null
  readonly location: string | null
}

async function ask(texts: readonly string[], options: EndpointOptions, signal: AbortSignal): Promise<Answer> {
  const late = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)
  const headers = headersOf(options)
  try {
    const response = await (options.fetch ?? fetch)(`${options.url.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: options.model, input: texts, encoding_format: 'float' }),
      signal: AbortSignal.any([signal, late]),
      // Followed, a POST becomes a GET, and the key may go where nobody sent it.
      redirect: 'manual',
    })
    return {
      status: response.status,
      text: secretsRemoved(await readBounded(response), options),
      retryAfter: response.headers.get('retry-after'),
      location: response.headers.get('location'),
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EmbedderError) throw error
    throw explainUnreachable(error, late.aborted, options)
  }
}

/** `Headers` repeats a value it refuses in its message, and the value is the key. */
function headersOf(options: EndpointOptions): Headers {
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json' })
  const key = options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }
  for (const [name, value] of Object.entries({ ...key, ...options.headers })) {
    try {
      headers.set(name, value)
    } catch {
      throw new EmbedderError(
        options.name,
        `the header ${JSON.stringify(name)} holds characters that cannot be sent.`,
        `Check search.endpoints.${options.name}: a key with a line break or a letter outside Latin-1 was copied wrongly.`,
      )
    }
  }
  return headers
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > largestAnswer) throw new Error(`its answer is longer than ${largestAnswer} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** How long to wait before the next attempt; undefined where there is none. */
function retryAfter(answer: Answer, attempt: number, options: EndpointOptions): number | undefined {
  if (attempt >= mostAttempts) return undefined
  // Ollama and llama.cpp answer 500 to what they will never take: it is cut instead.
  if (isTooLong(new EmbedderError(options.name, '', '', { cause: answer }))) return undefined
  const asked = waitAsked(answer.retryAfter)
  if (asked !== undefined) return asked <= longestWaitMs ? asked : undefined
  const ceiling = (options.firstRetryMs ?? defaultFirstRetryMs) * 2 ** attempt
  return ceiling / 2 + (Math.random() * ceiling) / 2
}

/** Seconds, or a date: RFC 9110, section 10.2.3. */
function waitAsked(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const ms = /^\s*[\d.]+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

function readVectors(text: string, count: number, options: EndpointOptions): readonly Float32Array[] {
  const data = parsed(text)
  if (!isObject(data) || !Array.isArray(data.data)) {
    throw unexpected('an answer that is not a list of vectors', options)
  }
  if (data.data.length !== count) throw unexpected(`${data.data.length} vectors for ${count} texts`, options)
  const vectors = new Array<Float32Array | undefined>(count)
  for (const [at, item] of data.data.entries()) {
    // Some servers leave the index out; then the order is the order of the texts.
    const index = Number(isObject(item) ? (item.index ?? at) : at)
    const numbers = isObject(item) ? item.embedding : undefined
    if (!Number.isInteger(index) || index < 0 || index >= count || vectors[index] !== undefined) {
      throw unexpected(`a vector with the index ${JSON.stringify(index)} for ${count} texts`, options)
    }
    if (!Array.isArray(numbers) || numbers.length === 0 || !numbers.every(Number.isFinite)) {
      throw unexpected('a vector that is not a list of numbers', options)
    }
    vectors[index] = normalise(Float32Array.from(numbers))
  }
  return vectors as readonly Float32Array[]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function unexpected(what: string, { name, url, model }: EndpointOptions): EmbedderError {
  return new EmbedderError(
    name,
    `${new URL(url).host} gave ${what}.`,
    `Check that ${model} is a model for embeddings, and that search.endpoints.${name}.url ends before /embeddings.`,
  )
}
