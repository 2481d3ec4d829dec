/**
 * Builds every room in order and closes them in reverse; the only file that knows all rooms. The gateway answers from the
 * snapshot of the last run before the store is open and before any server is up: both are started once the first client has
 * had its answer, or a moment later, so that they do not slow it down.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { StoreError } from './errors.js'
import { openRuns, type Runs } from './execute/open-runs.js'
import { createGateway, type Gateway } from './gateway/create-gateway.js'
import { createTokenCounter } from './gateway/token-counter.js'
import type { PmlConfig } from './model/config.js'
import type { Log } from './model/log.js'
import { createRedact } from './model/redact.js'
import { definitionText, type Tool } from './model/tool.js'
import { openStore } from './store/open-store.js'
import { readSnapshot, writeSnapshot } from './store/snapshot.js'
import type { Store } from './store/store.js'
import { openUpstreams } from './upstream/open-upstreams.js'
import type { Upstreams } from './upstream/upstreams.js'
import { version } from './version.js'

export interface PmlOptions {
  readonly config: PmlConfig
  readonly dataDirectory: string
  /** PostgreSQL instead of the embedded database. */
  readonly databaseUrl?: string
  readonly log: Log
  /** Told what is being done while it starts. */
  onProgress(step: string): void
}

export interface Pml {
  readonly gateway: Gateway
  readonly upstreams: Upstreams
  readonly runs: Runs
  /** Starts servers and store now instead of after the first answer. */
  start(): void
  /** Resolves when the store is open. */
  readonly storeOpen: Promise<Store>
  reconfigure(config: PmlConfig): Promise<void>
  close(): Promise<void>
}

/** Left to the first client's handshake and list before servers are spawned; they compete for the same cores. */
const startAfterMs = 300
const saveAfterMs = 200
const closeWithinMs = 500

export function createPml(options: PmlOptions): Pml {
  const { dataDirectory, log } = options
  let config = options.config
  let redactSecrets = createRedact(config.secrets)
  const redact = (text: string): string => redactSecrets(text)

  const snapshot = readSnapshot(dataDirectory)
  const upstreams = openUpstreams({
    servers: config.servers,
    known: snapshot.tools,
    eras: snapshot.eras,
    tried: snapshot.tried,
    limits: config.limits,
    validateArguments: config.validateArguments,
    clientInfo: { name: 'casys-pml', version },
    log,
    redact,
  })

  const opening = deferStore(options)
  const start = once(() => {
    clearTimeout(startTimer)
    upstreams.start()
    opening.open()
  })
  const startTimer = setTimeout(start, startAfterMs)

  const callTool: Upstreams['callTool'] = (call) => {
    start()
    return upstreams.callTool(call)
  }
  const runs = openRuns({
    callTool,
    store: opening.store,
    concurrentCalls: () => config.limits.concurrentCalls,
    redact,
    log,
  })
  const counter = createTokenCounter()
  let closing = false
  const report = (what: string) => (error: unknown) => {
    if (!closing) log.warn(what, { error: String(error) })
  }
  const persist = createPersist({
    dataDirectory,
    upstreams,
    store: opening.store,
    onError: report('the catalogue was not saved'),
  })
  const stopPersist = upstreams.onChange(persist.soon)
  void opening.store
    .then(async (store) => {
      upstreams.adoptPins(await store.loadTools())
      await store.markInterrupted()
    })
    .catch(report('the store could not be opened'))

  const gateway = createGateway({
    config: () => config,
    catalogue: {
      servers: upstreams.servers,
      tools: upstreams.tools,
      onChange: upstreams.onChange,
      settled(wait) {
        start()
        return upstreams.settled(wait)
      },
    },
    callTool,
    endSession: upstreams.endSession,
    runs,
    async trust(ids) {
      await opening.store
      const accepted = upstreams.trust(ids)
      await persist.now()
      return accepted
    },
    countTokens(tools) {
      void countTokens(tools, counter, upstreams).catch(report('tokens were not counted'))
    },
    version,
    log,
    redact,
  })

  return {
    gateway,
    upstreams,
    runs,
    start,
    storeOpen: opening.store,
    async reconfigure(next) {
      config = next
      redactSecrets = createRedact([...next.secrets, ...options.config.secrets])
      await upstreams.reconfigure(next.servers)
    },
    async close() {
      closing = true
      clearTimeout(startTimer)
      await gateway.close()
      await runs.close()
      await Promise.all([upstreams.close(), counter.close()])
      stopPersist()
      await persist.close()
      await opening.close()
    },
  }
}

