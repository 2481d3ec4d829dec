/**
 * The fast lane: requests of ours beside those of the SDK client on one transport. The client keeps the handshake and
 * the notifications; a tool call goes straight through, and its answer comes back as the server sent it, unparsed by
 * any schema. Ids are strings with a prefix of ours, so that the two never meet.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  type Transport,
} from '@modelcontextprotocol/client'
import { UpstreamError } from '../errors.js'
import type { ClientSide } from '../model/client-side.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { Redact } from '../model/redact.js'
import type { ToolProgress } from '../model/tool-call.js'
import { toRefusal } from './classify-trouble.js'
import type { RpcMessage } from './read-message.js'
import { type RequestStream, requestStream } from './request-stream.js'

export interface LaneOptions {
  readonly server: string
  readonly transport: Transport
  /** The `_meta` that every request of the negotiated revision carries; empty before 2026-07-28. */
  readonly envelope: JsonObject
  /** Streamable HTTP of 2026-07-28: a request is cancelled by closing its stream, not by a notification. */
  readonly cancelByStream: boolean
  readonly redact: Redact
}

export interface RequestOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly onProgress?: (progress: ToolProgress) => void
  /** Whose request it is, where it is a client's: who may be asked while the server works on it. */
  readonly caller?: RequestCaller
  /** Beyond the protocol's own. */
  readonly meta?: JsonObject
  readonly headers?: Readonly<Record<string, string>>
}

export interface RequestCaller {
  readonly session: string
  readonly client: ClientSide
  /** The server asks something, and it may take long to answer. */
  onHold?(): void
}

/** A request under way whose client can be reached. */
export interface Waiting extends RequestCaller {
  readonly id: string
  /** The time that answering takes does not count; `over` aborts when the request ends before. */
  hold(): { readonly over: AbortSignal; release(): void }
}

interface Pending {
  resolve(result: unknown): void
  reject(error: unknown): void
  readonly onProgress: ((progress: ToolProgress) => void) | undefined
  readonly waiting: Waiting | undefined
}

const prefix = 'pml-'
/** A server need not answer what was cancelled, so nobody knows when it has stopped. */
const workedOnMs = 5 * 60_000
/** What a stream held when it ended has been read by then. */
const readWithinMs = 50

export class RequestLane {
  readonly #pending = new Map<string, Pending>()
  /** Requests that were given up while the server may still be working on them, by session. */
  readonly #givenUp = new Map<string, string>()
  #lastId = 0

  constructor(private readonly options: LaneOptions) {}

  get isBusy(): boolean {
    return this.#pending.size > 0
  }

