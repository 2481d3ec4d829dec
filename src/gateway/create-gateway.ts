/**
 * The front door: the MCP server that clients see, over streams and over HTTP, and the pages beside it.
 *
 * It promises that every client sees the same list in the same order; that any form of a tool's name can be called, listed or
 * not; that results and errors of servers pass through as they were sent, except that what is too large is cut with a handle;
 * and that nothing a client or server sends ends it. It never touches the store, a server's process or its connection: tools
 * come from the catalogue it is given, calls go through `callTool`, workflows through `runs`.
 *
 *   stream ─ line-transport ─┬─ call-lane ────────┐
 *                            │                    │   ┌─ tools/* (our own)
 *                            ├─ mcp-server ─ call-by-name
 *   HTTP ── mcp-endpoint ────┘       │                └─ gate-call ─ callTool (a server's) ─ cut-result
 *                              catalogue-view (names, exposure, listing)
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { Server, Transport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { toolOfCapability } from '../capabilities/tool-of-capability.js'
import type { DirectApprovals } from '../execute/open-direct-approvals.js'
import type { KnownCall } from '../execute/speculate/speculation-room.js'
import type { CallRules } from '../model/call-rules.js'
import type { PmlConfig } from '../model/config.js'
import type { Log } from '../model/log.js'
import { newId } from '../model/new-id.js'
import type { ServerOffers } from '../model/offers.js'
import type { IntentPlan } from '../model/plan.js'
import type { Redact } from '../model/redact.js'
import type { ErrorInfo } from '../model/run.js'
import type { PreparedCall } from '../model/speculation.js'
import { parseToolId, type SeenChange, type Tool } from '../model/tool.js'
import type { CallTool, SendRequest } from '../model/tool-call.js'
import { withinMs } from '../model/within-ms.js'
import type { PlanExplanation } from '../plan/explain-plan.js'
import type { ToolSearch } from '../plan/find/create-tool-search.js'
import type { IntentPlanner } from '../plan/intent-planner.js'
import { createSchemaChecks } from '../upstream/schema-checks.js'
import type { Clients } from '../upstream/upstreams.js'
import { createArgumentCheck } from '../upstream/validate-arguments.js'
import type { Advice } from './advice.js'
import { createCallByName, type DirectCall } from './call-by-name.js'
import { createCallLane } from './call-lane.js'
import { type Catalogue, type CatalogueView, createCatalogueView } from './catalogue-view.js'
import type { ConnectionState } from './client-sides.js'
import { createConnectedClients } from './connected-clients.js'
import { createCounter } from './create-counter.js'
import type { ExplainDeps } from './explain-api.js'
import { createFindTools } from './find-tools.js'
import { answerFault, type HttpDeps, handleHttp } from './handle-http.js'
import { createInputPauses } from './input-pauses.js'
import type { Learned } from './learned.js'
import { createLineTransport } from './line-transport.js'
import { listenedResources } from './listened-resources.js'
import { lower } from './log-levels.js'
import { createMcpEndpoint } from './mcp-endpoint.js'
import { createMcpServer, type McpServerDeps, serverInfo } from './mcp-server.js'
import type { MemoryDeps } from './memory-api.js'
import type { SpeculationMetrics } from './metrics.js'
import { createOffersView, type OffersView } from './offers-view.js'
import type { OpenCapabilities } from './open-capabilities.js'
import { createPassThrough } from './pass-through.js'
import type { IntentDeps } from './plan-intent.js'
import { readyCalls } from './ready-calls.js'
import { createRequestStates } from './request-states.js'
import { createResolveTool } from './resolve-tool.js'
import { createResultResources } from './result-resources.js'
import { createResultStore } from './result-store.js'
import type { RiskRegistry } from './risk-registry.js'
import type { GatewayRuns } from './runs.js'
import type { SpeculationDeps } from './speculation-api.js'
import type { ConfigProblem } from './status.js'
import { createStreamListens } from './stream-listens.js'
import { createControlWorkflow } from './tools/control-workflow.js'
import { createDiscover } from './tools/discover.js'
import { createExecuteCode } from './tools/execute-code.js'
import { createExecuteWorkflow } from './tools/execute-workflow.js'
import { offerNext } from './tools/offer-next.js'
import { offerPrepared } from './tools/offer-prepared.js'
import { runCapability } from './tools/run-capability.js'
import { createRunDesk } from './tools/run-desk.js'
import { createWatchedResources } from './watched-resources.js'

/** The servers behind us, beyond their tools. */
export interface Servers {
  offers(): Readonly<Record<string, ServerOffers>>
  readonly sendRequest: SendRequest
  watch(server: string, uri: string): Promise<() => void>
  setLogLevel(level: string): void
  rootsChanged(session: string): void
}

