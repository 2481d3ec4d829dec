/**
 * Builds every room in order and closes them in reverse; the only file that knows all rooms. The gateway answers from the
 * snapshot of the last run before the store is open and before any server is up: both are started once the first client has
 * had its answer, or a moment later, so that they do not slow it down.
 */
import { availableParallelism } from 'node:os'
import { createEmbedderChoice } from './embed/choose-embedder.js'
import { createLikeness } from './embed/create-likeness.js'
import { openToolVectors } from './embed/open-tool-vectors.js'
import { createStaticEmbedder } from './embed/static-embedder.js'
import { openDirectApprovals } from './execute/open-direct-approvals.js'
import { openRuns } from './execute/open-runs.js'
import type { Runs } from './execute/runs.js'
import type { Advice } from './gateway/advice.js'
import { createCallRules } from './gateway/call-rules.js'
import { createGateway, type Gateway } from './gateway/create-gateway.js'
import { endedCall } from './gateway/ended-call.js'
import { createSafeTools } from './gateway/is-safe-tool.js'
import { keepResults } from './gateway/keep-results.js'
import { createSpeculationMetrics } from './gateway/metrics.js'
import { openAdvice } from './gateway/open-advice.js'
import { type OpenCapabilities, openCapabilities } from './gateway/open-capabilities.js'
import { openSpeculation } from './gateway/open-speculation.js'
import { rateCapabilities } from './gateway/rate-capabilities.js'
import { createRiskRegistry } from './gateway/risk-registry.js'
import { createTokenCounter } from './gateway/token-counter.js'
import { withCapabilities } from './gateway/with-capabilities.js'
import { createAnalysis } from './graph/create-analysis.js'
import { createKnowledgeGraph } from './graph/create-knowledge-graph.js'
import type { KnowledgeGraphOptions } from './graph/knowledge-graph.js'
import { createLearning } from './learn/create-learning.js'
import { followTemplates } from './learn/follow-templates.js'
import { isFault } from './learn/outcomes-of.js'
import { createPreferences } from './learn/preferences/create-preferences.js'
import { isProgramTool } from './model/capability.js'
import type { PmlConfig } from './model/config.js'
import type { Decision } from './model/decision.js'
import type { Log } from './model/log.js'
import { newId } from './model/new-id.js'
import type { Permissions } from './model/permissions.js'
import type { Plan } from './model/plan.js'
import type { Redact } from './model/redact.js'
import { collectReferences } from './model/reference.js'
import type { ErrorInfo, Run } from './model/run.js'
import { definitionText, isCallable, type Tool, type ToolId } from './model/tool.js'
import { withinMs } from './model/within-ms.js'
import { createIntentPlanner } from './plan/create-intent-planner.js'
import { explainPlan } from './plan/explain-plan.js'
import { createToolSearch, type ToolSearch } from './plan/find/create-tool-search.js'
import type { IntentPlanner } from './plan/intent-planner.js'
import { createDenoSandbox } from './sandbox/create-deno-sandbox.js'
import { limitSandbox } from './sandbox/limit-sandbox.js'
import { defaultSandboxLimits } from './sandbox/sandbox.js'
import { createLateStore } from './store/create-late-store.js'
import { openOutcomeSpool } from './store/outcome-spool.js'
import { readOwnerId } from './store/owner-id.js'
import { readRiskSnapshot, writeRiskSnapshot } from './store/risk-snapshot.js'
import { readSnapshot } from './store/snapshot.js'
import { readStateKey } from './store/state-key.js'
import type { Store } from './store/store.js'
import { openUpstreams } from './upstream/open-upstreams.js'
import { persistCatalogue } from './upstream/persist-catalogue.js'
import type { Upstreams } from './upstream/upstreams.js'
import { version } from './version.js'

export interface PmlOptions {
  readonly config: PmlConfig
  readonly dataDirectory: string
  /** PostgreSQL instead of the embedded database. */
  readonly databaseUrl?: string | undefined
  readonly log: Log
  /** Applied to every text that leaves for a log, an error, the store or the page. */
  readonly redact: Redact
  /** Tokens of a server that were learned: `redact` has to know them from now on. */
  onSecrets(server: string, secrets: readonly string[]): void
  /** A client's process knows variables that the configuration lacks here. */
  lend(values: Readonly<Record<string, string>>): Promise<void>
  /** Whether runs that an earlier process left go on here; a command that is gone in a moment leaves them alone. */
  readonly takesUpRuns: boolean
  /** Told what is being done while it starts. */
  onProgress(step: string): void
}