  /** Requests of clients under way, oldest first. */
  waiting(): readonly Waiting[] {
    return [...this.#pending.values()].flatMap(({ waiting }) => waiting ?? [])
  }

  /** Sessions for which the server may be working, those that wait no more included. */
  sessions(): ReadonlySet<string> {
    return new Set([...this.waiting().map(({ session }) => session), ...this.#givenUp.values()])
  }

  /**
   * The request on whose stream the message that is being handled came: `gone` when nobody waits for it any more, undefined
   * where nobody can tell.
   */
  related(): Waiting | 'gone' | undefined {
    const about = requestStream.getStore()
    if (about?.lane !== this) return undefined
    return this.#pending.get(about.id)?.waiting ?? 'gone'
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown> {
    const { server, transport, cancelByStream } = this.options
    const { timeoutMs, signal, onProgress, caller, headers } = options
    if (signal.aborted) return Promise.reject(signal.reason)
    const id = `${prefix}${++this.#lastId}`
    const stream = cancelByStream ? new AbortController() : undefined

    return new Promise<unknown>((resolve, reject) => {
      const settle = (): void => {
        this.#pending.delete(id)
        clock.stop()
        signal.removeEventListener('abort', onAbort)
      }
      const fail = (error: unknown): void => {
        settle()
        reject(error)
      }
      const cancel = (error: unknown, reason: string): void => {
        if (caller !== undefined) this.#giveUp(id, caller.session)
        if (stream === undefined) this.#notifyCancelled(id, reason)
        else stream.abort()
        fail(error)
      }
      const onAbort = (): void => cancel(signal.reason, 'The caller cancelled.')
      const clock = startClock(timeoutMs, () =>
        cancel(timeoutError(server, method, timeoutMs), `No answer within ${timeoutMs} ms.`),
      )
      const hold: Waiting['hold'] = () => {
        caller?.onHold?.()
        return clock.hold()
      }
      signal.addEventListener('abort', onAbort)
      this.#pending.set(id, {
        onProgress,
        reject: fail,
        resolve: (result) => {
          settle()
          resolve(result)
        },
        waiting: caller && { id, ...caller, hold },
      })
      const request = {
        jsonrpc: '2.0',
        id,
        method,
        params: this.#withMeta(params, options, onProgress && id),
      } as JSONRPCMessage
      const send = (): Promise<void> =>
        transport.send(request, {
          ...(headers && { headers }),
          ...(stream && {
            requestSignal: stream.signal,
            onRequestStreamEnd: () => fail(streamEndError(server)),
          }),
        })
      const about: RequestStream = { lane: this, id, ended: () => this.#onStreamEnd(id) }
      const sent = transport.hasPerRequestStream === true ? requestStream.run(about, send) : send()
      sent.catch(fail)
    })
  }

  #giveUp(id: string, session: string): void {
    this.#givenUp.set(id, session)
    setTimeout(() => this.#givenUp.delete(id), workedOnMs).unref()
  }

  /** Before the answer, it means: come back for it later (SEP-1699). The transport does so, and the client may likewise. */
  #onStreamEnd(id: string): void {
    const letGo = (): void => this.#pending.get(id)?.waiting?.client.letGo?.()
    setTimeout(letGo, readWithinMs).unref()
  }

  /** True when the message was for one of our requests, and nobody else should see it. */
  take(message: RpcMessage): boolean {
    if (message.method === undefined) return this.#takeAnswer(message)
    return message.method === 'notifications/progress' && this.#takeProgress(message.params)
  }

  /** True when the request was ours. */
  failOne(id: string | number, error: unknown): boolean {
    const pending = this.#pending.get(String(id))
    pending?.reject(error)
    return pending !== undefined
  }

  failAll(error: unknown): void {
    for (const pending of [...this.#pending.values()]) pending.reject(error)
  }

  #takeAnswer(message: RpcMessage): boolean {
    const { id } = message
    if (typeof id !== 'string' || !id.startsWith(prefix)) return false
    const pending = this.#pending.get(id)
    this.#givenUp.delete(id)
    // Nobody waits for an answer that is unknown, repeated, or too late.
    if (message.error !== undefined) pending?.reject(toRefusal(message.error, this.options))
    else pending?.resolve(message.result)
    return true
  }

  #takeProgress(params: unknown): boolean {
    const { progressToken, progress, total, message } = isObject(params) ? params : {}
    if (typeof progressToken !== 'string' || !progressToken.startsWith(prefix)) return false
    if (typeof progress === 'number') {
      this.#pending.get(progressToken)?.onProgress?.({
        progress,
        ...(typeof total === 'number' ? { total } : {}),
        ...(typeof message === 'string' ? { message } : {}),
      })
    }
    return true
  }

  #withMeta(
    params: JsonObject,
    { meta, caller }: Pick<RequestOptions, 'meta' | 'caller'>,
    progressToken: string | undefined,
  ): JsonObject {
    const { envelope } = this.options
    const isModern = CLIENT_CAPABILITIES_META_KEY in envelope
    if (progressToken === undefined && meta === undefined && !isModern) return params
    const { capabilities, logLevel } = (isModern && caller?.client) || {}
    return {
      ...params,
      _meta: {
        ...meta,
        ...envelope,
        ...(capabilities && { [CLIENT_CAPABILITIES_META_KEY]: capabilities }),
        ...(logLevel !== undefined && { [LOG_LEVEL_META_KEY]: logLevel }),
        ...(progressToken !== undefined && { progressToken }),
      },
    }
  }

  #notifyCancelled(requestId: string, reason: string): void {
    const params = this.#withMeta({ requestId, reason }, {}, undefined)
    const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params } as JSONRPCMessage
    // The server may be gone: then there is nothing left to cancel.
    this.options.transport.send(notification).catch(() => {})
  }
}

/** The time a request has. It stands still while a person is asked, and starts anew with their answer. */
function startClock(timeoutMs: number, onTimeUp: () => void): { stop(): void } & Pick<Waiting, 'hold'> {
  /** Made for the first question alone: it costs a tenth of a call. */
  let over: AbortController | undefined
  let holds = 0
  let timer: NodeJS.Timeout | undefined = setTimeout(onTimeUp, timeoutMs)
  return {
    stop() {
      clearTimeout(timer)
      over?.abort()
      holds = Number.POSITIVE_INFINITY
    },
    hold() {
      holds += 1
      over ??= new AbortController()
      clearTimeout(timer)
      let held = true
      return {
        over: over.signal,
        release() {
          if (held) holds -= 1
          held = false
          if (holds === 0) timer = setTimeout(onTimeUp, timeoutMs)
        },
      }
    },
  }
}

function timeoutError(server: string, method: string, timeoutMs: number): UpstreamError {
  return new UpstreamError(
    server,
    'timeout',
    `no answer to ${method} within ${timeoutMs} ms.`,
    'Call again with a larger timeoutMs, or raise timeoutMs of this server in the configuration.',
  )
}

function streamEndError(server: string): UpstreamError {
  return new UpstreamError(
    server,
    'offline',
    'the connection ended before the answer came.',
    'The call may or may not have had its effect: check before calling again.',
  )
}
