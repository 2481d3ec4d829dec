import type { PmlConfig } from '../model/config.js'
import { type Redact, redactJson } from '../model/redact.js'
import type { Run } from '../model/run.js'
import type { ServerState } from '../model/server.js'
import type { Tool } from '../model/tool.js'
import { isCallable } from '../model/tool.js'
import { withinMs } from '../model/within-ms.js'
import type { CatalogueView, View } from './catalogue-view.js'
import type { Exposure } from './exposure.js'
import { toolTokens } from './exposure.js'
import { oneLine } from './one-line.js'
import type { GatewayRuns } from './runs.js'
import { callSignature } from './tools/call-signature.js'

/** What `pml status`, /status.json and the page tell. Without secrets. */
export interface Status {
  readonly version: string
  readonly pid: number
  readonly uptimeMs: number
  readonly config: string
  readonly http?: string
  readonly exposure: { readonly mode: Exposure['mode']; readonly effective: Exposure['effective'] }
  /** `tokens` is what the list costs a client; estimated until every tool is counted. */
  readonly listing: { readonly tools: number; readonly tokens: number }
  readonly tools: { readonly known: number; readonly callable: number; readonly quarantined: number }
  readonly servers: readonly ServerState[]
  /** Absent while the store is not open. */
  readonly runs?: readonly RunSummary[]
}

export interface RunSummary {
  readonly id: string
  readonly intent?: string
  readonly status: Run['status']
  readonly tasks: number
  readonly startedAt: number
  readonly ms?: number
}

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
  readonly view: CatalogueView
  readonly runs: GatewayRuns
  readonly version: string
  readonly redact: Redact
  /** Where HTTP listens, once that is known. */
  address(): string | undefined
}

const recentRuns = 10

/** The store is given `storeMs`: opening or broken, it is no reason to show nothing. */
export async function readStatus(deps: StatusDeps, storeMs: number): Promise<Status> {
  const view = deps.view.current()
  const http = deps.address()
  const runs = await withinMs(deps.runs.list(recentRuns), storeMs, undefined).catch(() => undefined)
  const status: Status = {
    version: deps.version,
    pid: process.pid,
    uptimeMs: Math.round(process.uptime() * 1_000),
    config: deps.config().source,
    ...(http !== undefined && { http }),
    exposure: { mode: view.exposure.mode, effective: view.exposure.effective },
    listing: { tools: view.listing.length, tokens: view.listingTokens },
    tools: {
      known: view.tools.length,
      callable: view.tools.filter(isCallable).length,
      quarantined: view.tools.filter((tool) => tool.changed !== undefined).length,
    },
    servers: deps.view.servers(),
    ...(runs !== undefined && { runs: runs.map(summarizeRun) }),
  }
  return redactJson(status, deps.redact)
}

function summarizeRun(run: Run): RunSummary {
  return {
    id: run.id,
    ...(run.intent !== undefined && { intent: run.intent }),
    status: run.status,
    tasks: run.tasks.length,
    startedAt: run.startedAt,
    ...(run.endedAt !== undefined && { ms: run.endedAt - run.startedAt }),
  }
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
