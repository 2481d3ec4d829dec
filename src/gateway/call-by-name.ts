import { UpstreamError } from '../errors.js'
import type { DirectApprovals } from '../execute/open-direct-approvals.js'
import type { CallRules } from '../model/call-rules.js'
import { isCapabilityId } from '../model/capability.js'
import type { PmlConfig } from '../model/config.js'
import { isDeeperThan } from '../model/is-deeper-than.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import type { Redact } from '../model/redact.js'
import type { Tool } from '../model/tool.js'
import type { CallTool, ContentBlock, ToolResult } from '../model/tool-call.js'
import { isInputRequired } from '../upstream/input-rounds.js'
import type { ArgumentCheck } from '../upstream/validate-arguments.js'
import type { CatalogueView } from './catalogue-view.js'
import { cutResult } from './cut-result.js'
import { createGateCall } from './gate-call.js'
import type { ReadyCall } from './ready-calls.js'
import type { RequestStates } from './request-states.js'
import type { ResolveTool } from './resolve-tool.js'
import type { ResultStore } from './result-store.js'
import { metaToolName } from './tools/definitions.js'
import type { Caller, MetaTool } from './tools/meta-tool.js'
import { errorResult, redactedInfo, toolError } from './wire-error.js'

/**
 * One tools/call: by any form of a name, of our own tools (which win) or of a server's, listed or not. A server's result
 * passes through unchanged unless it is too large, or calls are ready to be taken: these are named in its `_meta`. Tools of
 * servers are called past gate-call.ts, which may ask a person first. An error of ours is a result; only what a server
 * refused is thrown.
 */
export type CallByName = (name: string, args: JsonObject, caller: Caller) => Promise<CalledTool>

export interface CalledTool {
  readonly result: ToolResult
  /** Absent when the name was ours or unknown. */
  readonly tool?: Tool
}

/** A tool that a client called by itself, and how that went. */
export interface DirectCall {
  readonly session: string
  readonly tool: Tool
  readonly arguments: JsonObject
  /** One of the two. */
  readonly result?: ToolResult
  readonly error?: unknown
  readonly startedAt: number
  readonly endedAt: number
}

export interface CallByNameDeps {
  config(): PmlConfig
  readonly view: CatalogueView
  readonly resolve: ResolveTool
  readonly callTool: CallTool
  /** A capability is a program of ours: it is run, and its value is the answer. */
  runCapability(capability: Tool, args: JsonObject, caller: Caller): Promise<ToolResult>
  readonly rules: CallRules
  readonly approvals: DirectApprovals
  readonly checkArguments: ArgumentCheck
  readonly states: RequestStates
  readonly metaTools: readonly MetaTool[]
  readonly results: ResultStore
  /** A server's tool that was called has answered, or failed. */
  onCall(call: DirectCall): void
  /** Calls of this session that were run ahead and are there to be taken. */
  ready(session: string): readonly ReadyCall[]
  /** A result of the server speaks of this resource. */
  sawLink(server: string, uri: string): void
  readonly redact: Redact
  readonly log: Log
}

/** As MCP names the keys of `_meta`. */
const preparedKey = 'io.casys.pml/prepared'
/** JSON.stringify ends at some 7,000 levels. */
const deepestResult = 1_000

export function createCallByName(deps: CallByNameDeps): CallByName {
  const gate = createGateCall(deps)
  const metaTools = new Map(deps.metaTools.map((tool) => [tool.definition.name, tool]))
  return async (name, args, caller) => {
    const metaTool = metaTools.get(metaToolName(name) ?? '')
    if (metaTool !== undefined) return { result: await callMetaTool(metaTool, args, caller, deps) }
    let tool: Tool | undefined
    try {
      // Awaiting what is there already would cost every call a turn of the queue.
      const found = deps.resolve.soon(name)
      tool = found instanceof Promise ? await found : found
      deps.view.countUse(tool.id)
      const called = tool
      // It asks for what its calls are to be asked for, each by itself.
      if (isCapabilityId(tool.id)) return { result: await deps.runCapability(tool, args, caller), tool }
      const result = await gate(tool, args, caller, (who) => callServer(called, args, who, deps))
      return { result, tool }
    } catch (error) {
      return { result: logged(error, deps), ...(tool && { tool }) }
    }
  }
}

async function callServer(
  tool: Tool,
  args: JsonObject,
  caller: Caller,
  deps: CallByNameDeps,
): Promise<ToolResult> {
  const begun = { session: caller.session, tool, arguments: args, startedAt: Date.now() }
  let result: ToolResult
  try {
    result = await deps.callTool({ ...caller, tool: tool.id, arguments: args })
  } catch (error) {
    deps.onCall({ ...begun, error, endedAt: Date.now() })
    throw error
  }
  deps.onCall({ ...begun, result, endedAt: Date.now() })
  if (isDeeperThan(result, deepestResult)) throw tooDeep(tool)
  for (const uri of linksOf(result)) deps.sawLink(tool.server, uri)
  const cut = cutResult(result, deps.config().maxResultTokens, deps.results)
  return withPrepared(cut, () => deps.ready(caller.session))
}

/** The result of a server is shown as it is, so what is ready stands beside it, under a name of ours. */
function withPrepared(result: ToolResult, ready: () => readonly ReadyCall[]): ToolResult {
  const { _meta: meta = {} } = result
  if (result.isError === true || isInputRequired(result) || !isObject(meta)) return result
  const prepared = ready()
  return prepared.length === 0 ? result : { ...result, _meta: { ...meta, [preparedKey]: prepared } }
}

/** Resources that a result links to or holds need not be in any list. */
function linksOf({ content }: ToolResult): readonly string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((block: ContentBlock | null) => {
    if (block?.type !== 'resource_link' && block?.type !== 'resource') return []
    const holder = block.type === 'resource' ? (block.resource as { uri?: unknown } | undefined) : block
    return typeof holder?.uri === 'string' ? [holder.uri] : []
  })
}

/** Such an answer could not be written to the client, who would wait for it in vain. */
function tooDeep(tool: Tool): UpstreamError {
  return new UpstreamError(
    tool.server,
    'protocol',
    `the result of ${tool.id} is nested more than ${deepestResult} levels deep.`,
    'Ask the tool for less.',
  )
}

async function callMetaTool(
  metaTool: MetaTool,
  args: JsonObject,
  caller: Caller,
  deps: CallByNameDeps,
): Promise<ToolResult> {
  try {
    return await metaTool.call(args, caller)
  } catch (error) {
    const info = redactedInfo(error, deps.redact)
    if (info.code === 'INTERNAL') deps.log.error('a tool of ours failed', { error })
    return { ...errorResult(info), structuredContent: { status: 'failed', error: { ...info } } }
  }
}

function logged(error: unknown, deps: CallByNameDeps): ToolResult {
  const result = toolError(error, deps.redact)
  const { code } = (result.structuredContent as { error: { code: string } }).error
  if (code === 'INTERNAL') deps.log.error('a call failed by our own fault', { error })
  return result
}
