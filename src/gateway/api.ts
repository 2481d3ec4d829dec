import type { IncomingMessage, ServerResponse } from 'node:http'
import { CallBlockedError, PmlError, ToolNotFoundError, UsageError } from '../errors.js'
import type { CallRules } from '../model/call-rules.js'
import type { PmlConfig } from '../model/config.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import { newId } from '../model/new-id.js'
import { type Redact, redactJson } from '../model/redact.js'
import { isRunEnded } from '../model/run.js'
import type { RunEvent } from '../model/run-event.js'
import type { SeenChange, Tool, ToolId } from '../model/tool.js'
import type { CallTool } from '../model/tool-call.js'
import {
  addDependency,
  type CapabilitiesDeps,
  createCapability,
  forgetCapability,
  listCapabilities,
  listDependencies,
  mergeCapabilities,
  planCapability,
  removeDependency,
  renameCapability,
  showCapability,
} from './capabilities-api.js'
import { exportCapabilities, importCapabilities } from './capability-transfer-api.js'
import type { CatalogueView } from './catalogue-view.js'
import { answerDecision, listDecisions, showDecision } from './decisions-api.js'
import { diffDefinitions } from './diff-definitions.js'
import { type ExplainDeps, explainTraces } from './explain-api.js'
import { readJsonBody } from './http-body.js'
import { sendJson } from './http-reply.js'
import type { Learned } from './learned.js'
import { dropMemory, type MemoryDeps, showMemory, takeMemory } from './memory-api.js'
import { type IntentDeps, judgeIntent, planIntent } from './plan-intent.js'
import { reportOwnRun } from './report-run.js'
import type { ResolveTool } from './resolve-tool.js'
import { changeRisk, listAudit, listRisk } from './risk-api.js'
import type { RiskRegistry } from './risk-registry.js'
import { heartbeatMs, sendRunEvents } from './run-events-sse.js'
import type { GatewayRuns } from './runs.js'
import {
  abortWhen,
  firstEvent,
  followRun,
  listRuns,
  mostRuns,
  resumeRun,
  runEvents,
  settledReport,
  showRun,
  tellRun,
} from './runs-api.js'
import { type SpeculationDeps, showSpeculation } from './speculation-api.js'
import { readStatus, type StatusDeps, summarizeTool } from './status.js'
import { describeHit } from './tools/discover.js'
import { planWhenKnown } from './tools/execute-workflow.js'
import { serverNotes } from './tools/server-notes.js'
import { redactedInfo, replyStatus } from './wire-error.js'

/*
 * The control API for the command line, over the local socket alone. Bodies and answers are JSON; an error is
 * {error: {code, message, hint}} with a 4xx or 5xx status.
 *
 *   GET  /api/status                                  Status
 *   GET  /api/tools                                   {tools: ToolSummary[]}
 *   POST /api/search  {query, limit?, context?}       {tools: [{id, name, description, signature, score, parts}], servers}
 *   POST /api/call    {tool, arguments?, timeoutMs?}  the tool's result, whole
 *   POST /api/plan    {intent, arguments?}            {status, why, plan: IntentPlan, explanation, servers}; nothing is run
 *   POST /api/run     {tasks, intent?, follow?}       RunReport, when it settles: at its end, or when it waits for somebody;
 *                                                     with follow: false, as soon as it is stored
 *   POST /api/run     {capability, arguments?, follow?}  the same, of one capability
 *   GET  /api/runs?limit=N                            {runs: RunSummary[]}, newest first
 *   GET  /api/runs/ID                                 RunReport; ID may be the beginning of one
 *   GET  /api/runs/ID/events                          its events from the first on (run-events-sse.ts)
 *   POST /api/runs/ID/command {command}               RunReport, when it is carried out (runs-api.ts says which)
 *   POST /api/runs/ID/resume {}                       RunReport, when it settles; a run that was left is taken up
 *   POST /api/runs/ID/follow {withinMs?, abortIfGone?} RunReport, when it settles
 *   GET  /api/events                                  events of all runs from now on
 *   GET  /api/decisions                               {decisions: Decision[]}, those that wait for an answer, oldest first
 *   GET  /api/decisions/ID                            Decision
 *   POST /api/decisions/ID {verdict, reason?}         Decision, as it is then
 *   POST /api/learn   {rebuild?: true, refit?: true}  {summary, reliability, weights, rebuilt?}
 *   GET  /api/explain?trace=ID                        see explain-api.ts
 *   GET  /api/speculation?since=MS&tool=T             see speculation-api.ts
 *   /api/capabilities, /api/capability-dependencies   see capabilities-api.ts, capability-transfer-api.ts
 *   GET  /api/memory, POST /api/memory, /api/memory/reset   see memory-api.ts
 *   GET  /api/risk?server=S&risk=R                    see risk-api.ts
 *   POST /api/risk    {action, tool, ...}             the same
 *   GET  /api/risk/audit?limit=N                      {audit}
 *   POST /api/trust   {ids?}                          {quarantined: [{id, hash, server, seenAt, flags, diff}]}
 *   POST /api/trust   {accept: [{id, hash}]}          {accepted: [ids]}
 *   GET  /api/environment                             {missing: names of variables that the configuration lacks here}
 *   POST /api/environment {NAME: value}               lends them; the configuration is read again
 */