export interface GatewayOptions {
  config(): PmlConfig
  readonly servers: Servers
  readonly catalogue: Catalogue
  readonly search: Pick<ToolSearch, 'follow' | 'search'>
  readonly callTool: CallTool
  /** What may be called unasked, for tools that clients call by themselves. */
  readonly rules: CallRules
  /** What a person was asked about such calls. */
  readonly approvals: DirectApprovals
  /** The client with this session is gone. */
  endSession(session: string): void
  readonly runs: GatewayRuns
  readonly code: { unavailable(): ErrorInfo | undefined; warm(): void }
  readonly capabilities: OpenCapabilities
  readonly planner: IntentPlanner
  /** What was learned, where it is decided by. */
  readonly advice: Advice
  readonly risk: RiskRegistry
  /** What was learned, to be explained, shared and forgotten. */
  readonly memory: MemoryDeps & ExplainDeps
  /** What running ahead did, to be told. */
  readonly speculation: SpeculationDeps
  readonly metrics: Pick<SpeculationMetrics, 'figures' | 'render'>
  /** What was run ahead for this session. */
  prepared(session: string): readonly PreparedCall[]
  /** A tool that a client called by itself has answered, or failed. */
  onCall(call: DirectCall): void
  /** A run of this session has ended. */
  runEnded(session: string): void
  /** These will be called if what was suggested is taken up, with this probability: they may be run ahead. */
  prepare(session: string, calls: readonly KnownCall[], p: number): void
  explain(plan: IntentPlan): PlanExplanation
  readonly learned: Learned
  trust(seen: readonly SeenChange[]): Promise<readonly Tool[]>
  /** Asks for the counts of tools without `tokens`; they arrive as a change of the catalogue. */
  countTokens(tools: readonly Tool[]): void
  /** A client's process knows variables that the configuration lacks here. */
  lend(values: Readonly<Record<string, string>>): Promise<void>
  /** Signs what clients carry from round to round: 32 bytes that outlive this process. */
  readonly stateKey: Uint8Array
  readonly version: string
  readonly log: Log
  readonly redact: Redact
}

export interface Gateway {
  /** Serves one client over newline-delimited JSON-RPC; `closed` resolves when the client is gone. */
  serveStream(input: Readable, output: Writable): ServedStream
  /** Answers HTTP: /mcp, /, /status.json, /metrics, /healthz; and /api/* when `local`, the socket of this user alone. */
  handle(request: IncomingMessage, response: ServerResponse, via: 'tcp' | 'local'): void
  /** What servers may say to clients outside the clients' requests. */
  readonly clients: Clients
  /** A tool by any form of its name. @throws ToolNotFoundError, ToolQuarantinedError */
  resolveTool(name: string): Tool
  /** The same; undefined: there is none. */
  findTool(name: string): Tool | undefined
  /** Where HTTP listens, for the status. */
  announce(url: string): void
  /** The configuration file was changed into something that cannot be used; undefined: it is well again. */
  showConfigProblem(problem: ConfigProblem | undefined): void
  close(): Promise<void>
}

