import type { Client, Transport } from '@modelcontextprotocol/client'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SdkError,
  SdkErrorCode,
} from '@modelcontextprotocol/client'
import { type PmlError, UpstreamError } from '../errors.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { Redact } from '../model/redact.js'
import type { KnownEra } from '../model/server.js'
import type { ToolDefinition } from '../model/tool.js'
import type { ContentBlock, ToolResult } from '../model/tool-call.js'
import { httpStatus } from './classify-trouble.js'
import type { RpcMessage } from './read-message.js'
import { RequestLane, type RequestOptions } from './request-lane.js'
import { StdioTransport } from './stdio-transport.js'

export interface ConnectionOptions {
  readonly server: string
  readonly client: Client
  readonly transport: Transport
  readonly clientInfo: { readonly name: string; readonly version: string }
  /** Names what went wrong, with what is known of the process. */
  explain(error: unknown): PmlError
  onListChanged(connection: Connection): void
  readonly redact: Redact
}

/** One open connection to one server: its handshake is done. It says once, through `lost`, that it is over. */
export class Connection {
  readonly protocolVersion: string
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined
  readonly era: KnownEra
  /** Resolves with what ended the connection, or undefined when we closed it. */
  readonly lost: Promise<PmlError | undefined>

  readonly #options: ConnectionOptions
  readonly #lane: RequestLane
  #reportLost: (error: PmlError | undefined) => void = () => {}
  #lastCheckAt = 0
  #over = false
  #overBecause: PmlError | undefined