export interface ApiDeps extends StatusDeps, IntentDeps {
  config(): PmlConfig
  readonly view: CatalogueView
  readonly resolve: ResolveTool
  readonly callTool: CallTool
  readonly rules: CallRules
  endSession(session: string): void
  readonly runs: GatewayRuns
  readonly learned: Learned
  readonly risk: RiskRegistry
  readonly memory: MemoryDeps & ExplainDeps
  readonly speculation: SpeculationDeps
  readonly capabilities: CapabilitiesDeps['capabilities']
  trust(seen: readonly SeenChange[]): Promise<readonly Tool[]>
  lend(values: Readonly<Record<string, string>>): Promise<void>
  readonly redact: Redact
  readonly log: Log
}

interface Call {
  /** The JSON body of a POST. */
  readonly body: JsonObject
  /** What stands in the place of `*` in the path. */
  readonly named: string
  readonly query: URLSearchParams
  /** The client went away. */
  readonly gone: AbortSignal
  readonly deps: ApiDeps
}

const routes: Readonly<Record<string, (call: Call) => unknown>> = {
  // A command may have opened the store a moment ago, and a person waits for the answer.
  'GET /api/status': ({ deps }) => readStatus(deps, 3_000),
  'GET /api/tools': listTools,
  'POST /api/search': search,
  'POST /api/call': callTool,
  'POST /api/plan': plan,
  'POST /api/run': runTasks,
  'GET /api/runs': async ({ query, deps }) => ({ runs: await listRuns(readLimit(query), deps) }),
  'GET /api/runs/*': ({ named, deps }) => showRun(named, deps),
  'POST /api/runs/*/command': ({ named, body, deps }) => tellRun(named, body, deps),
  'POST /api/runs/*/resume': ({ named, gone, deps }) => resumeRun(named, gone, deps),
  'POST /api/runs/*/follow': follow,
  'GET /api/decisions': async ({ deps }) => ({ decisions: await listDecisions(deps) }),
  'GET /api/decisions/*': ({ named, deps }) => showDecision(named, deps),
  'POST /api/decisions/*': ({ named, body, deps }) => answerDecision(named, body, 'command line', deps),
  'POST /api/learn': learn,
  'GET /api/explain': ({ query, deps }) => explainTraces(query.get('trace'), deps.memory),
  'GET /api/speculation': ({ query, deps }) =>
    showSpeculation(query, { ...deps.speculation, view: deps.view }),
  'GET /api/capabilities': ({ query, deps }) => listCapabilities(query, deps),
  'POST /api/capabilities': ({ body, deps }) => createCapability(body, deps),
  'POST /api/capabilities/export': ({ body, deps }) => exportCapabilities(body, deps),
  'POST /api/capabilities/import': ({ body, deps }) => importCapabilities(body, deps),
  'GET /api/capabilities/*': ({ named, deps }) => showCapability(named, deps),
  'POST /api/capabilities/*/rename': ({ named, body, deps }) => renameCapability(named, body, deps),
  'POST /api/capabilities/*/merge': ({ named, body, deps }) => mergeCapabilities(named, body, deps),
  'POST /api/capabilities/*/forget': ({ named, deps }) => forgetCapability(named, deps),
  'GET /api/capability-dependencies': ({ query, deps }) => listDependencies(query, deps),
  'POST /api/capability-dependencies': ({ body, deps }) => addDependency(body, deps),
  'POST /api/capability-dependencies/remove': ({ body, deps }) => removeDependency(body, deps),
  'GET /api/memory': ({ deps }) => showMemory(deps.memory),
  'POST /api/memory': ({ body, deps }) => takeMemory(body, deps.memory),
  'POST /api/memory/reset': ({ body, deps }) => dropMemory(body, deps.memory),
  'GET /api/risk': ({ query, deps }) => listRisk(query, deps),
  'GET /api/risk/audit': ({ query, deps }) => listAudit(query, deps),
  'POST /api/risk': ({ body, deps }) => changeRisk(body, 'command line', deps),
  'POST /api/trust': trust,
  'GET /api/environment': ({ deps }) => ({ missing: deps.config().missingVariables.map(({ name }) => name) }),
  'POST /api/environment': lendEnvironment,
}

