/** A gateway among small in-memory rooms, and real SDK clients of it: what the tests of this room share. */
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/server'
import { createStaticEmbedder } from '../embed/static-embedder.js'
import type { DirectApprovals } from '../execute/open-direct-approvals.js'
import { createKnowledgeGraph } from '../graph/create-knowledge-graph.js'
import type { PmlConfig } from '../model/config.js'
import { noExperience } from '../model/experience.js'
import type { JsonObject } from '../model/json.js'
import { silentLog } from '../model/log.js'
import { createRedact } from '../model/redact.js'
import type { ServerState } from '../model/server.js'
import type { PreparedCall } from '../model/speculation.js'
import {
  formatToolId,
  hashDefinition,
  isCallable,
  type Tool,
  type ToolDefinition,
  type ToolId,
} from '../model/tool.js'
import type { CallTool, ToolCall, ToolResult } from '../model/tool-call.js'
import { createIntentPlanner } from '../plan/create-intent-planner.js'
import { explainPlan } from '../plan/explain-plan.js'
import { openTestSearch } from '../plan/find/test-search.contract.js'
import type { IntentPlanner } from '../plan/intent-planner.js'
import type { DirectCall } from './call-by-name.js'
import { createCallRules } from './call-rules.js'
import { createGateway, type Gateway, type Servers } from './create-gateway.js'
import { createSpeculationMetrics, type SpeculationMetrics } from './metrics.js'
import { plainAdvice } from './plain-advice.contract.js'
import { noCode, openTestCapabilities } from './test-capabilities.contract.js'
import { openTestApprovals } from './test-decisions.contract.js'
import { openTestRisks } from './test-risk.contract.js'
import { createMemoryRunStore, openTestRuns, type RunStore, type TestRuns } from './test-runs.contract.js'

/** Where nobody asks for it. */
const noMemory = {
  store: () => Promise.reject(new Error('no store')),
  createGraph: () => createKnowledgeGraph({ now: Date.now, cosine: () => undefined }),
  rebuild: () => Promise.reject(new Error('no store')),
  async forgetUnwritten() {},
  async flushRecords() {},
  async reload() {},
  redact: (text: string) => text,
}

export const testConfig: PmlConfig = {
  source: '/home/someone/.mcp.json',
  servers: [],
  exposure: 'auto',
  prefix: 'server',
  contextWindow: 200_000,
  maxResultTokens: 1_000,
  hybrid: { pinned: [], tokenBudget: 1_000 },
  replyWithinMs: 2_000,
  firstListWaitMs: 500,
  validateArguments: true,
  validateOutput: 'warn',
  http: { host: '127.0.0.1', port: 0 },
  search: { embedder: 'static', endpoints: [] },
  plan: { askModel: false },
  learning: { keepLessons: 20_000 },
  approvals: { by: 'human', direct: 'gateway', expireAfterMs: 60_000, tools: {} },
  code: { enabled: true, wallMs: 30_000, heapMb: 256, memoryMb: 512, maxCalls: 1_000, learn: true },
  speculation: {
    mode: 'on',
    preset: 'careful',
    tools: {},
    costPerCall: {},
    maxCost: 0.1,
    wastePerHour: 120,
    wastePerServerPerHour: 60,
  },
  limits: {
    maxMessageBytes: 1_000_000,
    concurrentColdStarts: 2,
    concurrentCalls: 8,
    concurrentCallsPerServer: 4,
  },
  missingVariables: [],
  secrets: [],
}

export function makeTool(
  server: string,
  name: string,
  extra: Partial<ToolDefinition> & Partial<Pick<Tool, 'listed' | 'changed' | 'tokens'>> = {},
): Tool {
  const { listed = true, changed, tokens, ...fields } = extra
  const definition: ToolDefinition = {
    name,
    description: `Does ${name.slice(0, 50)}.`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    ...fields,
  }
  return {
    id: formatToolId(server, name),
    server,
    name,
    definition,
    hash: hashDefinition(definition),
    listed,
    flags: [],
    ...(changed && { changed }),
    ...(tokens !== undefined && { tokens }),
  }
}

export function makeServer(name: string, extra: Partial<ServerState> = {}): ServerState {
  return { name, transport: 'stdio', status: 'ready', toolCount: 1, fromSnapshot: false, pids: [], ...extra }
}

