import { isObject, type JsonObject } from './json.js'

/** What a server may ask of the client whose call it is working on: elicitation, sampling, roots. */
export interface Question {
  readonly method: string
  readonly params: JsonObject
}

export interface Notice {
  readonly method: string
  readonly params: JsonObject
}

/** The client behind a request, as far as the server that works on it may reach it. */
export interface ClientSide {
  /** As the client declared them. */
  readonly capabilities: JsonObject
  /** Rejects when the client cannot be asked, or refuses. */
  ask(question: Question, signal: AbortSignal): Promise<JsonObject>
  /** A log message of the server, or the like; lost where the client did not ask for it. */
  tell(notice: Notice): void
  /** The least severe log messages it asked for; servers of 2026-07-28 send none to those who did not ask. */
  readonly logLevel?: string | undefined
  /** The server has closed the stream of the request for now: the client may come back for the answer, too. */
  letGo?(): void
  /** 2026-07-28: takes `input_required` as an answer, and asks again with the responses. */
  readonly takesInputRequired: boolean
}

/** A further round of a request that was answered with `input_required`. */
export interface InputRound {
  readonly inputResponses?: JsonObject
  readonly requestState?: string
}

/** Whoever calls without a client that could be asked: the command line, a test. */
export const nobody: ClientSide = {
  capabilities: {},
  ask: ({ method }) => Promise.reject(new Error(`Nobody is there to answer ${method}.`)),
  tell() {},
  takesInputRequired: false,
}

const capabilityOf: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
}

/** The capability without which a client cannot be asked this; undefined for what is no question at all. */
export function capabilityFor(method: string): string | undefined {
  return Object.hasOwn(capabilityOf, method) ? capabilityOf[method] : undefined
}

/** Whether the client said that it can answer this. A bare `elicitation` means forms, as before there were other modes. */
export function canAnswer(capabilities: JsonObject, { method, params }: Question): boolean {
  const name = capabilityFor(method)
  const declared = name === undefined ? undefined : capabilities[name]
  if (!isObject(declared)) return false
  if (name === 'elicitation') {
    if (params.mode === 'url') return declared.url !== undefined
    return declared.form !== undefined || declared.url === undefined
  }
  if (name === 'sampling' && (params.tools !== undefined || params.toolChoice !== undefined))
    return declared.tools !== undefined
  return true
}