/** Streams: they write their answer themselves. */
const streams: Readonly<Record<string, (call: Call) => Promise<EventStream>>> = {
  'GET /api/events': async ({ gone, deps }) => ({ events: deps.runs.events(gone), isReplayed: false }),
  'GET /api/runs/*/events': async ({ named, deps }) => ({
    events: await runEvents(named, deps),
    isReplayed: true,
  }),
}

interface EventStream {
  readonly events: AsyncIterable<RunEvent>
  readonly isReplayed: boolean
}

export async function handleApi(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  deps: ApiDeps,
): Promise<void> {
  const query = new URLSearchParams(/\?(.*)/.exec(request.url ?? '')?.[1])
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  try {
    const method = request.method ?? 'GET'
    const { route, named } = findRoute(method, path)
    const body = method === 'POST' ? await readObject(request, deps) : {}
    const call: Call = { body, named, query, gone: gone.signal, deps }
    const stream = streams[route]
    if (stream === undefined) return sendJson(response, 200, await routes[route]!(call))
    const { events, isReplayed } = await stream(call)
    await sendRunEvents(request, response, events, { redact: deps.redact, heartbeatMs, isReplayed })
  } catch (error) {
    if (!(error instanceof PmlError)) deps.log.error('an API request failed', { path, error })
    sendJson(response, replyStatus(error), { error: redactedInfo(error, deps.redact) })
  }
}

/** What stands behind the noun may name something: the ID of /api/runs/ID/events, for which a route has a star. */
function findRoute(method: string, path: string): { readonly route: string; readonly named: string } {
  const [root, api, noun, named = '', ...more] = path.split('/')
  const places = named === '' ? [] : [noun, '*', ...more]
  for (const route of [`${method} ${path}`, `${method} ${[root, api, ...places].join('/')}`])
    if (Object.hasOwn(routes, route) || Object.hasOwn(streams, route)) return { route, named: decoded(named) }
  throw new PmlError('NOT_FOUND', `No ${method} ${path}.`, 'The API is listed in src/gateway/api.ts.')
}

