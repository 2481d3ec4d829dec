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
import { sameDefinitions } from './same-definitions.js'
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
  readonly #relistTimers = new Map<Connection, NodeJS.Timeout>()
  /** What each connection listed last, and which of these lists the catalogue has. */
  readonly #listings = new WeakMap<Connection, readonly ToolDefinition[]>()
  #shown: readonly ToolDefinition[] = []
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
      this.#firstAttemptOver = resolve
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
    this.#closing.abort(this.#notServed())
    clearTimeout(this.#retryTimer)
    for (const timer of this.#relistTimers.values()) clearTimeout(timer)
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
      // Cut short by our own end, it has told nothing about the server but that it is slow.
      const wasLong = Date.now() - this.#attemptAt > longAttemptMs
      if (wasLong || !this.#closing.signal.aborted) this.#tried = true
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
      const onListChanged = (changed: Connection): void => this.#relistSoon(changed)
      const open = await connectServer(config, { ...rest, known: this.#era, signal, onListChanged })
      this.#era = open.connection.era
      this.#keepList(open.connection, open.tools)
      return open
    } catch (error) {
      // A verdict that led nowhere is not trusted again.
      if (!signal.aborted) this.#era = undefined
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
    this.#trouble = toTrouble(error, this.#options.redact)
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

  /**
   * The sessions of a stateful server may list differently. What counts is the list of the connection about to be called,
   * so that a definition that changed there alone is caught too.
   */
  showList(connection: Connection): void {
    const tools = this.#listings.get(connection)
    if (tools === undefined || tools === this.#shown || sameDefinitions(tools, this.#shown)) return
    this.#show(tools)
  }

  #keepList(connection: Connection, tools: readonly ToolDefinition[]): void {
    this.#listings.set(connection, tools)
    this.#listed = true
    this.#show(tools)
  }

  #show(tools: readonly ToolDefinition[]): void {
    this.#shown = tools
    this.#options.onListed(tools)
  }

  #relistSoon(connection: Connection): void {
    if (this.#closing.signal.aborted) return
    clearTimeout(this.#relistTimers.get(connection))
    const timer = setTimeout(() => void this.#relist(connection), relistAfterMs)
    timer.unref()
    this.#relistTimers.set(connection, timer)
  }

  async #relist(connection: Connection): Promise<void> {
    this.#relistTimers.delete(connection)
    if (connection.isOver) return
    const { config, log } = this.#options
    try {
      const tools = await listTools(connection, {
        server: config.name,
        timeoutMs: config.timeoutMs,
        signal: this.#closing.signal,
        log,
      })
      this.#keepList(connection, tools)
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
      : new UpstreamError(
          name,
          'offline',
          'it was changed in or removed from the configuration, or the gateway is closing.',
          'Call again: where it is still configured, it is being started anew.',
        )
  }
}

/** Redacted here, where it is made: it goes to the log, the store, the status and the page. */
function toTrouble(error: unknown, redact: Redact): Trouble {
  const { message, hint } =
    error instanceof PmlError ? error : { message: String(error), hint: 'Report it with the log.' }
  const kind = error instanceof UpstreamError ? error.kind : 'protocol'
  return { kind, message: redact(message), hint: redact(hint), at: Date.now() }
}
