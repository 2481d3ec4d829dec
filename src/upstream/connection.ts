import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  SdkError,
  SdkErrorCode,
  type Transport,
} from '@modelcontextprotocol/client'
import { type PmlError, UpstreamError } from '../errors.js'
import type { ClientSide, InputRound, Notice, Question } from '../model/client-side.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { Redact } from '../model/redact.js'
import type { KnownEra } from '../model/server.js'
import type { ToolDefinition } from '../model/tool.js'
import type { ContentBlock, ToolResult } from '../model/tool-call.js'
import { httpStatus } from './classify-trouble.js'
import { type ClientDesk, createClientDesk } from './client-desk.js'
import { isInputRequired } from './input-rounds.js'
import { paramHeaders } from './param-headers.js'
import type { RpcMessage } from './read-message.js'
import { RequestLane, type RequestOptions } from './request-lane.js'
import { StdioTransport } from './stdio-transport.js'
import { createSubscription, type Subscription } from './subscription.js'

export interface ConnectionOptions {
  readonly server: string
  readonly client: Client
  readonly transport: Transport
  readonly clientInfo: { readonly name: string; readonly version: string }
  /** Names what went wrong, with what is known of the process. */
  explain(error: unknown): PmlError
  readonly redact: Redact
  /** The client of a connection that one session has to itself. */
  owner(): ClientSide | undefined
  readonly events: ConnectionEvents
}

/** What a connection tells of its own accord. */
export interface ConnectionEvents {
  /** A list may have changed: of tools, or of anything else it offers. */
  onListChanged(connection: Connection, what: 'tools' | 'offers'): void
  onResourceUpdated(uri: string): void
  /** It asked something while several sessions waited for it. */
  onAmbiguous(): void
  /** Something for no one client alone. */
  tellAll(notice: Notice): void
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
  readonly #desk: ClientDesk
  /** Servers of 2026-07-28 tell of changes where they were asked to; older ones do so unasked. */
  readonly #subscription: Subscription | undefined
  #watched: ReadonlySet<string> = new Set()
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
    this.#desk = createClientDesk({
      lane: this.#lane,
      owner: options.owner,
      send: (message) => transport.send(message),
      ...options.events,
    })
    this.#subscription = modern ? this.#createSubscription() : undefined
    this.#intercept()
    this.#subscription?.update().catch((error: unknown) => this.#onRefused(error))
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

  /** Whether calls carry some of their arguments as headers too. */
  get mirrorsParams(): boolean {
    return this.#options.transport.hasPerRequestStream === true && this.era.kind === 'modern'
  }

  /** Whether the server said so when it was connected. */
  has(capability: 'tools' | 'resources' | 'prompts' | 'completions' | 'logging'): boolean {
    return this.#options.client.getServerCapabilities()?.[capability] !== undefined
  }

  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown> {
    if (this.#over) return Promise.reject(this.#overBecause)
    return this.#lane.request(method, params, options)
  }

  /** The answer as the server sent it, `input_required` included. */
  async callTool(
    definition: ToolDefinition,
    args: JsonObject,
    round: InputRound,
    options: RequestOptions,
  ): Promise<ToolResult> {
    const params = { name: definition.name, arguments: args, ...round } as JsonObject
    const headers = this.mirrorsParams ? paramHeaders(definition.inputSchema, args) : {}
    const hasHeaders = Object.keys(headers).length > 0
    const result = await this.request('tools/call', params, hasHeaders ? { ...options, headers } : options)
    return toToolResult(result, this.#options.server)
  }

  /** What is watched from now on; rejects when the server refuses one of them. */
  async watch(uris: ReadonlySet<string>, options: RequestOptions): Promise<void> {
    const before = this.#watched
    this.#watched = uris
    if (this.#subscription !== undefined) return this.#subscription.update()
    const added = [...uris].filter((uri) => !before.has(uri))
    const removed = [...before].filter((uri) => !uris.has(uri))
    await Promise.all([
      ...added.map((uri) => this.request('resources/subscribe', { uri }, options)),
      ...removed.map((uri) => this.request('resources/unsubscribe', { uri }, options).catch(() => {})),
    ])
  }

  /** A question that came before this connection could see it. */
  answer(question: Question): Promise<JsonObject> {
    return this.#desk.answer(question, new AbortController().signal)
  }

  /** Told without waiting for anything: the server may be too old to know it. */
  notify(method: string): void {
    const message = { jsonrpc: '2.0', method } as JSONRPCMessage
    this.#options.transport.send(message).catch(() => {})
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
    this.#letGo()
    this.#lane.failAll(this.#overBecause)
    this.#reportLost(this.#overBecause)
    void this.#options.transport.close().catch(() => {})
  }

  async close(): Promise<void> {
    if (!this.#over) {
      this.#over = true
      this.#overBecause = closedError(this.#options.server)
      this.#letGo()
      this.#lane.failAll(this.#overBecause)
      this.#reportLost(undefined)
    }
    await this.#options.client.close().catch(() => {})
    await this.#options.transport.close().catch(() => {})
  }

  #letGo(): void {
    this.#desk.close()
    this.#subscription?.close()
  }

  #intercept(): void {
    const { transport, client } = this.#options
    const toClient = transport.onmessage
    transport.onmessage = (message, extra) => {
      const received = message as RpcMessage
      if (this.#lane.take(received) || this.#desk.take(received) || this.#takeChange(received)) return
      toClient?.(message, extra)
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

  #takeChange({ method, params }: RpcMessage): boolean {
    const { events } = this.#options
    if (method === 'notifications/tools/list_changed') events.onListChanged(this, 'tools')
    else if (method === 'notifications/resources/list_changed') events.onListChanged(this, 'offers')
    else if (method === 'notifications/prompts/list_changed') events.onListChanged(this, 'offers')
    else if (method === 'notifications/resources/updated') {
      const uri = isObject(params) ? params.uri : undefined
      if (typeof uri === 'string') events.onResourceUpdated(uri)
    } else return false
    return true
  }

  #createSubscription(): Subscription {
    const { client, events } = this.#options
    const { tools, resources, prompts } = client.getServerCapabilities() ?? {}
    return createSubscription({
      client,
      filter: () => ({
        ...(tools?.listChanged && { toolsListChanged: true }),
        ...(resources?.listChanged && { resourcesListChanged: true }),
        ...(prompts?.listChanged && { promptsListChanged: true }),
        ...(this.#watched.size > 0 && { resourceSubscriptions: [...this.#watched] }),
      }),
      onGap: () => {
        events.onListChanged(this, 'tools')
        events.onListChanged(this, 'offers')
      },
      onRefused: (error) => this.#onRefused(error),
    })
  }

  /** Refused, it does without; out of reach, the connection is. */
  #onRefused(error: unknown): void {
    if (!this.#over && this.#isOutOfReach(error)) this.end(error)
  }

  #isOutOfReach(error: unknown): boolean {
    const reason = this.explain(error)
    return reason instanceof UpstreamError && ['offline', 'timeout', 'auth'].includes(reason.kind)
  }
}

const checkEveryMs = 5000

/** As the server sent it, but for `resultType`, which belongs to the wire of one revision. */
function toToolResult(value: unknown, server: string): ToolResult {
  if (!isObject(value)) throw malformed(server, 'its answer to tools/call is not an object.')
  if (isInputRequired(value)) return value as unknown as ToolResult
  const { resultType: _, ...result } = value as JsonObject
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