/** What is no encoding is taken as it is: it names nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function readObject(request: IncomingMessage, deps: ApiDeps): Promise<JsonObject> {
  const body = await readJsonBody(request, deps.config().limits.maxMessageBytes)
  if (!isObject(body)) throw new UsageError('The body must be a JSON object.', 'See src/gateway/api.ts.')
  return body
}

function listTools({ deps }: Call): unknown {
  const view = deps.view.current()
  return redactJson({ tools: view.tools.map((tool) => summarizeTool(tool, view)) }, deps.redact)
}

async function search({ body, deps }: Call): Promise<unknown> {
  const query = text(body, 'query')
  const limit = typeof body.limit === 'number' ? Math.min(Math.max(1, Math.floor(body.limit)), 100) : 10
  const context = Array.isArray(body.context) ? body.context.map(String) : []
  const { hits, view, unknown } = await deps.findTools(query, { limit, context })
  const tools = hits.map((hit) => describeHit(hit, view))
  const servers = serverNotes(deps.view.servers())
  return redactJson({ tools, servers, ...(unknown.length > 0 && { unknownContext: unknown }) }, deps.redact)
}

/** The result as the tool gave it: what a person asked for by name is theirs to see. */
async function callTool({ body, gone, deps }: Call): Promise<unknown> {
  const tool = await deps.resolve.soon(text(body, 'tool'))
  const args = optionalObject(body, 'arguments') ?? {}
  const timeoutMs = optionalCount(body, 'timeoutMs')
  // Who types it has decided; what is never to be called is not.
  const { verdict, why } = deps.rules.judge({ tool: tool.id, arguments: args, requireApproval: false })
  if (verdict === 'block') throw new CallBlockedError(tool.id, why)
  const session = newId()
  try {
    return await deps.callTool({
      tool: tool.id,
      arguments: args,
      session,
      signal: gone,
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
  } finally {
    deps.endSession(session)
  }
}

/** The tasks are as they would be run; everything that is said about them is without secrets. */
async function plan({ body, gone, deps }: Call): Promise<unknown> {
  const intent = text(body, 'intent')
  const given = optionalObject(body, 'arguments') ?? {}
  const planned = await planIntent(intent, given, { signal: gone }, deps)
  const { verdict, why } = judgeIntent(planned, { session: newId(), mode: 'auto', wasSuggested: true }, deps)
  return {
    status: verdict === 'explicit_required' ? verdict : 'suggestion',
    why,
    plan: { ...redactJson(planned, deps.redact), plan: planned.plan },
    explanation: redactJson(deps.explain(planned), deps.redact),
    servers: redactJson(serverNotes(deps.view.servers()), deps.redact),
  }
}

async function runTasks({ body, gone, deps }: Call): Promise<unknown> {
  const intent = typeof body.intent === 'string' ? body.intent : undefined
  const plan =
    body.capability === undefined
      ? await planWhenKnown(body.tasks, intent, deps)
      : await planCapability(body, deps)
  if (gone.aborted)
    throw new PmlError('ABORTED', 'The command was interrupted; nothing was run.', 'Run it again.')
  const session = newId()
  const handle = deps.runs.start(plan, { session, caller: 'pml run' })
  // A run that waits goes on in this session when it is answered.
  const ended = handle.result.then(() => deps.endSession(session))
  abortWhen(gone, handle)
  if (body.follow === false) {
    await firstEvent(handle, gone)
    return reportOwnRun(handle.current(), handle, deps.redact)
  }
  const run = await settledReport(handle, gone, deps)
  if (isRunEnded(run.status)) await ended
  return run
}

function follow({ named, body, gone, deps }: Call): Promise<unknown> {
  const withinMs = optionalCount(body, 'withinMs')
  const abortIfGone = body.abortIfGone === true
  return followRun(named, { abortIfGone, ...(withinMs !== undefined && { withinMs }) }, gone, deps)
}

/** As many as are asked for, and 50 for who does not say. */
function readLimit(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? 50)
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new UsageError('"limit" must be a whole number from 1.')
  return Math.min(limit, mostRuns)
}

async function learn({ body, deps }: Call): Promise<unknown> {
  const rebuilt = body.rebuild === true ? await deps.learned.rebuild() : undefined
  const summary = await deps.learned.summary()
  if (body.refit === true) await deps.learned.refit()
  const { reliability, weights } = deps.learned
  return { summary, reliability: reliability(), weights: weights(), ...(rebuilt && { rebuilt }) }
}

/** What is accepted is named by the hash that came with its diff, so nobody accepts what nobody saw. */
async function trust({ body, deps }: Call): Promise<unknown> {
  if (Array.isArray(body.accept)) {
    const accepted = await deps.trust(body.accept.map(readSeenChange))
    return { accepted: accepted.map(({ id }) => id) }
  }
  const view = deps.view.current()
  const wanted = Array.isArray(body.ids) ? body.ids.map(String) : undefined
  const asked =
    wanted === undefined
      ? view.tools.filter((tool) => tool.changed !== undefined)
      : wanted.map((name) => {
          const tool = view.names.resolve(name) ?? view.tools.find(({ id }) => id === name)
          if (tool === undefined) throw new ToolNotFoundError(name, view.names.closest(name, 3))
          return tool
        })
  const quarantined = asked.filter((tool) => tool.changed !== undefined)
  return redactJson({ quarantined: quarantined.map(describeChange) }, deps.redact)
}

/** From a client's process of the same user: this socket is nobody else's. */
async function lendEnvironment({ body, deps }: Call): Promise<unknown> {
  const values = Object.entries(body).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  )
  await deps.lend(Object.fromEntries(values))
  return { taken: values.map(([name]) => name) }
}

function readSeenChange(value: unknown): SeenChange {
  const { id, hash } = (value ?? {}) as { id?: unknown; hash?: unknown }
  if (typeof id === 'string' && typeof hash === 'string') return { id: id as ToolId, hash }
  throw new UsageError('"accept" must be a list of {id, hash}.', 'Both come with the diff.')
}

function describeChange(tool: Tool): unknown {
  return {
    id: tool.id,
    hash: tool.changed?.hash,
    server: tool.server,
    seenAt: tool.changed?.seenAt,
    flags: tool.flags,
    diff: diffDefinitions(tool),
  }
}

function text(body: JsonObject, name: string): string {
  const value = body[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`"${name}" must be a string.`)
  return value
}

function optionalCount(body: JsonObject, name: string): number | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1)
    throw new UsageError(`"${name}" must be a whole number from 1.`)
  return value
}

function optionalObject(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw new UsageError(`"${name}" must be an object.`)
  return value as JsonObject
}
