import type { VectorState } from '../embed/open-tool-vectors.js'
import { toErrorInfo } from '../errors.js'
import type { PmlConfig } from '../model/config.js'
import type { Decision } from '../model/decision.js'
import { type Redact, redactJson } from '../model/redact.js'
import type { ErrorInfo, RunStatus, RunSummary } from '../model/run.js'
import type { WaitingStatus } from '../model/run-event.js'
import type { ServerState } from '../model/server.js'
import type { SpeculationFigures, SpeculationMode, SpeculationPreset } from '../model/speculation.js'
import type { Tool } from '../model/tool.js'
import { isCallable } from '../model/tool.js'
import { withinMs } from '../model/within-ms.js'
import type { CatalogueView, View } from './catalogue-view.js'
import { type DecisionsDeps, listDecisions } from './decisions-api.js'
import type { Exposure } from './exposure.js'
import { toolTokens } from './exposure.js'
import type { Learned } from './learned.js'
import { oneLine } from './one-line.js'
import type { GatewayRuns } from './runs.js'
import { callSignature } from './tools/call-signature.js'

/** What `pml status`, /status.json and the page tell. Without secrets. */
export interface Status {
  readonly version: string
  readonly pid: number
  readonly uptimeMs: number
  readonly config: string
  /** Set while the file says something else that cannot be used; the configuration read before stays in force. */
  readonly configProblem?: ConfigProblem
  readonly http?: string
  /** Clients connected now; over HTTP, those that called within the last minutes. */
  readonly clients: number
  readonly exposure: { readonly mode: Exposure['mode']; readonly effective: Exposure['effective'] }
  /** `tokens` is what the list costs a client; estimated until every tool is counted. */
  readonly listing: { readonly tools: number; readonly tokens: number }
  readonly tools: {
    readonly known: number
    /** Approved, listed, and their server within reach. */
    readonly callable: number
    /** The same of servers that are down. */
    readonly unreachable: number
    readonly quarantined: number
  }
  /** The embedding model of search. */
  readonly search: VectorState
  readonly speculation: {
    readonly mode: SpeculationMode
    readonly preset: SpeculationPreset
    /** Since the process began. */
    readonly figures: SpeculationFigures
  }
  readonly servers: readonly ServerState[]
  /** Absent while the store is not open. */
  readonly runs?: readonly StatusRun[]
  /** What waits for somebody: runs, and decisions that have no answer. Absent while the store is not open. */
  readonly waiting?: { readonly runs: number; readonly decisions: number }
  /** Why the store cannot be used, where that is known. */
  readonly storeTrouble?: ErrorInfo
}

export interface ConfigProblem {
  readonly file: string
  readonly line?: number
  readonly message: string
  readonly since: number
}

export type StatusRun = Omit<RunSummary, 'endedAt'> & { readonly ms?: number }

/** A tool with its state, for `pml tools` and the page. */
export interface ToolSummary {
  readonly id: string
  readonly name: string
  readonly server: string
  readonly description: string
  readonly signature: string
  readonly state: 'ready' | 'quarantined' | 'gone'
  readonly tokens: number
  readonly flags: readonly string[]
}

export interface StatusDeps {
  config(): PmlConfig
  readonly learned: Pick<Learned, 'vectors'>
  readonly metrics: { figures(): SpeculationFigures }
  readonly view: CatalogueView
  readonly runs: GatewayRuns
  readonly version: string
  readonly redact: Redact
  /** Where HTTP listens, once that is known. */
  address(): string | undefined
  clients(): number
  configProblem(): ConfigProblem | undefined
}

const recentRuns = 10
/** Those that wait are counted among so many; what waits for a decision is counted however old it is. */
const lookedAtRuns = 100
const waitingStatuses: ReadonlySet<RunStatus> = new Set<WaitingStatus>([
  'paused',
  'layer_complete',
  'approval_required',
  'interrupted',
])

/** The store is given `storeMs`: opening or broken, it is no reason to show nothing. */
export async function readStatus(deps: StatusDeps, storeMs: number): Promise<Status> {
  const view = deps.view.current()
  const http = deps.address()
  const problem = deps.configProblem()
  const { mode, preset } = deps.config().speculation
  const servers = deps.view.servers()
  const [runs, decisions] = await Promise.all([
    withinMs(deps.runs.list(lookedAtRuns), storeMs, undefined).catch(toErrorInfo),
    readDecisions(deps, storeMs),
  ])
  const status: Status = {
    version: deps.version,
    pid: process.pid,
    uptimeMs: Math.round(process.uptime() * 1_000),
    config: deps.config().source,
    ...(problem !== undefined && { configProblem: problem }),
    clients: deps.clients(),
    ...(http !== undefined && { http }),
    exposure: { mode: view.exposure.mode, effective: view.exposure.effective },
    listing: { tools: view.listing.length, tokens: view.listingTokens },
    tools: countTools(view.tools, servers),
    search: deps.learned.vectors(),
    speculation: { mode, preset, figures: deps.metrics.figures() },
    servers,
    ...(runs !== undefined &&
      ('code' in runs
        ? { storeTrouble: runs }
        : {
            runs: runs.slice(0, recentRuns).map(toStatusRun),
            waiting: countWaiting(runs, decisions ?? []),
          })),
  }
  return redactJson(status, deps.redact)
}

/** Undefined while the store does not say. */
export async function readDecisions(
  { runs, redact }: DecisionsDeps,
  storeMs: number,
): Promise<readonly Decision[] | undefined> {
  return withinMs(listDecisions({ runs, redact }), storeMs, undefined).catch(() => undefined)
}

function countWaiting(
  runs: readonly RunSummary[],
  decisions: readonly Decision[],
): NonNullable<Status['waiting']> {
  const ids = runs.flatMap(({ id, status }) => (waitingStatuses.has(status) ? [id] : []))
  const asking = decisions.flatMap(({ runId }) => (runId === undefined ? [] : [runId]))
  return { runs: new Set([...ids, ...asking]).size, decisions: decisions.length }
}

/** A tool of a server that is down is known and approved, and still nobody can call it. */
function countTools(tools: readonly Tool[], servers: readonly ServerState[]): Status['tools'] {
  const down = new Set(servers.filter(({ status }) => status === 'down').map(({ name }) => name))
  const callable = tools.filter(isCallable)
  const unreachable = callable.filter((tool) => down.has(tool.server)).length
  return {
    known: tools.length,
    callable: callable.length - unreachable,
    unreachable,
    quarantined: tools.filter((tool) => tool.changed !== undefined).length,
  }
}

function toStatusRun({ endedAt, ...run }: RunSummary): StatusRun {
  return { ...run, ...(endedAt !== undefined && { ms: endedAt - run.startedAt }) }
}

export function summarizeTool(tool: Tool, view: View): ToolSummary {
  const name = view.wireNames.byId.get(tool.id)!
  return {
    id: tool.id,
    name,
    server: tool.server,
    description: oneLine(tool.definition.description),
    signature: callSignature(name, tool.definition.inputSchema),
    state: tool.changed !== undefined ? 'quarantined' : tool.listed ? 'ready' : 'gone',
    tokens: toolTokens(tool),
    flags: tool.flags,
  }
}
