/**
 * Keeps one configured server within reach: connects in the background, notices when it is lost, tries again ever more
 * slowly and never gives up. It owns every connection to that server, the sessions' own ones included.
 *
 *   waiting -> connecting -> ready
 *                  |   ^       |
 *                  v   |       v
 *                  down (backoff, or at once when somebody calls)
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Authorization } from '../auth/authorization.js'
import { PmlError, SignInNeededError, UpstreamError } from '../errors.js'
import type { ClientSide } from '../model/client-side.js'
import { type Launcher, launcherOf } from '../model/launcher.js'
import type { Log } from '../model/log.js'
import type { ServerOffers } from '../model/offers.js'
import type { Redact } from '../model/redact.js'
import type {
  HttpServerConfig,
  KnownEra,
  ServerConfig,
  ServerStart,
  ServerState,
  ServerStatus,
  Trouble,
} from '../model/server.js'
import type { ToolDefinition } from '../model/tool.js'
import { withinMs } from '../model/within-ms.js'
import { backoffMs } from './backoff.js'
import type { OpenConnection } from './connect-server.js'
import type { Connection, ConnectionEvents } from './connection.js'
import { listOffers } from './list-offers.js'
import { listTools } from './list-tools.js'
import { RelistTimers } from './relist-timers.js'
import { ResourceWatches } from './resource-watches.js'
import { sameDefinitions } from './same-definitions.js'
import type { Semaphore } from './semaphore.js'
import { SessionConnections } from './session-connections.js'
import type { Clients } from './upstreams.js'

export interface LinkOptions {
  readonly config: ServerConfig
  readonly era: KnownEra | undefined
  readonly clientInfo: { readonly name: string; readonly version: string }
  readonly maxMessageBytes: number
  /** Places for processes that are starting up; shared by all servers. */
  readonly coldStarts: Semaphore
  /** Those for processes that may download what they start: they take long, and storm when they are many. */
  readonly downloads: Semaphore
  readonly log: Log
  readonly redact: Redact
  readonly clients: Clients
  authorizationOf(config: HttpServerConfig): Promise<Authorization | undefined>
  onListed(tools: readonly ToolDefinition[]): void
  /** What could not be listed this time is left out. */
  onOffers(offers: Partial<ServerOffers>): void
  onChange(): void
}

