/** One call of one tool, from its id to its result. What is refused here never reaches a server. */
import { BadArgumentsError, CallAbortedError, ToolNotFoundError, ToolQuarantinedError } from '../errors.js'
import { nobody } from '../model/client-side.js'
import { closestNames } from '../model/closest-name.js'
import { isCallable, parseToolId, type Tool } from '../model/tool.js'
import type { CallTool, ToolResult } from '../model/tool-call.js'
import type { Catalogue } from './catalogue.js'
import { inRounds } from './input-rounds.js'
import { disabled, type Sender } from './send-request.js'
import type { ServerLink } from './server-link.js'
import type { ArgumentCheck } from './validate-arguments.js'
import type { OutputCheck } from './validate-output.js'

export interface CallDeps {
  readonly catalogue: Catalogue
  readonly links: ReadonlyMap<string, ServerLink>
  readonly sender: Sender
  readonly checkArguments: ArgumentCheck
  readonly checkOutput: OutputCheck
}

export function createCallTool(deps: CallDeps): CallTool {
  return async (call) => {
    const { tool, link } = resolve(call.tool, deps)
    if (call.signal.aborted) throw new CallAbortedError(call.tool)
    // Awaited only when there is something to wait for: most calls find their validator ready.
    const checking = deps.checkArguments(tool, call.arguments)
    if (checking !== undefined) await checking
    const { client = nobody, round = {}, signal } = call
    const sending = { ...call, name: call.tool, tooDeep: () => tooDeep(call.tool) }
    const send = (to: ServerLink): Promise<ToolResult> =>
      inRounds(
        (next) =>
          deps.sender(to, sending, (connection, options) => {
            // Connecting lists the tools again: what was approved may have changed meanwhile, or be another in this session.
            to.showList(connection)
            const { definition } = resolve(call.tool, deps).tool
            return connection.callTool(definition, call.arguments, next, options)
          }),
        { server: tool.server, name: call.tool, client, round, signal },
      )
    const result = await send(link).catch((error: unknown) => {
      // The server was configured anew while the call waited for it: it goes to the one that is there now.
      const now = deps.links.get(tool.server)
      if (now === undefined || now === link || !link.isClosedBefore(error)) throw error
      return send(now)
    })
    const checkingOutput = deps.checkOutput(tool, result)
    if (checkingOutput !== undefined) await checkingOutput
    return result
  }
}

function resolve(id: string, { catalogue, links }: CallDeps): { tool: Tool; link: ServerLink } {
  const server = parseToolId(id)?.server
  const link = server === undefined ? undefined : links.get(server)
  if (link?.config.disabled) throw disabled(link.config.name)
  const tool = catalogue.tool(id)
  if (tool?.changed !== undefined && tool.listed) throw new ToolQuarantinedError(id)
  if (tool === undefined || link === undefined || !isCallable(tool)) {
    const names = catalogue
      .tools()
      .filter(isCallable)
      .map((known) => known.id)
    const late = [...links.values()].filter(({ isReady, config }) => !isReady && !config.disabled)
    throw new ToolNotFoundError(id, closestNames(id, names, 3), late.map(({ config }) => config.name).sort())
  }
  return { tool, link }
}

function tooDeep(toolId: string): BadArgumentsError {
  return new BadArgumentsError(toolId, [{ path: '', expected: 'expected fewer levels of nesting' }])
}
