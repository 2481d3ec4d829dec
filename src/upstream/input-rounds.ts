/**
 * Requests of 2026-07-28 that need more than they were given are answered with `input_required` and sent again with the
 * responses. A client that knows this gets it as it is; for any other the rounds are made here, by asking it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { UpstreamError } from '../errors.js'
import { type ClientSide, canAnswer, capabilityFor, type InputRound } from '../model/client-side.js'
import { isObject, type JsonObject } from '../model/json.js'

export interface InputRoundsOptions {
  readonly server: string
  readonly client: ClientSide
  readonly round: InputRound
  readonly signal: AbortSignal
}

/** More than any dialogue; the SDK's client stops at 10. */
const maxRounds = 10
/** Nothing is asked, so the server only wants to be asked again. */
const pauseMs = 250

export function isInputRequired(result: unknown): result is JsonObject {
  return isObject(result) && result.resultType === 'input_required'
}

export async function inRounds<Result>(
  send: (round: InputRound) => Promise<Result>,
  { server, client, round, signal }: InputRoundsOptions,
): Promise<Result> {
  let result = await send(round)
  if (client.takesInputRequired) return result
  for (let count = 0; isInputRequired(result); count += 1) {
    if (count === maxRounds) throw trouble(server, `it asked for input ${maxRounds} times over.`)
    const { inputRequests, requestState } = result
    const inputResponses = await askAll(inputRequests, { server, client, signal })
    result = await send({
      ...(inputResponses && { inputResponses }),
      ...(typeof requestState === 'string' && { requestState }),
    })
  }
  return result
}

async function askAll(
  requests: unknown,
  { server, client, signal }: Omit<InputRoundsOptions, 'round'>,
): Promise<JsonObject | undefined> {
  const entries = isObject(requests) ? Object.entries(requests) : []
  if (entries.length === 0) {
    await sleep(pauseMs, undefined, { signal })
    return undefined
  }
  const questions = entries.map(([key, asked]) => {
    const method = isObject(asked) && typeof asked.method === 'string' ? asked.method : ''
    const params = isObject(asked) && isObject(asked.params) ? asked.params : {}
    const question = { method, params }
    if (!canAnswer(client.capabilities, question)) {
      const what = capabilityFor(method) ?? `something unknown (${method.slice(0, 60)})`
      throw trouble(server, `it asks for ${what}, which the client of this call does not support.`)
    }
    return { key, question }
  })
  const answers = await Promise.all(
    questions.map(async ({ key, question }) => [key, await client.ask(question, signal)] as const),
  )
  return Object.fromEntries(answers)
}

function trouble(server: string, what: string): UpstreamError {
  return new UpstreamError(
    server,
    'protocol',
    what,
    'Give it everything it needs as arguments, or use a client that can answer.',
  )
}