/** A server that dies sooner than this after connecting counts as failing still. */
const stableAfterMs = 10_000
/** Calls to a server that is down try it at once, but not more often than this. */
const attemptGapMs = 1000
/** What takes longer waits for the network, or for ever: it no longer keeps others from starting. */
const slowStartMs = 10_000
const slowDownloadMs = 30_000
/** A server that is slow to list its resources and prompts is ready without them. */
const offersWithinMs = 1000
const longAttemptMs = 3000
const retireWithinMs = 10_000
const lookEveryMs = 50

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
  #stopListening: (() => void) | undefined
  readonly #relistTimers = new RelistTimers()
  #watches = new ResourceWatches((uris) => this.#applyWatches(uris))
  #offersTaken: Promise<void> = Promise.resolve()
  #logLevel: string | undefined
  #asksAmongSeveral = false
  /** What each connection listed last, and which of these lists the catalogue has. */
  readonly #listings = new WeakMap<Connection, readonly ToolDefinition[]>()
  #shown: readonly ToolDefinition[] = []
  /** Lost connections whose processes are not all gone yet. */
  readonly #leaving = new Set<Promise<void>>()
  #failures = 0
  /** Set while an attempt waits for its turn: how many are before it. */
  #ahead: (() => number) | undefined
  #lastWarning: string | undefined
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
    this.#sessions = new SessionConnections((session) => this.#open(() => {}, session))
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
      ...(this.#attempt === undefined ? {} : { start: this.#start() }),
      ...(open === undefined ? {} : { protocolVersion: open.protocolVersion }),
      ...(open?.serverInfo === undefined ? {} : { serverInfo: open.serverInfo }),
    }
  }

  #start(): ServerStart {
    const launcher = launcherFor(this.config)
    return {
      since: this.#attemptAt,
      ...(this.#ahead === undefined ? {} : { ahead: this.#ahead() }),
      ...(launcher === undefined ? {} : { launcher }),
    }
  }

  start(): void {
    if (this.config.disabled) return
    this.#connect().catch(() => {})
  }

  /** The connection that serves this session; opens it where there is none. Rejects with a PmlError. */
  connection(session: string): Promise<Connection> {
    if (this.#isPerSession) return this.#sessions.get(session)
    const open = this.openConnection(session)
    return open === undefined ? this.#shared() : Promise.resolve(open)
  }

  /** The same where it is open already. */
  openConnection(session: string): Connection | undefined {
    const open = this.#isPerSession ? this.#sessions.find(session) : this.#connection
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

  /** Tells of changes of this resource from now on, over lost connections too. Rejects when the server refuses. */
  async watch(uri: string): Promise<() => void> {
    if (this.#connection === undefined) await this.#shared()
    return this.#watches.add(uri)
  }

  /** In the place of a link whose server was configured anew: what clients watch there they watch here. */
  inheritWatches(before: ServerLink): void {
    this.#watches = before.#watches
    this.#watches.moveTo((uris) => this.#applyWatches(uris))
  }

  async #applyWatches(uris: ReadonlySet<string>): Promise<void> {
    await this.#connection?.watch(uris, { timeoutMs: this.config.timeoutMs, signal: this.#closing.signal })
  }

  /** The least severe log messages that any client wants; servers before 2026-07-28 are told once for all. */
  setLogLevel(level: string): void {
    this.#logLevel = level
    for (const connection of this.#openConnections()) this.#tellLogLevel(connection)
  }

  #tellLogLevel(connection: Connection): void {
    if (this.#logLevel === undefined || connection.era.kind === 'modern' || !connection.has('logging')) return
    const options = { timeoutMs: this.config.timeoutMs, signal: this.#closing.signal }
    connection.request('logging/setLevel', { level: this.#logLevel }, options).catch(() => {})
  }

  /** Roots belong to one client: only the connection that is its own hears of a change. */
  rootsChanged(session: string): void {
    const own = this.#isPerSession ? this.#sessions.find(session) : undefined
    if (own?.era.kind === 'legacy') own.notify('notifications/roots/list_changed')
  }

  /** By configuration, or because the server asks its clients and cannot say which one it means. */
  get #isPerSession(): boolean {
    return this.config.stateful || this.#asksAmongSeveral
  }

  #openConnections(): readonly Connection[] {
    return [this.#connection, ...this.#sessions.connections()].filter((one) => one !== undefined)
  }

  /** Another link has taken its place: what is under way is given a moment to end. */
  async retire(): Promise<void> {
    const endsAt = Date.now() + retireWithinMs
    const isBusy = (): boolean => this.#openConnections().some((connection) => connection.isBusy)
    clearTimeout(this.#retryTimer)
    while (isBusy() && Date.now() < endsAt && !this.#closing.signal.aborted) {
      await sleep(lookEveryMs, undefined, { ref: false })
    }
    await this.close()
  }

  /** True when the error says that this link was closed before anything was sent. */
  isClosedBefore(error: unknown): boolean {
    return this.#closing.signal.aborted && error === this.#closing.signal.reason
  }

  /** Resolves when every process of this server is gone. */
  async close(): Promise<void> {
    this.#closing.abort(this.#notServed())
    clearTimeout(this.#retryTimer)
    this.#stopListening?.()
    this.#relistTimers.clear()
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
      await this.#offersTaken
      this.#adopt(connection, tools)
      this.#watches.renew()
      return connection
    } catch (error) {
      this.#fail(error)
      throw error
    }
  }

  /** One connection, in its turn: processes that start are costly, so only so many do at once. */
  async #open(onTurn: () => void, session?: string): Promise<OpenConnection> {
    const { config, coldStarts, downloads, clients, ...rest } = this.#options
    const signal = this.#closing.signal
    const isDownload = launcherFor(config) !== undefined
    const places = isDownload ? downloads : coldStarts
    const onWait = (ahead: () => number): void => {
      this.#ahead = ahead
    }
    const giveBack = config.transport === 'stdio' ? await places.acquire(signal, onWait) : () => {}
    this.#ahead = undefined
    const impatience = setTimeout(giveBack, isDownload ? slowDownloadMs : slowStartMs)
    try {
      onTurn()
      // Loaded when first needed: the SDK's client takes a good part of a start's second.
      const { connectServer } = await import('./connect-server.js')
      const owner = (): ClientSide | undefined => (session === undefined ? undefined : clients.of(session))
      const events = this.#events()
      const authorization = await this.#authorizationOf(config)
      const open = await connectServer(config, {
        ...rest,
        known: this.#era,
        signal,
        owner,
        events,
        authorization,
      })
      this.#era = open.connection.era
      this.#keepList(open.connection, open.tools)
      this.#tellLogLevel(open.connection)
      if (session === undefined) this.#takeOffers(open)
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

  async #authorizationOf(config: ServerConfig): Promise<Authorization | undefined> {
    if (config.transport === 'stdio') return undefined
    const authorization = await this.#options.authorizationOf(config)
    if (authorization === undefined || this.#stopListening !== undefined) return authorization
    this.#stopListening = authorization.onChange(() => this.#signInChanged(authorization))
    return authorization
  }

  /** Somebody signed in, in another process: tried at once. Or out: what is open is not theirs any more. */
  #signInChanged({ isSignedIn }: Authorization): void {
    if (this.#closing.signal.aborted) return
    if (!isSignedIn) {
      this.#connection?.end(new SignInNeededError(this.config.name))
      this.#sessions.endAll()
    } else if (this.#connection === undefined) this.#connect().catch(() => {})
  }

  #events(): ConnectionEvents {
    const { clients, config } = this.#options
    return {
      onListChanged: (changed, what) => this.#relistSoon(changed, what),
      onResourceUpdated: (uri) => {
        if (this.#watches.has(uri)) clients.resourceUpdated(config.name, uri)
      },
      onAmbiguous: () => {
        this.#asksAmongSeveral = true
      },
      tellAll: clients.tellAll,
    }
  }

  /** What a server offers beside its tools keeps nobody waiting for long. */
  #takeOffers({ offers }: OpenConnection): void {
    this.#offersTaken = withinMs(offers.then(this.#options.onOffers), offersWithinMs, undefined)
  }

  #adopt(connection: Connection, tools: readonly ToolDefinition[]): void {
    this.#connection = connection
    this.#readyAt = Date.now()
    this.#trouble = undefined
    this.#lastWarning = undefined
    const { name } = this.config
    const { protocolVersion, pid } = connection
    this.#options.log.info(`Server "${name}" is ready.`, { tools: tools.length, protocolVersion, pid })
    this.#become('ready')
    void connection.lost.then((error) => {
      if (this.#connection === connection) this.#connection = undefined
      this.#relistTimers.forget(connection)
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
    clearTimeout(this.#retryTimer)
    // Who is refused is refused again, until a person acts or somebody calls.
    const delay = this.#trouble.kind === 'auth' ? undefined : backoffMs(this.#failures)
    this.#failures += 1
    if (delay !== undefined) this.#retryIn(delay)
    this.#warnOnce(this.#trouble, delay)
    this.#become('down')
  }

  #retryIn(delay: number): void {
    this.#retryAt = Date.now() + delay
    this.#retryTimer = setTimeout(() => this.#connect().catch(() => {}), delay)
    this.#retryTimer.unref()
  }

  /** The same trouble at every attempt is told once; the others are for who looks closely. */
  #warnOnce({ message, hint, detail }: Trouble, retryInMs: number | undefined): void {
    const { log } = this.#options
    const facts = { hint, ...(retryInMs === undefined ? {} : { retryInMs }) }
    if (message === this.#lastWarning) log.debug(message, facts)
    else log.warn(message, facts)
    if (detail !== undefined) log.debug(`The last words of server "${this.config.name}".`, { detail })
    this.#lastWarning = message
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

  #relistSoon(connection: Connection, what: 'tools' | 'offers'): void {
    if (this.#closing.signal.aborted) return
    if (what === 'offers' && connection !== this.#connection) return
    this.#relistTimers.soon(connection, what, () => void this.#relist(connection, what))
  }

  async #relist(connection: Connection, what: 'tools' | 'offers'): Promise<void> {
    if (connection.isOver) return
    const { config, log } = this.#options
    const { name: server, timeoutMs } = config
    const options = { server, timeoutMs, signal: this.#closing.signal, log }
    try {
      if (what === 'offers') this.#options.onOffers(await listOffers(connection, options))
      else this.#keepList(connection, await listTools(connection, options))
    } catch (error) {
      log.warn(`Server "${config.name}" announced new ${what} and did not list them.`, {
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
  const detail = error instanceof UpstreamError ? error.detail : undefined
  return {
    kind,
    message: redact(message),
    hint: redact(hint),
    ...(detail === undefined ? {} : { detail: redact(detail) }),
    at: Date.now(),
  }
}

function launcherFor(config: ServerConfig): Launcher | undefined {
  return config.transport === 'stdio' ? launcherOf(config.command, config.args) : undefined
}