export interface TestGatewayOptions {
  readonly tools?: readonly Tool[]
  readonly servers?: readonly ServerState[]
  readonly config?: Partial<PmlConfig>
  readonly callTool?: CallTool
  readonly settled?: () => Promise<void>
  /** Tools that change without a word. */
  readonly liveTools?: () => readonly Tool[]
  /** No step of a run is stored. */
  readonly storeFails?: boolean
  /** While it rejects no step of a run is stored. */
  readonly record?: () => Promise<void>
  /** What a person was asked about calls of clients; in memory unless given. */
  readonly approvals?: DirectApprovals
  /** That of another gateway, which is gone: its runs can be taken up. */
  readonly runStore?: RunStore
  /** Where a test needs a certain plan; else the real one, which has seen nothing yet. */
  readonly planner?: IntentPlanner
  readonly stateKey?: Uint8Array
  /** What was run ahead for a session. */
  readonly prepared?: (session: string) => readonly PreparedCall[]
  /** Resources, prompts and the rest of the servers. */
  readonly passing?: Servers
}

/** The same for all: a gateway that comes after another knows its states. */
const testStateKey = Buffer.alloc(32, 7)

const noPassing: Servers = {
  offers: () => ({}),
  sendRequest: () => Promise.reject(new Error('no server takes requests here')),
  watch: async () => () => {},
  setLogLevel() {},
  rootsChanged() {},
}

export interface TestGateway {
  readonly gateway: Gateway
  readonly runs: TestRuns
  readonly runStore: RunStore
  readonly calls: ToolCall[]
  readonly ended: string[]
  readonly trusted: ToolId[]
  readonly counted: Tool[]
  readonly directCalls: readonly DirectCall[]
  readonly metrics: SpeculationMetrics
  setTools(tools: readonly Tool[]): void
  setServers(servers: readonly ServerState[]): void
  setConfig(config: Partial<PmlConfig>): void
  /** A client over a pair of streams. */
  stream(options?: ClientOptions, name?: string): Promise<Client>
  /** A client over HTTP on loopback. */
  http(options?: ClientOptions): Promise<Client>
  /** The address of the HTTP face; `local` has the rights of the socket. */
  listen(via?: 'tcp' | 'local'): Promise<string>
  close(): Promise<void>
}

export function openTestGateway(options: TestGatewayOptions = {}): TestGateway {
  let tools = sorted(options.tools ?? [makeTool('files', 'read')])
  let servers =
    options.servers ?? [...new Set(tools.map((tool) => tool.server))].map((name) => makeServer(name))
  let config = { ...testConfig, ...options.config }
  const listeners = new Set<() => void>()
  const calls: ToolCall[] = []
  const ended: string[] = []
  const trusted: ToolId[] = []
  const counted: Tool[] = []
  const closers: (() => unknown)[] = []
  const directCalls: DirectCall[] = []
  const metrics = createSpeculationMetrics()
  const addresses = new Map<string, Promise<string>>()
  const callTool: CallTool = async (call) => {
    calls.push(call)
    return (options.callTool ?? echo)(call)
  }
  const change = (): void => {
    for (const listener of listeners) listener()
  }
  const { search, graph } = openTestSearch([])
  const findTool = (id: ToolId): Tool | undefined =>
    (options.liveTools?.() ?? tools).find((tool) => tool.id === id && isCallable(tool))
  const risk = openTestRisks({ config: () => config, tools: options.liveTools ?? (() => tools) })
  const rules = createCallRules({ config: () => config, tool: findTool, risk })
  const redact = (text: string): string => createRedact(config.secrets)(text)
  const store = options.runStore ?? createMemoryRunStore(options.record ?? failing(options.storeFails))
  const approvals = options.approvals ?? openTestApprovals({ store, redact })
  const runs = openTestRuns({ callTool, rules, approvals, store, redact })
  const gateway = createGateway({
    config: () => config,
    catalogue: {
      servers: () => servers,
      tools: options.liveTools ?? (() => tools),
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      settled: options.settled ?? (async () => {}),
    },
    servers: options.passing ?? noPassing,
    search,
    callTool,
    rules,
    approvals,
    endSession: (session) => void ended.push(session),
    runs,
    planner:
      options.planner ??
      createIntentPlanner({
        search: search.search,
        tool: findTool,
        graph,
        embedder: createStaticEmbedder(),
        experience: noExperience,
      }),
    advice: plainAdvice,
    risk,
    code: noCode,
    capabilities: openTestCapabilities(),
    memory: noMemory,
    speculation: { config: () => config, store: noMemory.store, async flush() {}, redact },
    metrics,
    prepared: options.prepared ?? (() => []),
    runEnded() {},
    prepare() {},
    onCall: (call) => void directCalls.push(call),
    explain: (plan) => explainPlan(plan, { graph, pageRank: () => undefined }),
    learned: {
      summary: async () => ({
        tools: 0,
        edges: 0,
        density: 0,
        kinds: [],
        strongest: [],
        communities: 0,
        central: [],
      }),
      rebuild: async () => ({ runs: 0, traces: 0, edges: 0, added: [], removed: [], changed: [] }),
      reliability: () => [],
      weights: () => [],
      async refit() {},
      vectors: () => ({ model: 'static-1' }),
    },
    async trust(seen) {
      const ids = seen.map(({ id }) => id)
      trusted.push(...ids)
      return tools.filter((tool) => ids.includes(tool.id))
    },
    async lend() {},
    stateKey: options.stateKey ?? testStateKey,
    countTokens: (asked) => void counted.push(...asked),
    version: '0.0.0-test',
    log: silentLog,
    redact,
  })
  const connect = async (
    transport: Transport,
    clientOptions: ClientOptions = {},
    name = 'test',
  ): Promise<Client> => {
    const client = new Client({ name, version: '1.0.0' }, clientOptions)
    await client.connect(transport)
    closers.push(() => client.close())
    return client
  }
  const listen = (via: 'tcp' | 'local' = 'tcp'): Promise<string> => {
    const known = addresses.get(via)
    if (known !== undefined) return known
    const server = createServer((request, response) => gateway.handle(request, response, via))
    closers.push(() => closeHttp(server))
    const address = new Promise<string>((resolve) => {
      server.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      )
    })
    addresses.set(via, address)
    return address
  }
  return {
    gateway,
    runs,
    runStore: store,
    calls,
    ended,
    trusted,
    counted,
    directCalls,
    metrics,
    setTools(next) {
      tools = sorted(next)
      change()
    },
    setServers(next) {
      servers = next
      change()
    },
    setConfig(next) {
      config = { ...config, ...next }
      change()
    },
    stream(clientOptions, name) {
      const toGateway = new PassThrough()
      const toClient = new PassThrough()
      gateway.serveStream(toGateway, toClient)
      return connect(streamClientTransport(toClient, toGateway), clientOptions, name)
    },
    async http(clientOptions) {
      return connect(new StreamableHTTPClientTransport(new URL('/mcp', await listen())), clientOptions)
    },
    listen,
    async close() {
      await Promise.allSettled(closers.reverse().map((close) => close()))
      await gateway.close()
      await runs.close()
    },
  }
}

