/**
 * The fast lane: requests of ours beside those of the SDK client on one transport. The client keeps the handshake and
 * the notifications; a tool call goes straight through, and its answer comes back as the server sent it, unparsed by
 * any schema. Ids are strings with a prefix of ours, so that the two never meet.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { UpstreamError } from '../errors.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { Redact } from '../model/redact.js'
import type { ToolProgress } from '../model/tool-call.js'
import { toRefusal } from './classify-trouble.js'
import type { RpcMessage } from './read-message.js'

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
}

interface Pending {
  resolve(result: unknown): void
  reject(error: unknown): void
  readonly onProgress: ((progress: ToolProgress) => void) | undefined
}

const prefix = 'pml-'

export class RequestLane {
  readonly #pending = new Map<string, Pending>()
  #lastId = 0

  constructor(private readonly options: LaneOptions) {}

  get isBusy(): boolean {
    return this.#pending.size > 0
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown> {
    const { server, transport, cancelByStream } = this.options
    const { timeoutMs, signal, onProgress } = options
    if (signal.aborted) return Promise.reject(signal.reason)
    const id = `${prefix}${++this.#lastId}`
    const stream = cancelByStream ? new AbortController() : undefined

    return new Promise<unknown>((resolve, reject) => {
      const settle = (): void => {
        this.#pending.delete(id)
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const fail = (error: unknown): void => {
        settle()
        reject(error)
      }
      const cancel = (error: unknown, reason: string): void => {
        if (stream === undefined) this.#notifyCancelled(id, reason)
        else stream.abort()
        fail(error)
      }
      const onAbort = (): void => cancel(signal.reason, 'The caller cancelled.')
      const timer = setTimeout(
        () => cancel(timeoutError(server, method, timeoutMs), `No answer within ${timeoutMs} ms.`),
        timeoutMs,
      )
      signal.addEventListener('abort', onAbort)
      this.#pending.set(id, {
        onProgress,
        reject: fail,
        resolve: (result) => {
          settle()
          resolve(result)
        },
      })
      const request = {
        jsonrpc: '2.0',
        id,
        method,
        params: this.#withMeta(params, onProgress && id),
      } as JSONRPCMessage
      transport
        .send(
          request,
          stream && {
            requestSignal: stream.signal,
            onRequestStreamEnd: () => fail(streamEndError(server)),
          },
        )
        .catch(fail)
    })
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

  #withMeta(params: JsonObject, progressToken: string | undefined): JsonObject {
    const { envelope } = this.options
    if (progressToken === undefined && Object.keys(envelope).length === 0) return params
    return { ...params, _meta: { ...envelope, ...(progressToken === undefined ? {} : { progressToken }) } }
  }

  #notifyCancelled(requestId: string, reason: string): void {
    const params = this.#withMeta({ requestId, reason }, undefined)
    const notification = { jsonrpc: '2.0', method: 'notifications/cancelled', params } as JSONRPCMessage
    // The server may be gone: then there is nothing left to cancel.
    this.options.transport.send(notification).catch(() => {})
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
