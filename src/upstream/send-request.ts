/** One request of one client to one server: its turn, its connection, its time, and what went wrong said in our words. */
import {
  CallAbortedError,
  PmlError,
  ScopeNeededError,
  SignInNotRenewedError,
  UpstreamError,
} from '../errors.js'
import { nobody } from '../model/client-side.js'
import { isDeeperThan } from '../model/is-deeper-than.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { SendRequest, ServerRequest } from '../model/tool-call.js'
import { unlessAborted } from '../model/unless-aborted.js'
import type { Connection } from './connection.js'
import { inRounds, isInputRequired } from './input-rounds.js'
import type { RequestOptions } from './request-lane.js'
import type { Semaphore } from './semaphore.js'
import type { ServerLink } from './server-link.js'

export interface SenderDeps {
  readonly calls: Semaphore
  callsOf(server: string): Semaphore
}

/** What is common to every request; a tool call adds its tool. */
export type Sending = Omit<ServerRequest, 'server' | 'method' | 'params'> & {
  /** For messages. */
  readonly name: string
  /** Throws our own error for what JSON.stringify cannot write: it was never sent, and the server has no part in it. */
  tooDeep(): PmlError
}

/** Sends through a connection; tried once more when the server has forgotten our session, so that it was not acted on. */
export type Sender = <Result>(
  link: ServerLink,
  sending: Sending,
  send: (connection: Connection, options: RequestOptions) => Promise<Result>,
) => Promise<Result>

export function createSender(deps: SenderDeps): Sender {
  return async (link, sending, send) => {
    if (sending.signal.aborted) throw new CallAbortedError(sending.name)
    const server = link.config.name
    const limit = createLimit(server, sending, sending.timeoutMs ?? link.config.timeoutMs)
    const taken: (() => void)[] = []
    /** Also while a person is asked: whoever takes their time must not keep others from the server. */
    const giveBack = (): void => {
      for (const place of taken.splice(0).reverse()) place()
    }
    try {
      // The server's own limit first: those who queue for a slow server take no place from the others.
      for (const places of [deps.callsOf(server), deps.calls]) {
        taken.push(places.tryAcquire() ?? (await limit.wait((signal) => places.acquire(signal))))
      }
      return await sendOnce(link, { ...sending, onHold: giveBack }, send, limit, true)
    } catch (error) {
      if (sending.signal.aborted) throw new CallAbortedError(sending.name)
      throw error
    } finally {
      giveBack()
    }
  }
}

/** Everything but tool calls: passed on as it is, and the answer back. */
export function createSendRequest(links: ReadonlyMap<string, ServerLink>, sender: Sender): SendRequest {
  return (request) => {
    const { server, method, params, signal, client = nobody, round = {} } = request
    const link = links.get(server)
    if (link === undefined) return Promise.reject(notConfigured(server))
    if (link.config.disabled) return Promise.reject(disabled(server))
    const tooDeep = (): PmlError => unwritable(server, method)
    return inRounds(
      (next) =>
        sender(link, { ...request, name: method, tooDeep }, async (connection, options) =>
          toAnswer(await connection.request(method, { ...params, ...next }, options), server, method),
        ),
      { server, name: method, client, round, signal },
    )
  }
}

export function disabled(server: string): UpstreamError {
  return new UpstreamError(server, 'offline', 'it is disabled.', 'Enable it in the configuration.')
}

async function sendOnce<Result>(
  link: ServerLink,
  sending: Sending & { onHold(): void },
  send: (connection: Connection, options: RequestOptions) => Promise<Result>,
  limit: Limit,
  mayRetry: boolean,
): Promise<Result> {
  const { session, signal, client = nobody, onProgress, meta, onHold } = sending
  const connection =
    link.openConnection(session) ??
    // The connection goes on opening when this request is over: it serves others too.
    (await limit.wait((over) => unlessAborted(link.connection(session), over)))
  try {
    return await send(connection, {
      timeoutMs: limit.remainingMs(),
      signal,
      caller: { session, client, onHold },
      ...(onProgress && { onProgress }),
      ...(meta && { meta }),
    })
  } catch (error) {
    if (isLockedOut(error)) connection.end(error)
    if (signal.aborted || error instanceof PmlError) throw error
    if (error instanceof RangeError) throw sending.tooDeep()
    if (mayRetry && connection.isExpired(error)) {
      connection.end(error)
      return sendOnce(link, sending, send, limit, false)
    }
    const explained = connection.explain(error)
    if (isBroken(explained)) connection.end(error)
    throw explained
  }
}

/** JSON.stringify ends at some 7,000 levels: such an answer could not be written to the client, who would wait in vain. */
const deepestAnswer = 1_000

/** `resultType` belongs to the wire of one revision; only what asks for more must keep it. */
function toAnswer(value: unknown, server: string, method: string): JsonObject {
  if (!isObject(value)) {
    const what = `its answer to ${method} is not an object.`
    throw new UpstreamError(server, 'protocol', what, 'Report it to the makers of the server.')
  }
  if (isDeeperThan(value, deepestAnswer)) {
    const what = `its answer to ${method} is nested more than ${deepestAnswer} levels deep.`
    throw new UpstreamError(server, 'protocol', what, 'Report it to the makers of the server.')
  }
  if (isInputRequired(value)) return value
  const { resultType: _, ...answer } = value as JsonObject
  return answer
}

function isBroken(error: PmlError): boolean {
  if (error instanceof ScopeNeededError) return false
  return error instanceof UpstreamError && (error.kind === 'offline' || error.kind === 'auth')
}

/** No token can be had for any request, so none was sent. */
function isLockedOut(error: unknown): boolean {
  if (error instanceof SignInNotRenewedError) return true
  return error instanceof UpstreamError && error.kind === 'auth' && !(error instanceof ScopeNeededError)
}

/** The time one request has, from its first wait to its answer. */
interface Limit {
  remainingMs(): number
  /** A wait before the request is sent; rejects when the caller aborts or the time is up. */
  wait<Result>(work: (over: AbortSignal) => Promise<Result>): Promise<Result>
}

function createLimit(server: string, { signal }: Sending, timeoutMs: number): Limit {
  const endsAt = performance.now() + timeoutMs
  const remainingMs = (): number => Math.max(1, Math.ceil(endsAt - performance.now()))
  return {
    remainingMs,
    async wait(work) {
      const timeUp = AbortSignal.timeout(remainingMs())
      try {
        return await work(AbortSignal.any([signal, timeUp]))
      } catch (error) {
        throw timeUp.aborted && !signal.aborted ? notReadyInTime(server, timeoutMs, error) : error
      }
    },
  }
}

function notReadyInTime(server: string, timeoutMs: number, cause: unknown): UpstreamError {
  return new UpstreamError(
    server,
    'timeout',
    `no answer within ${timeoutMs} ms, waiting for the server included.`,
    'Call again later or with a larger timeoutMs; see its state with: pml status',
    { cause },
  )
}

export function notConfigured(server: string): UpstreamError {
  return new UpstreamError(server, 'offline', 'it is not configured any more.', 'Ask for the list again.')
}

function unwritable(server: string, method: string): UpstreamError {
  const what = `the ${method} is nested too deeply to be written.`
  return new UpstreamError(server, 'protocol', what, 'Send less.')
}
