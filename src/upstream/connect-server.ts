/** Opens one connection to one server, finding out on the way which transport and which revision it speaks. */
import {
  Client,
  type PriorDiscovery,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import type { Authorization } from '../auth/authorization.js'
import { type PmlError, UpstreamError, UpstreamRpcError } from '../errors.js'
import { type ClientSide, capabilityFor } from '../model/client-side.js'
import type { JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import type { ServerOffers } from '../model/offers.js'
import type { Redact } from '../model/redact.js'
import type { HttpServerConfig, KnownEra, ServerConfig, StdioServerConfig } from '../model/server.js'
import type { ToolDefinition } from '../model/tool.js'
import { unlessAborted } from '../model/unless-aborted.js'
import { authorizedFetch } from './authorized-fetch.js'
import { childEnvironment } from './child-environment.js'
import { httpStatus, toUpstreamError } from './classify-trouble.js'
import { Connection, type ConnectionEvents } from './connection.js'
import { limitedFetch } from './limited-fetch.js'
import { listOffers } from './list-offers.js'
import { listTools } from './list-tools.js'
import { programFinder } from './program-finder.js'
import { StdioTransport } from './stdio-transport.js'

export interface ConnectOptions {
  readonly known: KnownEra | undefined
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly maxMessageBytes: number
  readonly signal: AbortSignal
  readonly log: Log
  readonly redact: Redact
  /** The client that this connection is for alone; undefined where all share it. */
  owner(): ClientSide | undefined
  readonly events: ConnectionEvents
  /** How to get in to a server reached over HTTP; undefined where its configured headers have to do. */
  readonly authorization: Authorization | undefined
}

/** What clients in front of us may be able to do. Which client a question reaches is known only when it comes. */
const anyClientsCapabilities = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {}, context: {} },
  roots: { listChanged: true },
}

/** How long a server may think about a question it has never heard before it counts as an old one. */
const probeTimeoutMs = 10_000

/** A connection counts as open once its tools are listed: an adopted verdict about the revision proves nothing before. */
export interface OpenConnection {
  readonly connection: Connection
  readonly tools: readonly ToolDefinition[]
  readonly offers: Promise<Partial<ServerOffers>>
}

/** Rejects with a PmlError; whatever it had started is gone by then. */
export async function connectServer(server: ServerConfig, options: ConnectOptions): Promise<OpenConnection> {
  const deadline = Date.now() + server.connectTimeoutMs
  if (server.transport === 'stdio') return connectStdio(server, options, deadline)
  return connectHttp(server, options, deadline)
}

async function connectStdio(
  server: StdioServerConfig,
  options: ConnectOptions,
  deadline: number,
): Promise<OpenConnection> {
  const program = await unlessAborted(programFinder().find(server.command, server.env), options.signal)
  if (program.file === undefined) {
    const { redact } = options
    const missing = Object.assign(new Error(`${server.command} is nowhere.`), { code: 'ENOENT' })
    throw toUpstreamError(missing, { server, searched: program.searched, redact })
  }
  const { file: command, path } = program
  const open = (known: KnownEra | undefined) => {
    const transport = new StdioTransport({
      ...server,
      command,
      env: childEnvironment(process.env, { configured: server.env, path, platform: process.platform }),
      maxMessageBytes: options.maxMessageBytes,
      log: options.log,
    })
    return attempt(server, transport, known, options, deadline)
  }
  const { known } = options
  try {
    return await open(known)
  } catch (error) {
    // Servers on old SDKs exit at the first question before `initialize`.
    if (known === undefined && diedOfProbe(error)) return open({ kind: 'legacy' })
    // What was remembered may be out of date: the server was upgraded, or replaced.
    if (known !== undefined && mayBeStale(error)) return open(undefined)
    throw error
  }
}

