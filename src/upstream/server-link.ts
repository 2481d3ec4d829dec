/**
 * Keeps one configured server within reach: connects in the background, notices when it is lost, tries again ever more
 * slowly and never gives up. It owns every connection to that server, the sessions' own ones included.
 *
 *   waiting -> connecting -> ready
 *                  |   ^       |
 *                  v   |       v
 *                  down (backoff, or at once when somebody calls)
 */
import { PmlError, UpstreamError } from '../errors.js'
import type { Log } from '../model/log.js'
import type { Redact } from '../model/redact.js'
import type { KnownEra, ServerConfig, ServerState, ServerStatus, Trouble } from '../model/server.js'
import type { ToolDefinition } from '../model/tool.js'
import { backoffMs } from './backoff.js'
import type { OpenConnection } from './connect-server.js'
import type { Connection } from './connection.js'
import { listTools } from './list-tools.js'
import type { Semaphore } from './semaphore.js'
import { SessionConnections } from './session-connections.js'

export interface LinkOptions {
  readonly config: ServerConfig
  readonly era: KnownEra | undefined
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly maxMessageBytes: number
  /** Places for processes that are starting up; shared by all servers. */
  readonly coldStarts: Semaphore
  readonly log: Log
  readonly redact: Redact
  onListed(tools: readonly ToolDefinition[]): void
  onChange(): void
}

/** A server that dies sooner than this after connecting counts as failing still. */
const stableAfterMs = 10_000
/** Calls to a server that is down try it at once, but not more often than this. */
const attemptGapMs = 1000
/** What takes longer waits for the network, or for ever: it no longer keeps others from starting. */
const slowStartMs = 10_000
const relistAfterMs = 100
const longAttemptMs = 3000

export class ServerLink {
  /** Resolves when the first attempt to connect ended, one way or the other. */
  readonly firstAttempt: Promise<void>
  #firstAttemptOver: () => void = () => {}
  #tried = false

  readonly #options: LinkOptions
  readonly #sessions: SessionConnections
  readonly #closing = new AbortController()
  #status: ServerStatus
  #trouble: Trouble | undefined
  #retryAt: number | undefined
  #era: KnownEra | undefined
  #connection: Connection | undefined
  #attempt: Promise<Connection> | undefined
  #retryTimer: NodeJS.Timeout | undefined
  #relistTimer: NodeJS.Timeout | undefined
  /** Lost connections whose processes are not all gone yet. */
  readonly #leaving = new Set<Promise<void>>()
  #failures = 0
  #attemptAt = Number.NEGATIVE_INFINITY
  #readyAt = 0
  #listed = false