export interface ServedStream {
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** How long a client of 2026-07-28 has to answer what a call asked, and how many such calls are kept. */
const pauseExpiresMs = 10 * 60_000
const maxPauses = 1_000
const listenWithinMs = 5_000
/** Cut results that are kept for paging. */
const keptResultBytes = 64 * 1024 * 1024
/** Over HTTP the newest revision has no connection: who called within this time counts as connected. */
const rememberedClientMs = 5 * 60_000

export function createGateway(options: GatewayOptions): Gateway {
  const { config, redact, log, servers } = options
  let address: string | undefined
  let configProblem: ConfigProblem | undefined
  let lastMcpRequestAt = Number.NEGATIVE_INFINITY
  const streams = new Set<ServedStream>()
  const offers = createOffersView({ config, offers: servers.offers })
  const watched = createWatchedResources({
    offers,
    watch: servers.watch,
    firstSettled: () => view.firstSettled(),
    log,
  })
  const connected = createConnectedClients({
    offers,
    watched,
    onResourceUpdated: (uri) => endpoint.resourceUpdated(uri),
  })

  const view = createCatalogueView({
    config,
    catalogue: options.catalogue,
    countTokens: options.countTokens,
    log,
    onListingChange() {
      connected.tellListChanged('tools')
      endpoint.toolsChanged()
    },
  })
  const offersWatch = watchOffers(options, offers, () => {
    connected.tellListChanged('offers')
    endpoint.offersChanged()
  })
  const stopRetrying = options.catalogue.onChange(watched.retry)
  const calls = createCounter(
    'pml_tool_calls_total',
    'Calls of clients and tasks of workflows that have ended.',
  )
  const countCall = (server: string, isOk: boolean): void => calls.add({ server, ok: String(isOk) })
  const runs = followRuns(options.runs, {
    countUse: view.countUse,
    countCall,
    runStarted: options.advice.runStarted,
  })
  const ready = (session: string) => readyCalls(options.prepared(session), redact)
  const results = createResultStore({ maxBytes: keptResultBytes })
  const resolve = createResolveTool(view, options.capabilities)
  const findTools = createFindTools({
    view,
    catalogue: options.catalogue,
    search: options.search,
    advice: options.advice,
  })
  const intents: IntentDeps = {
    config,
    view,
    findTools,
    planner: options.planner,
    advice: options.advice,
    mayRunAtOnce: options.risk.mayRunAtOnce,
    explain: options.explain,
    checks: createSchemaChecks({ log }),
    redact,
  }
  const states = createRequestStates(options.stateKey)
  const desk = createRunDesk({ runs, redact, log })
  const checkArguments = createArgumentCheck(intents.checks)
  const code = {
    ...options.code,
    capability: (name: string) => toolOfCapability(options.capabilities.find(name)),
    loaded: options.capabilities.loaded,
  }
  const metaTools = [
    offerPrepared(createDiscover({ view, findTools, redact }), ready),
    offerPrepared(
      offerNext(
        createExecuteWorkflow({ ...intents, resolve, runs, results, desk, states, prepare: options.prepare }),
        options.advice.likelyNext,
      ),
      ready,
    ),
    createExecuteCode({ ...intents, ...code, resolve, runs, results, desk, states }),
    offerPrepared(createControlWorkflow({ ...intents, resolve, runs, results, desk, states }), ready),
  ]
  const resources = createResultResources({ config, results, redact })
  const pauses = createInputPauses({ expireMs: pauseExpiresMs, maxPauses })
  let logLevel: string | undefined
  const serverDeps: McpServerDeps = {
    version: options.version,
    view,
    callByName: createCallByName({
      config,
      view,
      resolve,
      callTool: options.callTool,
      runCapability: (capability, args, caller) =>
        runCapability(capability, args, caller, { ...intents, checkArguments, runs, results, desk, states }),
      rules: options.rules,
      approvals: options.approvals,
      checkArguments,
      states,
      metaTools,
      results,
      onCall(call) {
        countCall(call.tool.server, call.error === undefined && call.result?.isError !== true)
        options.onCall(call)
      },
      ready,
      sawLink: offers.sawLink,
      redact,
      log,
    }),
    offers,
    passThrough: createPassThrough({
      offers,
      sendRequest: servers.sendRequest,
      results: resources,
      watched,
      allSettled: () => options.catalogue.settled({ timeoutMs: config().firstListWaitMs }),
      redact,
    }),
    resultTemplate: resources.template,
    pauses,
    watched,
    setLogLevel(level) {
      const least = lower(logLevel, level)
      if (least !== logLevel) servers.setLogLevel(least)
      logLevel = least
    },
    rootsChanged: servers.rootsChanged,
  }

  /** A server that lives as long as its client and is told of changes. */
  const createConnectedServer = (session: string): Server => {
    const state: ConnectionState = { logLevel: undefined }
    const server = createMcpServer(serverDeps, () => session, state)
    connected.add(server, session, state)
    return server
  }
  /** The servers tell of resources before the client hears that they will; those that cannot in time follow. */
  const watchListened = async (watcher: object, message: unknown): Promise<void> => {
    const uris = listenedResources(message) ?? []
    if (uris.length === 0) return
    const watching = Promise.all(uris.map((uri) => watched.watchWhenThere(watcher, uri)))
    await withinMs(watching, listenWithinMs, undefined)
  }

  const endpoint = createMcpEndpoint({
    config,
    createServer: (session) => createMcpServer(serverDeps, session, { logLevel: undefined }),
    async connectServer(transport, session) {
      const server = createConnectedServer(session)
      await server.connect(transport as Transport)
      return server
    },
    endSession: options.endSession,
    inputSchemaOf: (name) => view.current().names.resolve(name)?.definition.inputSchema,
    watchListened,
    unwatch: watched.drop,
    log,
  })

  const httpDeps: HttpDeps = {
    ...intents,
    resolve,
    callTool: options.callTool,
    rules: options.rules,
    endSession: options.endSession,
    runs,
    learned: options.learned,
    risk: options.risk,
    memory: options.memory,
    speculation: options.speculation,
    capabilities: options.capabilities,
    metrics: { figures: options.metrics.figures, render: () => options.metrics.render() + calls.render() },
    trust: options.trust,
    lend: options.lend,
    version: options.version,
    log,
    address: () => address,
    clients: () => Math.max(connected.count(), Date.now() - lastMcpRequestAt < rememberedClientMs ? 1 : 0),
    configProblem: () => configProblem,
    endpoint,
  }

  return {
    serveStream(input, output) {
      const session = newId()
      const transport = createLineTransport({
        input,
        output,
        maxMessageBytes: config().limits.maxMessageBytes,
      })
      let server: Server | undefined
      const lane = createCallLane({
        server: () => server,
        serverInfo: serverInfo(options.version),
        callByName: serverDeps.callByName,
        session,
        client: (to) => connected.sideOf(to),
        send: (message) => transport.send(message),
      })
      const listens = createStreamListens({
        watchListened,
        unwatch: watched.drop,
        deliver: (message) => transport.onmessage?.(message),
      })
      transport.take = (message) => lane.take(message) || listens.take(message)
      const createServer = (): Server => {
        server = createConnectedServer(session)
        return server
      }
      const handle = serveStdio(createServer, {
        transport,
        onerror: (error) => log.debug('a message was refused', { error: error.message }),
      })
      const served: ServedStream = { closed: transport.closed, close: () => handle.close() }
      streams.add(served)
      void transport.closed.then(() => {
        lane.close()
        listens.close()
        streams.delete(served)
        options.endSession(session)
      })
      return served
    },
    handle(request, response, via) {
      if (request.url?.startsWith('/mcp')) lastMcpRequestAt = Date.now()
      handleHttp(request, response, via, httpDeps).catch((error: unknown) =>
        answerFault(response, error, httpDeps),
      )
    },
    clients: connected.clients,
    resolveTool: resolve.now,
    findTool: (name) => view.current().names.resolve(name) ?? options.capabilities.toolOf(name),
    announce(url) {
      address = url
    },
    showConfigProblem(problem) {
      configProblem = problem
    },
    async close() {
      findTools.close()
      view.close()
      offersWatch.close()
      stopRetrying()
      pauses.close()
      await Promise.all([endpoint.close(), ...[...streams].map((stream) => stream.close())])
    },
  }
}

/** The tools that a run has called are used no less than those called one by one. */
function followRuns(
  runs: GatewayRuns,
  {
    countUse,
    countCall,
    runStarted,
  }: Pick<CatalogueView, 'countUse'> &
    Pick<Advice, 'runStarted'> & { countCall(server: string, isOk: boolean): void },
): GatewayRuns {
  return {
    ...runs,
    start(plan, options) {
      const handle = runs.start(plan, options)
      runStarted({ id: handle.id, session: options.session, plan })
      // A task done for each makes no call of its own: its elements do.
      const uncalled = new Set([
        ...(options.finished ?? []).map(({ id }) => id),
        ...plan.tasks.filter(({ each }) => each !== undefined).map(({ id }) => id),
      ])
      void handle.result.then((run) => {
        for (const { id, tool, status, startedAt } of run.tasks) {
          if (startedAt === undefined || uncalled.has(id)) continue
          countUse(tool)
          countCall(parseToolId(tool)?.server ?? '', status === 'complete')
        }
      })
      return handle
    },
  }
}

/** Says when what servers offer beside tools has become something else. */
function watchOffers(
  { catalogue }: GatewayOptions,
  offers: OffersView,
  onChange: () => void,
): { close(): void } {
  const read = () => [offers.resources(), offers.templates(), offers.prompts()]
  let told = read()
  const close = catalogue.onChange(() => {
    const now = read()
    if (now.every((list, at) => list === told[at])) return
    const isSame = isDeepStrictEqual(now, told)
    told = now
    if (!isSame) onChange()
  })
  return { close }
}