async function connectHttp(
  server: HttpServerConfig,
  options: ConnectOptions,
  deadline: number,
): Promise<OpenConnection> {
  const url = new URL(server.url)
  const { authorization } = options
  const fetch = limitedFetch(options.maxMessageBytes)
  const requestInit = { headers: { ...server.headers } }
  const http =
    authorization === undefined
      ? { requestInit, fetch }
      : { requestInit, fetch: authorizedFetch(fetch, authorization), authProvider: authorization }
  const openSse = () => {
    const transport = new SSEClientTransport(url, http)
    return attempt(server, transport, { kind: 'legacy' }, options, deadline)
  }
  const open = (known: KnownEra | undefined) =>
    attempt(server, new StreamableHTTPClientTransport(url, http), known, options, deadline)
  if (server.transport === 'sse') return openSse()
  try {
    return await open(options.known)
  } catch (error) {
    const status = httpStatus(error instanceof Error ? error.cause : undefined)
    // As the specification says of older servers: a POST refused with 4xx means try a GET for an event stream.
    if (status !== undefined && status >= 400 && status < 500 && status !== 401 && status !== 403) {
      return openSse().catch(() => {
        throw error
      })
    }
    if (options.known !== undefined && mayBeStale(error)) return open(undefined)
    throw error
  }
}

async function attempt(
  server: ServerConfig,
  transport: Transport,
  known: KnownEra | undefined,
  options: ConnectOptions,
  deadline: number,
): Promise<OpenConnection> {
  const remainingMs = Math.max(1, deadline - Date.now())
  const probe = { timeoutMs: Math.min(probeTimeoutMs, Math.max(1, remainingMs - 1000)) }
  const client = new Client(options.clientInfo, {
    versionNegotiation: { mode: 'auto', probe },
    capabilities: options.owner()?.capabilities ?? anyClientsCapabilities,
  })
  // Servers may ask for roots before the handshake is over; from then on the connection sees questions first.
  let announce: (connection: Connection) => void = () => {}
  const connected = new Promise<Connection>((resolve) => {
    announce = resolve
  })
  client.fallbackRequestHandler = async ({ method, params }) => {
    if (capabilityFor(method) === undefined) throw new ProtocolError(-32601, 'Method not found')
    return (await connected).answer({ method, params: (params ?? {}) as JsonObject })
  }
  client.onerror = (error) => {
    options.log.debug(`Server "${server.name}": ${options.redact(error.message)}`)
  }
  let timedOut = false
  const explain = (error: unknown) => explainTrouble(error, server, transport, options, timedOut)
  const giveUp = (): void => void transport.close().catch(() => {})
  const timer = setTimeout(() => {
    timedOut = true
    giveUp()
  }, remainingMs)
  options.signal.addEventListener('abort', giveUp)
  try {
    if (options.signal.aborted) throw options.signal.reason
    await client.connect(transport, {
      timeout: remainingMs,
      ...(known === undefined ? {} : { prior: asPrior(known) }),
    })
    const connection = new Connection({ ...options, server: server.name, client, transport, explain })
    announce(connection)
    const request = { timeoutMs: remainingMs, signal: options.signal }
    const list = { ...request, server: server.name, log: options.log }
    const offers = listOffers(connection, list).catch(() => ({}))
    const [tools] = await Promise.all([
      listTools(connection, list),
      // Adopted unasked, so confirmed beside the first request: an old server might answer that one all the same.
      known?.kind === 'modern' ? connection.request('server/discover', {}, request) : undefined,
    ])
    if (timedOut || options.signal.aborted) throw new Error('The connection was given up.')
    return { connection, tools, offers }
  } catch (error) {
    await client.close().catch(() => {})
    await transport.close().catch(() => {})
    throw options.signal.aborted ? options.signal.reason : explain(error)
  } finally {
    clearTimeout(timer)
    options.signal.removeEventListener('abort', giveUp)
  }
}

function asPrior(known: KnownEra): PriorDiscovery {
  return known as unknown as PriorDiscovery
}

function explainTrouble(
  error: unknown,
  server: ServerConfig,
  transport: Transport,
  { redact }: ConnectOptions,
  timedOut: boolean,
): PmlError {
  const stdio = transport instanceof StdioTransport ? transport : undefined
  return toUpstreamError(error, {
    server,
    exit: stdio?.exit,
    stderr: stdio && redact(stdio.stderrTail()),
    timedOutAfterMs: timedOut ? server.connectTimeoutMs : undefined,
    redact,
  })
}

function diedOfProbe(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return (
    cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed && isKind(error, 'exit')
  )
}

function mayBeStale(error: unknown): boolean {
  return error instanceof UpstreamRpcError || isKind(error, 'exit') || isKind(error, 'protocol')
}

function isKind(error: unknown, kind: UpstreamError['kind']): boolean {
  return error instanceof UpstreamError && error.kind === kind
}