export interface Pml {
  readonly gateway: Gateway
  readonly upstreams: Upstreams
  readonly runs: Runs
  /** Another content of mcp-permissions.yaml. */
  usePermissions(permissions: Permissions): void
  /** Starts servers and store now instead of after the first answer. */
  start(): void
  /** Resolves when the store is open, rejects when it could not be opened this time. */
  storeOpen(): Promise<Store>
  reconfigure(config: PmlConfig): Promise<void>
  close(): Promise<void>
}

/** Left to the first client's handshake and list before servers are spawned; they compete for the same cores. */
const startAfterMs = 300
/** A workflow changes several edges at once, and nobody waits for the analysis. */
const analyseAfterMs = 2_000
/** Opening the store takes about a second; a first start, which creates it, has nothing to tell yet. */
const graphWithinMs = 5_000
/** A database that is not there yet comes up within seconds, or a person has to act. */
const takeUpAgainMs = 2_000
/** Folding reads all traces: not while clients start. */
const retainAfterMs = 10 * 60_000
const retainEveryMs = 24 * 60 * 60_000
const settleWithinMs = 500
/** At each depth, on however small a machine: each is a process of some 60 MB. */
const programsAtOnce = 4
/** Of what a run that waits for somebody does next: most are let go on. The ledger knows better after a while. */
const goesOn = 0.9

