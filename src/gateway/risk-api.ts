import { ToolNotFoundError, UsageError } from '../errors.js'
import type { JsonObject } from '../model/json.js'
import { type Redact, redactJson } from '../model/redact.js'
import type { Risk } from '../model/risk.js'
import type { PermissionAudit } from '../model/risk-override.js'
import type { Tool, ToolId } from '../model/tool.js'
import { withinMs } from '../model/within-ms.js'
import type { CatalogueView } from './catalogue-view.js'
import type { RiskListing, RiskRegistry } from './risk-registry.js'

/*
 * GET  /api/risk?server=S&risk=R          {tools: RiskListing[]}
 * POST /api/risk {action: 'set', tool, risk, reason?}   RiskListing, as it is then
 * POST /api/risk {action: 'unset', tool}  RiskListing, or {tool} of one that is not there any more
 * POST /api/risk {action: 'undo', tool}   the same
 * GET  /api/risk/audit?limit=N            {audit: PermissionAudit[]}, newest first
 */
export interface RiskApiDeps {
  readonly risk: RiskRegistry
  readonly view: CatalogueView
  readonly redact: Redact
}

/** Said by a person, in a line or two. */
const longestReason = 2_000
/** A command may have opened the store a moment ago, and a person waits for the answer. */
const loadWithinMs = 3_000
const mostEntries = 1_000
const risks: readonly Risk[] = ['safe', 'moderate', 'dangerous']

export async function listRisk(
  query: URLSearchParams,
  { risk, view, redact }: RiskApiDeps,
): Promise<{ readonly tools: readonly RiskListing[] }> {
  const server = query.get('server')
  const wanted = query.get('risk')
  if (wanted !== null) readRisk(wanted)
  // Where it cannot be opened, tools are told as they are rated without it.
  await withinMs(risk.loaded(), loadWithinMs, undefined).catch(() => {})
  // On a first start, servers that were never seen are on their way.
  await view.firstSettled(loadWithinMs)
  const tools = risk
    .list()
    .filter((one) => (server === null || one.server === server) && (wanted === null || one.risk === wanted))
  return redactJson({ tools }, redact)
}

/** @throws UsageError, ToolNotFoundError */
export async function changeRisk(
  body: JsonObject,
  by: string,
  deps: RiskApiDeps,
): Promise<RiskListing | { readonly tool: string }> {
  const { action, tool: name, reason = '' } = body
  if (typeof name !== 'string' || name === '') throw new UsageError('"tool" must be the name of a tool.')
  if (typeof reason !== 'string' || reason.length > longestReason)
    throw new UsageError(`"reason" must be a text of at most ${longestReason} characters.`)
  const tool = findTool(name, deps)
  if (action === 'set') {
    if (tool === undefined) throw notFound(name, deps)
    await deps.risk.set(tool, readRisk(body.risk), { reason: deps.redact(reason), by })
  } else if (action === 'unset') await deps.risk.unset(tool?.id ?? (name as ToolId), by)
  else if (action === 'undo') await deps.risk.undo(tool?.id ?? (name as ToolId), by)
  else throw new UsageError('"action" must be "set", "unset" or "undo".')
  return redactJson(tool === undefined ? { tool: name } : deps.risk.describe(tool), deps.redact)
}

export async function listAudit(
  query: URLSearchParams,
  { risk, redact }: RiskApiDeps,
): Promise<{ readonly audit: readonly PermissionAudit[] }> {
  const limit = Number(query.get('limit') ?? 50)
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new UsageError('"limit" must be a whole number from 1.')
  return redactJson({ audit: await risk.audit(Math.min(limit, mostEntries)) }, redact)
}

/** Also one that is quarantined or gone: what people say of it outlives that. */
function findTool(name: string, { view }: RiskApiDeps): Tool | undefined {
  const { names, tools } = view.current()
  return names.resolve(name) ?? tools.find(({ id }) => id === name)
}

function notFound(name: string, { view }: RiskApiDeps): ToolNotFoundError {
  return new ToolNotFoundError(name.slice(0, 200), view.current().names.closest(name, 3))
}

function readRisk(value: unknown): Risk {
  const risk = risks.find((one) => one === value)
  if (risk === undefined)
    throw new UsageError(`A risk is one of ${risks.join(', ')}, not ${JSON.stringify(value)}.`)
  return risk
}