  constructor(options: ConnectionOptions) {
    const { client, transport, server, clientInfo, redact } = options
    this.#options = options
    this.protocolVersion = client.getNegotiatedProtocolVersion() ?? 'unknown'
    this.serverInfo = readServerInfo(client)
    const discover = client.getDiscoverResult()
    const modern = client.getProtocolEra() === 'modern'
    this.era =
      modern && discover !== undefined
        ? { kind: 'modern', discover: discover as unknown as JsonObject }
        : { kind: 'legacy' }
    this.#lane = new RequestLane({
      server,
      transport,
      redact,
      cancelByStream: modern && transport.hasPerRequestStream === true,
      envelope: modern
        ? {
            [PROTOCOL_VERSION_META_KEY]: this.protocolVersion,
            [CLIENT_INFO_META_KEY]: clientInfo,
            [CLIENT_CAPABILITIES_META_KEY]: {},
          }
        : {},
    })
    this.lost = new Promise((resolve) => {
      this.#reportLost = resolve
    })
    this.#intercept()
    this.#watchList()
  }

  get pid(): number | undefined {
    return this.#options.transport instanceof StdioTransport ? this.#options.transport.pid : undefined
  }

  get isOver(): boolean {
    return this.#over
  }

  /** True while a request waits for its answer. */
  get isBusy(): boolean {
    return this.#lane.isBusy
  }

  get hasTools(): boolean {
    return this.#options.client.getServerCapabilities()?.tools !== undefined
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown> {
    if (this.#over) return Promise.reject(this.#overBecause)
    return this.#lane.request(method, params, options)
  }

  async callTool(definition: ToolDefinition, args: JsonObject, options: RequestOptions): Promise<ToolResult> {
    const params = { name: definition.name, arguments: args }
    const result = this.#needsHeaders(definition)
      ? await this.#callWithHeaders(definition, params, options)
      : await this.request('tools/call', params, options)
    return toToolResult(result, this.#options.server)
  }

  explain(error: unknown): PmlError {
    return this.#options.explain(error)
  }

  /** The session this connection belonged to is unknown to the server now: it restarted, or forgot. */
  isExpired(error: unknown): boolean {
    return httpStatus(error) === 404 && this.#options.transport.sessionId !== undefined
  }

  /** The connection turned out to be broken: what waits on it fails at once, and whoever keeps it open is told. */
  end(cause: unknown): void {
    if (this.#over) return
    this.#over = true
    this.#overBecause = this.explain(cause)
    this.#lane.failAll(this.#overBecause)
    this.#reportLost(this.#overBecause)
    void this.#options.transport.close().catch(() => {})
  }

  async close(): Promise<void> {
    if (!this.#over) {
      this.#over = true
      this.#overBecause = closedError(this.#options.server)
      this.#lane.failAll(this.#overBecause)
      this.#reportLost(undefined)
    }
    await this.#options.client.close().catch(() => {})
    await this.#options.transport.close().catch(() => {})
  }

  #intercept(): void {
    const { transport, client } = this.#options
    const toClient = transport.onmessage
    transport.onmessage = (message, extra) => {
      if (!this.#lane.take(message as RpcMessage)) toClient?.(message, extra)
    }
    client.onclose = () => this.end(new SdkError(SdkErrorCode.ConnectionClosed, 'The connection was closed.'))
    if (!(transport instanceof StdioTransport)) {
      const report = client.onerror
      client.onerror = (error) => {
        report?.(error)
        void this.#check()
      }
      return
    }
    transport.onoversize = (id, error) => {
      if (this.#lane.failOne(id, error)) return
      // One of the client's own: answered in the server's name, or it would wait for its whole timeout.
      toClient?.({ jsonrpc: '2.0', id, error: { code: -32000, message: error.message } })
    }
  }

  /** HTTP does not say when its other end is gone: an error is a reason to ask. */
  async #check(): Promise<void> {
    if (this.#over || Date.now() - this.#lastCheckAt < checkEveryMs) return
    this.#lastCheckAt = Date.now()
    const method = this.era.kind === 'modern' ? 'server/discover' : 'ping'
    const signal = new AbortController().signal
    try {
      await this.request(method, {}, { timeoutMs: checkEveryMs, signal })
    } catch (error) {
      if (this.#isOutOfReach(error)) this.end(error)
    }
  }

  /** Before 2026-07-28 the notification comes by itself; since then it must be asked for. */
  #watchList(): void {
    const { client, onListChanged } = this.#options
    client.setNotificationHandler('notifications/tools/list_changed', () => onListChanged(this))
    if (this.era.kind === 'modern' && client.getServerCapabilities()?.tools?.listChanged) {
      void this.#subscribe()
    }
  }

  async #subscribe(): Promise<void> {
    const { client, onListChanged } = this.#options
    for (let round = 0; !this.#over; round += 1) {
      try {
        const subscription = await client.listen({ toolsListChanged: true }, { timeout: subscribeTimeoutMs })
        // What changed while nobody listened is found by listing again.
        if (round > 0) onListChanged(this)
        if ((await subscription.closed) !== 'remote') return
      } catch (error) {
        // Refused, it does without; out of reach, the connection is.
        if (this.#isOutOfReach(error)) this.end(error)
        return
      }
      await new Promise((resolve) => setTimeout(resolve, resubscribeMs).unref())
    }
  }

  #isOutOfReach(error: unknown): boolean {
    const reason = this.explain(error)
    return reason instanceof UpstreamError && ['offline', 'timeout', 'auth'].includes(reason.kind)
  }

  /** SEP-2243: over HTTP some arguments are mirrored in headers; the SDK client knows how. */
  #needsHeaders(definition: ToolDefinition): boolean {
    const overHttp = this.#options.transport.hasPerRequestStream === true
    return (
      overHttp &&
      this.era.kind === 'modern' &&
      JSON.stringify(definition.inputSchema).includes('"x-mcp-header"')
    )
  }

  #callWithHeaders(
    definition: ToolDefinition,
    params: { name: string; arguments: JsonObject },
    { timeoutMs, signal, onProgress }: RequestOptions,
  ): Promise<unknown> {
    // Without outputSchema, so that the result is not judged here.
    const { name, inputSchema } = definition
    return this.#options.client.callTool(params as never, {
      timeout: timeoutMs,
      signal,
      toolDefinition: { name, inputSchema } as never,
      ...(onProgress === undefined ? {} : { onprogress: onProgress as never }),
    })
  }
}

const subscribeTimeoutMs = 10_000
const checkEveryMs = 5000
const resubscribeMs = 1000

/** As the server sent it, but for `resultType`, which belongs to the wire of one revision. */
function toToolResult(value: unknown, server: string): ToolResult {
  if (!isObject(value)) throw malformed(server, 'its answer to tools/call is not an object.')
  const { resultType, ...result } = value
  if (resultType === 'input_required') {
    throw new UpstreamError(
      server,
      'protocol',
      'the tool asks for input before it goes on.',
      'Interactive tools come in a later version of the gateway; give it everything it needs as arguments.',
    )
  }
  const content = result.content ?? []
  if (!Array.isArray(content)) throw malformed(server, 'the content of its answer is not a list.')
  return { ...result, content: content as readonly ContentBlock[] }
}

function malformed(server: string, what: string): UpstreamError {
  return new UpstreamError(server, 'protocol', what, 'Report it to the makers of the server.')
}

function closedError(server: string): UpstreamError {
  return new UpstreamError(server, 'offline', 'the connection was closed by the gateway.', 'Call again.')
}

function readServerInfo(client: Client): { readonly name: string; readonly version: string } | undefined {
  const info = client.getServerVersion()
  return info === undefined ? undefined : { name: info.name, version: info.version }
}