export function createPml(options: PmlOptions): Pml {
  const { dataDirectory, log, redact } = options
  let config = options.config

  const snapshot = readSnapshot(dataDirectory)
  const upstreams = openUpstreams({
    servers: config.servers,
    known: snapshot.tools,
    eras: snapshot.eras,
    offers: snapshot.offers,
    tried: snapshot.tried,
    limits: config.limits,
    validateArguments: config.validateArguments,
    validateOutput: config.validateOutput,
    // The gateway is made after its servers; nobody is in front of it before.
    clients: {
      of: (session) => gateway.clients.of(session),
      tellAll: (notice) => gateway.clients.tellAll(notice),
      resourceUpdated(server, uri) {
        speculation.moved(server)
        results.moved(server)
        gateway.clients.resourceUpdated(server, uri)
      },
    },
    clientInfo: { name: 'casys-pml', version },
    log,
    redact,
    auth: { dataDirectory, onSecrets: options.onSecrets },
  })

  let closing = false
  const report = (what: string) => (error: unknown) => {
    if (!closing) log.warn(what, { error: String(error) })
  }
  let isLearned = false
  const readLearned = async (store: Store): Promise<void> => {
    await capabilities.load(store)
    await learning.load(store)
    await advised.load(store)
    await preferences.load(store)
    await risks.load(store)
    await speculation.load(store)
  }
  const lateStore = createLateStore({
    dataDirectory,
    databaseUrl: options.databaseUrl,
    onProgress: options.onProgress,
    log,
    async onOpen(store) {
      upstreams.adoptPins(await store.loadTools())
      // A store that is opened again has nothing that was not learned here.
      if (!isLearned) await readLearned(store)
      isLearned = true
    },
    onTrouble: report('the store could not be opened'),
  })
  const vectors = openToolVectors({ store: lateStore.current, log })
  const embedderChoice = createEmbedderChoice({ vectors, dataDirectory, log })
  const graphOptions: KnowledgeGraphOptions = { now: Date.now, cosine: (a, b) => search.cosine(a, b) }
  const graph = createKnowledgeGraph(graphOptions)
  const search: ToolSearch = createToolSearch({ vectors, graph })
  const analysis = createAnalysis({ graph, log, debounceMs: analyseAfterMs })
  const sandbox = limitSandbox(
    createDenoSandbox({ sizes: { heapMb: config.code.heapMb, memoryMb: config.code.memoryMb } }),
    { mostAtOnce: Math.max(programsAtOnce, availableParallelism()) },
  )
  const likeness = createLikeness(createStaticEmbedder())
  const capabilities: OpenCapabilities = openCapabilities({
    store: lateStore.current,
    isLearning: () => config.code.learn,
    tool: (name) => gateway.findTool(name),
    riskOf(id) {
      const tool = upstreams.tool(id)
      return tool === undefined ? 'moderate' : risks.rate(tool).risk
    },
    toolSuccess: (tool) => advised.toolSuccess(tool),
    likeness,
    onChange: () => catalogue.capabilitiesChanged(),
    now: Date.now,
    redact,
    log,
  })
  const catalogue = withCapabilities(
    {
      servers: upstreams.servers,
      tools: upstreams.tools,
      tool: upstreams.tool,
      onChange: upstreams.onChange,
      settled(wait) {
        start()
        return upstreams.settled(wait)
      },
    },
    () => capabilities.shelf.tools(),
    (id) => capabilities.toolOf(id),
  )
  const searchAll = rateCapabilities({
    search: search.search,
    shelf: capabilities.shelf,
    tool: catalogue.tool,
    discover: capabilities.discover,
    alpha: graph.activeAlpha,
  })
  const preferences = createPreferences({ store: lateStore.current, now: Date.now, newId, log })
  const risks = createRiskRegistry({
    config: () => config,
    tools: catalogue.tools,
    tool: catalogue.tool,
    capabilities: {
      risk: capabilities.risk,
      reach: capabilities.reach,
      revision: () => capabilities.shelf.revision,
    },
    store: lateStore.current,
    preferences,
    known: readRiskSnapshot(dataDirectory),
    remember: (snapshot) => writeRiskSnapshot(dataDirectory, snapshot),
    redact,
    now: Date.now,
    newId,
    log,
  })
  const rules = createCallRules({ config: () => config, tool: catalogue.tool, risk: risks })
  const advised = openAdvice({
    graph,
    analysis,
    store: lateStore.current,
    riskOf: (tool) => rules.judge({ tool, arguments: {}, requireApproval: false }).risk,
    isCallable(id) {
      const tool = catalogue.tool(id)
      return tool !== undefined && isCallable(tool)
    },
    redact,
    log,
  })
  const metrics = createSpeculationMetrics()
  const isSafe = createSafeTools({ config: () => config, risk: risks })
  const speculation = openSpeculation({
    callTool(call) {
      start()
      return upstreams.callTool(call)
    },
    config: () => config.speculation,
    tool: upstreams.tool,
    servers: upstreams,
    isSafe,
    runsUnasked: (tool) => rules.judge({ tool, arguments: {}, requireApproval: false }).verdict === 'run',
    foresight: advised.foresight,
    store: lateStore.current,
    onEntry: metrics.take,
    redact,
    log,
  })
  const isSafeId = (id: ToolId): boolean => {
    const tool = upstreams.tool(id)
    return tool !== undefined && isSafe(tool)
  }
  const results = keepResults({
    callTool: speculation.callTool,
    isSafe: isSafeId,
    reach: capabilities.reach,
    revision: risks.revision,
    now: Date.now,
  })
  const advice = heard(advised.advice, speculation.hear)
  const learning = createLearning({
    graph,
    createGraph: () => createKnowledgeGraph(graphOptions),
    analysis,
    thompson: {
      take(id, outcomes) {
        const shift = advised.thompson.take(id, outcomes)
        capabilities.shelf.toolsChanged([id as ToolId])
        return shift
      },
      load(of, rows) {
        advised.thompson.load(of, rows)
        capabilities.shelf.toolsChanged(rows.map(({ id }) => id as ToolId))
      },
    },
    spool: openOutcomeSpool({ dataDirectory, log }),
    store: lateStore.current,
    redact,
    log,
  })
  const planner = createIntentPlanner({
    search: searchAll,
    tool(id) {
      const tool = catalogue.tool(id)
      return tool !== undefined && isCallable(tool) ? tool : undefined
    },
    graph,
    // Every field of a schema is embedded: a model that costs something serves search alone.
    embedder: createStaticEmbedder(),
    experience: learning.experience,
  })
  const templates = followTemplates({
    catalogue: upstreams,
    learning,
    onError: report('what the schemas suggest was not saved'),
  })

  const start = once(() => {
    clearTimeout(startTimer)
    upstreams.start()
    lateStore.open()
    embedderChoice.choose(config.search)
    if (options.takesUpRuns) takeUpRuns()
    if (options.takesUpRuns) retaining = setTimeout(retain, retainAfterMs).unref()
  })
  /** Once in the life of a process: a store that is opened again has nothing that is not under way here. */
  const takeUpRuns = (): void => {
    lateStore
      .current()
      .then(() => runs.takeUp())
      .catch((error: unknown) => {
        if (closing) return
        report('runs of an earlier process were not taken up')(error)
        setTimeout(takeUpRuns, takeUpAgainMs).unref()
      })
  }
  /** What traces have taught stays; they themselves are kept while they are among the newest. */
  const retain = (): void => {
    retaining = setTimeout(retain, retainEveryMs).unref()
    learning
      .retain({ newest: config.learning.keepLessons, since: Number.MAX_SAFE_INTEGER })
      .then(({ traces }) => {
        if (traces > 0) log.debug('old traces were folded into what they taught', { traces })
      })
      .catch(report('old traces could not be folded'))
  }
  let retaining: NodeJS.Timeout | undefined
  const startTimer = setTimeout(start, startAfterMs)

  const codeUnavailable = (): ErrorInfo | undefined =>
    config.code.enabled ? sandbox.unavailable() : codeIsOff

  /** Programs that ended, on their way to be learned from. */
  const taking = new Set<Promise<void>>()
  const onDecision = (decision: Decision): void => {
    void preferences.decided(decision).then(risks.remember)
    const { tool, runId, answer } = decision
    if (answer?.verdict === 'reject') advice.callRejected({ tool, runId })
  }
  const approvals = openDirectApprovals({
    store: lateStore.current,
    now: Date.now,
    newId,
    onDecision,
    redact,
    log,
  })
  const runs = openRuns({
    callTool: results.callTool,
    store: lateStore.current,
    owner: readOwnerId(dataDirectory),
    rules,
    programs: {
      sandbox: { run: sandbox.run, unavailable: codeUnavailable },
      limits: () => ({
        ...defaultSandboxLimits,
        wallMs: config.code.wallMs,
        heapMb: config.code.heapMb,
        memoryMb: config.code.memoryMb,
        calls: config.code.maxCalls,
      }),
      resolve: ({ kind, name }) =>
        kind === 'capability' ? capabilities.find(name).id : gateway.resolveTool(name).id,
      codeOf: capabilities.codeOf,
      missing: capabilities.missing,
      kept: results.kept,
      mark: results.mark,
      keep: results.keep,
    },
    directApprovals: approvals,
    concurrentCalls: () => config.limits.concurrentCalls,
    onEnd(plan, run, lesson) {
      const learn = (as: { readonly plan: Plan; readonly run: Run }): void => {
        advice.runEnded(as.plan, as.run)
        void learning.learn(as.plan, as.run, lesson)
      }
      if (run.tasks.every(({ tool }) => !isProgramTool(tool))) learn({ plan, run })
      else {
        const taken = capabilities.take(plan, run).then(learn)
        taking.add(taken)
        void taken.finally(() => taking.delete(taken))
      }
    },
    onPause(session, upcoming) {
      const known = upcoming.filter(({ arguments: args }) => collectReferences(args).length === 0)
      speculation.prepare(session, known, goesOn)
    },
    onDecision,
    redact,
    log,
    now: Date.now,
  })
  const counter = createTokenCounter()
  const persist = persistCatalogue({
    dataDirectory,
    upstreams,
    store: lateStore.current,
    onError: report('the catalogue was not saved'),
  })
  const stopPersist = upstreams.onChange(persist.soon)

  const gateway = createGateway({
    config: () => config,
    catalogue,
    code: {
      unavailable: codeUnavailable,
      warm() {
        if (codeUnavailable() === undefined) sandbox.warm()
      },
    },
    capabilities,
    servers: {
      ...upstreams,
      sendRequest(request) {
        start()
        return upstreams.sendRequest(request)
      },
    },
    search: {
      follow: search.follow,
      async search(query, wanted) {
        // What was learned is read with the store; without a context nobody asks for it.
        if (wanted.context.length > 0)
          await withinMs(lateStore.current(), graphWithinMs, undefined).catch(() => {})
        return searchAll(query, wanted)
      },
    },
    callTool: results.callTool,
    endSession(session) {
      speculation.endSession(session)
      upstreams.endSession(session)
      learning.endSession(session)
      advice.endSession(session)
    },
    runs,
    rules,
    approvals,
    planner: afterLearned(planner, () => withinMs(learning.settled(), graphWithinMs, undefined)),
    advice,
    risk: risks,
    memory: {
      store: lateStore.current,
      createGraph: () => createKnowledgeGraph(graphOptions),
      rebuild: learning.rebuild,
      async forgetUnwritten() {
        advised.forget()
        await speculation.forget()
      },
      flushRecords: advised.records.flush,
      async reload() {
        await Promise.all([advised.flush(), speculation.flush()])
        const open = await lateStore.current()
        await advised.load(open)
        await preferences.load(open)
        await speculation.load(open)
        await capabilities.load(open)
      },
      redact,
    },
    onCall(call) {
      const ended = endedCall(call)
      if (ended === undefined) return
      learning.learnCall(ended)
      const { session, tool, errorCode, startedAt, endedAt } = ended
      const success = errorCode === undefined
      advice.callEnded({ session, tool, success, isFault: isFault(errorCode), startedAt, endedAt })
      speculation.lookAhead(session)
    },
    runEnded: speculation.lookAhead,
    speculation: { config: () => config, store: lateStore.current, flush: speculation.flush, redact },
    metrics,
    prepared: speculation.prepared,
    prepare: speculation.prepare,
    explain: (plan) =>
      explainPlan(plan, { graph, pageRank: (tool) => analysis.current().pageRank.get(tool) }),
    learned: {
      async rebuild() {
        const rebuilt = await learning.rebuild()
        await speculation.rebuild()
        return rebuilt
      },
      summary: learning.summary,
      reliability: advised.reliability,
      weights: advised.weights,
      refit: advised.refit,
      vectors: () => ({ ...vectors.state(), ...troubleOf(embedderChoice.trouble()) }),
    },
    async trust(seen) {
      await lateStore.current()
      const accepted = upstreams.trust(seen)
      await persist.now()
      return accepted
    },
    countTokens(tools) {
      void countTokens(tools, counter, upstreams).catch(report('tokens were not counted'))
    },
    lend: options.lend,
    stateKey: readStateKey(dataDirectory),
    version,
    log,
    redact,
  })

  return {
    gateway,
    upstreams,
    runs,
    usePermissions: risks.usePermissions,
    start,
    storeOpen: lateStore.current,
    async reconfigure(next) {
      config = next
      embedderChoice.choose(next.search)
      await upstreams.reconfigure(next.servers)
    },
    async close() {
      closing = true
      clearTimeout(startTimer)
      clearTimeout(retaining)
      await gateway.close()
      await runs.close()
      await sandbox.close()
      await withinMs(Promise.all(taking), settleWithinMs, undefined)
      templates.close()
      // Each of them within a second: a process is gone within 2 s of being asked to end.
      await Promise.all([
        learning.close(),
        advised.close(),
        speculation.close(),
        withinMs(risks.settled(), settleWithinMs, undefined),
      ])
      await Promise.all([vectors.close(), analysis.close(), capabilities.close()])
      await Promise.all([upstreams.close(), counter.close()])
      stopPersist()
      await persist.close()
      await lateStore.close()
    },
  }
}

const codeIsOff: ErrorInfo = {
  code: 'CODE_OFF',
  message: 'Code is switched off in the configuration (code.enabled).',
  hint: 'Use execute_workflow.',
}

/** What clients ask for is heard by who looks ahead, too. */
function heard(advice: Advice, hear: (session: string, request: string) => void): Advice {
  return {
    ...advice,
    judgeHits(found) {
      if (found.session !== undefined) hear(found.session, found.intent)
      return advice.judgeHits(found)
    },
    planJudged(judged) {
      hear(judged.session, judged.intent)
      advice.planJudged(judged)
    },
  }
}

/** Past runs are read with the store: the first plan of a process waits for them a moment. */
function afterLearned({ plan, replan }: IntentPlanner, learned: () => Promise<unknown>): IntentPlanner {
  const ready = (): Promise<unknown> => learned().catch(() => {})
  return {
    plan: async (intent, options) => ready().then(() => plan(intent, options)),
    replan: async (run, requirement, options) => ready().then(() => replan(run, requirement, options)),
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

function troubleOf(trouble: string | undefined) {
  return trouble === undefined ? {} : { trouble }
}