function failing(isFailing = false): () => Promise<void> {
  return () => (isFailing ? Promise.reject(new Error('the store is full')) : Promise.resolve())
}

function sorted(tools: readonly Tool[]): readonly Tool[] {
  return [...tools].sort((a, b) => (a.id < b.id ? -1 : 1))
}

async function echo(call: ToolCall): Promise<ToolResult> {
  return { content: [{ type: 'text', text: JSON.stringify(call.arguments) }] }
}

async function closeHttp(server: HttpServer): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

/** The client's half of a stream pair. */
function streamClientTransport(input: PassThrough, output: PassThrough): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: 256 * 1024 * 1024 })
  const transport: Transport = {
    async start() {
      input.on('data', (chunk: Buffer) => {
        buffer.append(chunk)
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage())
          transport.onmessage?.(message)
      })
    },
    async send(message) {
      output.write(serializeMessage(message))
    },
    async close() {
      output.end()
      transport.onclose?.()
    },
  }
  return transport
}

export function textOf(result: unknown): string {
  return ((result as ToolResult).content ?? []).map((block) => block.text ?? '').join('\n')
}

export function dataOf<Data = JsonObject>(result: unknown): Data {
  return (result as { structuredContent: Data }).structuredContent
}

export async function eventually<Value>(
  ask: () => Value | Promise<Value>,
  pleases: (value: Value) => boolean,
): Promise<Value> {
  for (let i = 0; i < 200; i++) {
    const value = await ask()
    if (pleases(value)) return value
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`still ${JSON.stringify(await ask())}`)
}

/** The four ways a client reaches us: both eras over streams and over HTTP. */
export const ways = [
  ['a stream, 2026', 'stream', { versionNegotiation: { mode: 'auto' } }],
  ['a stream, 2025', 'stream', { versionNegotiation: { mode: 'legacy' } }],
  ['HTTP, 2026', 'http', { versionNegotiation: { mode: 'auto' } }],
  ['HTTP, 2025', 'http', { versionNegotiation: { mode: 'legacy' } }],
] as const satisfies readonly (readonly [string, 'stream' | 'http', ClientOptions])[]