/** The store as a promise that someone else sets going; closing it before it was ever opened opens nothing. */
function deferStore(options: PmlOptions): { store: Promise<Store>; open(): void; close(): Promise<void> } {
  let begin: () => void = () => {}
  let refuse: (error: Error) => void = () => {}
  let begun = false
  const givenUp = new AbortController()
  const store = new Promise<Store>((resolve, reject) => {
    refuse = reject
    begin = () => {
      begun = true
      openStore({
        dataDirectory: options.dataDirectory,
        ...(options.databaseUrl === undefined ? {} : { databaseUrl: options.databaseUrl }),
        signal: givenUp.signal,
        onProgress: options.onProgress,
        log: options.log,
      }).then(resolve, reject)
    }
  })
  store.catch(() => {})
  return {
    store,
    open: () => begin(),
    async close() {
      if (!begun)
        return refuse(new StoreError('The gateway closed before its store was opened.', 'Start it again.'))
      givenUp.abort()
      await store.then(
        (open) => open.close(),
        () => {},
      )
    },
  }
}

interface PersistOptions {
  readonly dataDirectory: string
  readonly upstreams: Upstreams
  readonly store: Promise<Store>
  onError(error: unknown): void
}

/**
 * Keeps snapshot and store in step with the catalogue, soon after it changed. The snapshot waits for nobody: the store may
 * take seconds to open, and a client that comes meanwhile should find what was learned.
 */
function createPersist(options: PersistOptions) {
  const { upstreams, onError } = options
  let timer: NodeJS.Timeout | undefined
  let stored = new Map<string, Tool>()
  let storing: Promise<void> = Promise.resolve()

  const saveSnapshot = (): Promise<void> =>
    writeSnapshot(options.dataDirectory, {
      tools: upstreams.tools(),
      eras: upstreams.eras(),
      tried: upstreams.tried(),
    })
  const storeChanges = async (): Promise<void> => {
    const store = await options.store
    const tools = upstreams.tools()
    const changed = tools.filter((tool) => stored.get(tool.id) !== tool)
    if (changed.length > 0) await store.saveTools(changed)
    await store.saveServers(upstreams.servers())
    stored = new Map(tools.map((tool) => [tool.id, tool]))
  }
  const now = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const next = storing.then(storeChanges)
    storing = next.catch(onError)
    await Promise.all([saveSnapshot(), next])
  }
  return {
    now,
    soon(): void {
      timer ??= setTimeout(() => void now().catch(onError), saveAfterMs)
    },
    /** Within the time that a closing process has; what the store missed it learns from the snapshot at the next start. */
    async close(): Promise<void> {
      const pending = timer !== undefined
      const saved = pending ? now() : storing
      if (pending) await saveSnapshot().catch(onError)
      await Promise.race([saved.catch(onError), sleep(closeWithinMs, undefined, { ref: false })])
    },
  }
}

async function countTokens(
  tools: readonly Tool[],
  counter: ReturnType<typeof createTokenCounter>,
  upstreams: Upstreams,
): Promise<void> {
  const counts = await counter.count(tools.map((tool) => definitionText(tool.definition)))
  upstreams.setTokens(new Map(tools.map((tool, at) => [tool.hash, counts[at]!])))
}

function once(action: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    action()
  }
}
