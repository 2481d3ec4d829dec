/**
 * Requests of 2026-07-28 that need more than they were given are answered with `input_required` and sent again with the
 * responses. A client that knows this gets it as it is; for any other the rounds are made here, by asking it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CallAbortedError, UpstreamError } from '../errors.js'
import {
  type ClientSide,
  canAnswer,
  capabilityFor,
  type InputRound,
  type Question,
} from '../model/client-side.js'
import { isObject, type JsonObject } from '../model/json.js'

export interface InputRoundsOptions {
  readonly server: string
  /** For messages. */
  readonly name: string
  readonly client: ClientSide
  readonly round: InputRound
  readonly signal: AbortSignal
}

/** More than anybody can take in; each may be as large as a message. */
export const maxQuestions = 50
/** More than any dialogue; the SDK's client stops at 10. */
const maxRounds = 10
/** Nothing is asked, so the server only wants to be asked again. */
const pauseMs = 250

export function isInputRequired(result: unknown): result is JsonObject {
  return isObject(result) && result.resultType === 'input_required'
}

export async function inRounds<Result>(
  send: (round: InputRound) => Promise<Result>,
  { round, ...options }: InputRoundsOptions,
): Promise<Result> {
  const { server, client } = options
  let result = await send(round)
  if (client.takesInputRequired) return result
  for (let count = 0; isInputRequired(result); count += 1) {
    if (count === maxRounds) throw trouble(server, `it asked for input ${maxRounds} times over.`)
    const { inputRequests, requestState } = result
    const inputResponses = await askAll(inputRequests, options)
    result = await send({
      ...(inputResponses && { inputResponses }),
      ...(typeof requestState === 'string' && { requestState }),
    })
  }
  return result
}

async function askAll(
  requests: unknown,
  { server, name, client, signal }: Omit<InputRoundsOptions, 'round'>,
): Promise<JsonObject | undefined> {
  const entries = isObject(requests) ? Object.entries(requests) : []
  if (entries.length > maxQuestions) throw trouble(server, `it asks ${entries.length} things at once.`)
  const questions = entries.map(([key, asked]) => ({ key, question: toQuestion(asked, server, client) }))
  const others = new AbortController()
  const asking = AbortSignal.any([signal, others.signal])
  try {
    if (questions.length === 0) await sleep(pauseMs, undefined, { signal })
    const answers = await Promise.all(
      questions.map(async ({ key, question }) => [key, await client.ask(question, asking)] as const),
    )
    return questions.length === 0 ? undefined : Object.fromEntries(answers)
  } catch (error) {
    others.abort()
    if (signal.aborted) throw new CallAbortedError(name)
    throw trouble(server, `the client did not answer what it asked: ${(error as Error).message}`)
  }
}

/** Throws where the client cannot be asked this. */
function toQuestion(asked: unknown, server: string, client: ClientSide): Question {
  const method = isObject(asked) && typeof asked.method === 'string' ? asked.method : ''
  const params = isObject(asked) && isObject(asked.params) ? asked.params : {}
  const question = { method, params }
  if (canAnswer(client.capabilities, question)) return question
  const what = capabilityFor(method) ?? `something unknown (${method.slice(0, 60)})`
  throw trouble(server, `it asks for ${what}, which the client of this call does not support.`)
}

function trouble(server: string, what: string): UpstreamError {
  return new UpstreamError(
    server,
    'protocol',
    what,
    'Give it everything it needs as arguments, or use a client that can answer.',
  )
}
