import { EmbedderError } from '../errors.js'
import { isObject } from '../model/json.js'
import { createRedact } from '../model/redact.js'
import type { EndpointOptions } from './endpoint-embedder.js'
import { errorCode } from './error-code.js'
import type { Answer } from './request-vectors.js'

/** A server's own words are shown, but not its whole page. */
const longestDetail = 300

/** What an answer that is no success means, and what to do. */
export function explainRefusal(answer: Answer, options: EndpointOptions): EmbedderError {
  const { name, model } = options
  const { host } = new URL(options.url)
  const detail = detailOf(answer.text)
  const said = detail === '' ? '' : `: ${detail}`
  const error = (message: string, hint: string) => new EmbedderError(name, message, hint, { cause: answer })
  const { status } = answer
  if (status === 401 || status === 403) {
    return error(`${host} refused the key (HTTP ${status})${said}.`, keyHint(options))
  }
  if (status === 404) {
    return error(
      `${host} knows no model "${model}", or has no /embeddings there (HTTP 404)${said}.`,
      `With Ollama, pull it: ollama pull ${model}. Else check search.endpoints.${name}.model, and that its url ends before /embeddings (Ollama: http://127.0.0.1:11434/v1).`,
    )
  }
  if (status === 429) {
    const wait = answer.retryAfter === null ? '' : `, and asks to wait ${answer.retryAfter} s`
    return error(
      `${host} takes no more requests for now (HTTP 429)${wait}${said}.`,
      'It is tried again later; a higher limit there, or a local model, ends this.',
    )
  }
  if (status >= 300 && status < 400) {
    return error(
      `${host} sends us on to ${answer.location ?? 'another address'} (HTTP ${status}).`,
      `Write the address it means into search.endpoints.${name}.url.`,
    )
  }
  if (status >= 500) {
    return error(`${host} failed (HTTP ${status})${said}.`, `See the log of the program behind ${host}.`)
  }
  // Ollama says 400 where the model cannot embed.
  return error(
    `${host} refused the request (HTTP ${status})${said}.`,
    `Check that "${model}" is a model for embeddings: search.endpoints.${name}.model.`,
  )
}

/** No answer at all. */
export function explainUnreachable(cause: unknown, late: boolean, options: EndpointOptions): EmbedderError {
  const { name, model } = options
  const { host } = new URL(options.url)
  const code = errorCode(cause)
  const error = (message: string, hint: string) => new EmbedderError(name, message, hint, { cause })
  if (late) {
    return error(
      `${host} did not answer in time.`,
      `Is ${model} too large for this machine? Try it there by hand, or choose a smaller one.`,
    )
  }
  if (code === 'ECONNREFUSED') {
    return error(
      `nobody listens at ${host}.`,
      'Is Ollama running (ollama serve), or LM Studio its server? Start it; it is tried again.',
    )
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return error(`${host} cannot be found.`, `Check search.endpoints.${name}.url, and the network.`)
  }
  return error(
    `the connection to ${host} failed: ${secretsRemoved(code ?? messageOf(cause), options)}.`,
    `Check search.endpoints.${name}.url, and the network.`,
  )
}

/** Servers repeat what they were sent. */
export function secretsRemoved(text: string, { apiKey, headers = {} }: EndpointOptions): string {
  return createRedact([apiKey ?? '', ...Object.values(headers)])(text)
}

function keyHint({ name, apiKey, apiKeyVariable }: EndpointOptions): string {
  const place = `search.endpoints.${name}.apiKey`
  if (apiKeyVariable !== undefined) {
    const state = apiKey === undefined ? 'is not set: set it' : 'holds a key that is not taken: check it'
    return `The environment variable ${apiKeyVariable} ${state} (${place}), and start the gateway again.`
  }
  if (apiKey !== undefined) return `Check the key in ${place}.`
  return `It wants a key: set ${place} to a reference such as \${${variableFor(name)}}.`
}

function variableFor(name: string): string {
  return `${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`
}

/** OpenAI nests its message, Ollama and vLLM do not always. */
function detailOf(text: string): string {
  let detail: unknown
  try {
    const body: unknown = JSON.parse(text)
    const error = isObject(body) ? (body.error ?? body.message ?? body.detail) : undefined
    detail = isObject(error) ? error.message : error
  } catch {
    detail = /^\s*</.test(text) ? '' : text
  }
  const line = typeof detail === 'string' ? detail.replace(/\s+/g, ' ').trim().replace(/\.$/, '') : ''
  return line.length > longestDetail ? `${line.slice(0, longestDetail)}...` : line
}

/** `fetch failed` says nothing; what it wraps does. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? messageOf(error.cause) : error.message.replace(/\.$/, '')
}
