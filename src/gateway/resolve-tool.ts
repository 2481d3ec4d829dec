import { type PmlError, ToolNotFoundError, ToolQuarantinedError, UpstreamError } from '../errors.js'
import type { ServerState } from '../model/server.js'
import type { Tool } from '../model/tool.js'
import type { CatalogueView } from './catalogue-view.js'
import { notReady } from './tools/server-notes.js'

/** Any form of a tool's name, listed by the current exposure or not, to a tool that can be called. */
export interface ResolveTool {
  /** @throws ToolNotFoundError, ToolQuarantinedError */
  now(name: string): Tool
  /** The same; an unknown name first waits for servers that have never been seen, and for the one it names. */
  soon(name: string): Tool | Promise<Tool>
}

export interface CapabilitiesByName {
  /** By whatever it is called, also one that is not offered any more. */
  toolOf(name: string): Tool | undefined
  /** Waits, within bounds, until what was learned before is known. */
  loaded(): Promise<void>
}

/** `cap:...`, or as it is called on the wire. */
export function isCapabilityName(name: string): boolean {
  return /^cap(:|__)/.test(name)
}

const closestCount = 3

export function createResolveTool(view: CatalogueView, capabilities: CapabilitiesByName): ResolveTool {
  const find = (name: string): Tool | undefined =>
    view.current().names.resolve(name) ?? capabilities.toolOf(name)
  const notFound = (name: string): PmlError =>
    troubleOf(name, view.servers()) ??
    new ToolNotFoundError(
      name.slice(0, 200),
      view.current().names.closest(name, closestCount),
      notReady(view.servers()),
    )
  const now = (name: string): Tool => {
    const tool = find(name)
    if (tool === undefined) throw notFound(name)
    return callable(tool)
  }
  const whenKnown = async (name: string): Promise<Tool> => {
    await view.firstSettled()
    if (isCapabilityName(name)) await capabilities.loaded()
    if (find(name) === undefined) await view.serverSettled(name)
    return now(name)
  }
  return {
    now,
    soon(name) {
      const tool = find(name)
      if (tool !== undefined) return callable(tool)
      return whenKnown(name)
    },
  }
}

/** A tool of a server that is down may well exist: what is wrong with the server says more than that it is unknown. */
function troubleOf(name: string, servers: readonly ServerState[]): UpstreamError | undefined {
  const server = servers.find((one) => name.startsWith(`${one.name}:`) || name.startsWith(`${one.name}__`))
  if (server?.status !== 'down' || server.trouble === undefined || server.toolCount > 0) return undefined
  const { kind, message, hint } = server.trouble
  return new UpstreamError(server.name, kind, message.replace(/^Server "[^"]*": /, ''), hint)
}

function callable(tool: Tool): Tool {
  if (tool.changed !== undefined) throw new ToolQuarantinedError(tool.id)
  return tool
}