  constructor(options: LinkOptions) {
    this.#options = options
    this.#era = options.era
    this.#status = options.config.disabled ? 'disabled' : 'waiting'
    this.firstAttempt = new Promise((resolve) => {
      this.#firstAttemptOver = () => {
        this.#tried = true
        resolve()
      }
    })
    if (options.config.disabled) this.#firstAttemptOver()
    this.#sessions = new SessionConnections(() => this.#open(() => {}))
  }

  get config(): ServerConfig {
    return this.#options.config
  }

  get era(): KnownEra | undefined {
    return this.#era
  }

  /** An attempt has ended, or takes so long that nobody should wait for one the next time. */
  get wasTried(): boolean {
    return this.#tried || (this.#attempt !== undefined && Date.now() - this.#attemptAt > longAttemptMs)
  }

  get isReady(): boolean {
    return this.#status === 'ready'
  }

  state(): Omit<ServerState, 'toolCount'> {
    const { name, transport } = this.config
    const open = this.#connection
    return {
      name,
      transport,
      status: this.#status,
      fromSnapshot: !this.#listed,
      pids: [open?.pid, ...this.#sessions.pids()].filter((pid) => pid !== undefined),
      ...(this.#trouble === undefined ? {} : { trouble: this.#trouble }),
      ...(this.#retryAt === undefined ? {} : { retryAt: this.#retryAt }),
      ...(open === undefined ? {} : { protocolVersion: open.protocolVersion }),
      ...(open?.serverInfo === undefined ? {} : { serverInfo: open.serverInfo }),
    }
  }

  start(): void {
    if (this.config.disabled) return
    this.#connect().catch(() => {})
  }

  /** The connection that serves this session; opens it where there is none. Rejects with a PmlError. */
  connection(session: string): Promise<Connection> {
    if (this.config.stateful) return this.#sessions.get(session)
    const open = this.openConnection(session)
    return open === undefined ? this.#shared() : Promise.resolve(open)
  }

  /** The same where it is open already. */
  openConnection(session: string): Connection | undefined {
    const open = this.config.stateful ? this.#sessions.find(session) : this.#connection
    return open?.isOver === false ? open : undefined
  }

  #shared(): Promise<Connection> {
    if (this.config.disabled || this.#closing.signal.aborted) return Promise.reject(this.#notServed())
    const sinceLast = Date.now() - this.#attemptAt
    if (this.#attempt === undefined && this.#trouble !== undefined && sinceLast < attemptGapMs) {
      return Promise.reject(this.#troubleError(this.#trouble))
    }
    return this.#connect()
  }

  endSession(session: string): void {
    this.#sessions.end(session)
  }

  /** Resolves when every process of this server is gone. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The server is being closed.'))
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#relistTimer)
    this.#firstAttemptOver()
    await Promise.all([
      this.#connection?.close(),
      this.#attempt?.then((late) => late.close()).catch(() => {}),
      this.#sessions.close(),
      ...this.#leaving,
    ])
  }

  #connect(): Promise<Connection> {
    this.#attempt ??= this.#tryConnect().finally(() => {
      this.#attempt = undefined
      this.#firstAttemptOver()
    })
    return this.#attempt
  }

  async #tryConnect(): Promise<Connection> {
    clearTimeout(this.#retryTimer)
    this.#retryAt = undefined
    this.#attemptAt = Date.now()
    try {
      const { connection, tools } = await this.#open(() => this.#become('connecting'))
      this.#adopt(connection, tools)
      return connection
    } catch (error) {
      this.#fail(error)
      throw error
    }
  }

  /** One connection, in its turn: processes that start are costly, so only so many do at once. */
  async #open(onTurn: () => void): Promise<OpenConnection> {
    const { config, coldStarts, ...rest } = this.#options
    const signal = this.#closing.signal
    const giveBack = config.transport === 'stdio' ? await coldStarts.acquire(signal) : () => {}
    const impatience = setTimeout(giveBack, slowStartMs)
    try {
      onTurn()
      // Loaded when first needed: the SDK's client takes a good part of a start's second.
      const { connectServer } = await import('./connect-server.js')
      const onListChanged = (): void => this.#relistSoon()
      const open = await connectServer(config, { ...rest, known: this.#era, signal, onListChanged })
      this.#era = open.connection.era
      return open
    } catch (error) {
      // A verdict that led nowhere is not trusted again.
      this.#era = undefined
      throw error
    } finally {
      clearTimeout(impatience)
      giveBack()
    }
  }

  #adopt(connection: Connection, tools: readonly ToolDefinition[]): void {
    this.#connection = connection
    this.#readyAt = Date.now()
    this.#trouble = undefined
    this.#listed = true
    this.#options.onListed(tools)
    const { name } = this.config
    const { protocolVersion, pid } = connection
    this.#options.log.info(`Server "${name}" is ready.`, { tools: tools.length, protocolVersion, pid })
    this.#become('ready')
    void connection.lost.then((error) => {
      if (this.#connection === connection) this.#connection = undefined
      const leaving = connection.close().finally(() => this.#leaving.delete(leaving))
      this.#leaving.add(leaving)
      // Somebody who found it broken may be connecting already.
      if (error !== undefined && this.#attempt === undefined) this.#fail(error)
    })
  }

  #fail(error: unknown): void {
    if (this.#closing.signal.aborted) return
    this.#trouble = toTrouble(error)
    if (this.#readyAt > 0 && Date.now() - this.#readyAt >= stableAfterMs) this.#failures = 0
    this.#readyAt = 0
    const delay = backoffMs(this.#failures)
    this.#failures += 1
    this.#retryAt = Date.now() + delay
    clearTimeout(this.#retryTimer)
    this.#retryTimer = setTimeout(() => this.#connect().catch(() => {}), delay)
    this.#retryTimer.unref()
    this.#options.log.warn(this.#trouble.message, { hint: this.#trouble.hint, retryInMs: delay })
    this.#become('down')
  }

  #relistSoon(): void {
    clearTimeout(this.#relistTimer)
    this.#relistTimer = setTimeout(() => void this.#relist(), relistAfterMs)
    this.#relistTimer.unref()
  }

  async #relist(): Promise<void> {
    const connection = this.#connection
    if (connection === undefined || connection.isOver) return
    const { config, log } = this.#options
    try {
      const tools = await listTools(connection, {
        server: config.name,
        timeoutMs: config.timeoutMs,
        signal: this.#closing.signal,
        log,
      })
      this.#options.onListed(tools)
    } catch (error) {
      log.warn(`Server "${config.name}" announced new tools and did not list them.`, {
        error: error instanceof Error ? error.message : String(error),
      })
    }
  }

  #become(status: ServerStatus): void {
    this.#status = status
    this.#options.onChange()
  }

  #troubleError({ kind, message, hint }: Trouble): UpstreamError {
    // The message of trouble names its server already.
    return new UpstreamError(this.config.name, kind, message.replace(/^Server "[^"]*": /, ''), hint)
  }

  #notServed(): UpstreamError {
    const { name, disabled } = this.config
    return disabled
      ? new UpstreamError(name, 'offline', 'it is disabled.', 'Enable it in the configuration.')
      : new UpstreamError(name, 'offline', 'it is being closed.', 'Start the gateway again.')
  }
}

function toTrouble(error: unknown): Trouble {
  const at = Date.now()
  if (error instanceof UpstreamError)
    return { kind: error.kind, message: error.message, hint: error.hint, at }
  if (error instanceof PmlError) return { kind: 'protocol', message: error.message, hint: error.hint, at }
  return { kind: 'protocol', message: String(error), hint: 'Report it with the log.', at }
}
