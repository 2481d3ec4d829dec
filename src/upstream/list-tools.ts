import { UpstreamError } from '../errors.js'
import { isDeeperThan } from '../model/is-deeper-than.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import type { ToolDefinition } from '../model/tool.js'
import type { Connection } from './connection.js'

export interface ListOptions {
  readonly server: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly log: Log
}

/** Against servers whose pages never end. */
const maxPages = 200
const maxTools = 10_000
/** Deeper than any honest schema; keeps everything that walks a definition far from the end of the stack. */
const maxDepth = 256

/** All pages of a server's tools. What is no tool is left out and said; the rest of the list lives. */
export async function listTools(
  connection: Connection,
  options: ListOptions,
): Promise<readonly ToolDefinition[]> {
  if (!connection.hasTools) return []
  const found = new Map<string, ToolDefinition>()
  const seenCursors = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < maxPages && found.size < maxTools; page += 1) {
    const params: JsonObject = cursor === undefined ? {} : { cursor }
    const result = (await connection.request('tools/list', params, options)) as Record<string, unknown> | null
    const tools = result?.tools
    if (!Array.isArray(tools)) throw noList(options.server)
    for (const tool of tools) keep(tool, found, options)
    const next = result?.nextCursor
    if (typeof next !== 'string' || next === '' || seenCursors.has(next)) return [...found.values()]
    seenCursors.add(next)
    cursor = next
  }
  options.log.warn(`Server "${options.server}" lists tools without end: the rest is left out.`, {
    tools: found.size,
  })
  return [...found.values()]
}

function keep(tool: unknown, found: Map<string, ToolDefinition>, { server, log }: ListOptions): void {
  const fault = faultOf(tool)
  if (fault !== undefined) {
    log.warn(`Server "${server}" lists something that is no tool: it is left out.`, { fault })
    return
  }
  const definition = tool as ToolDefinition
  if (found.has(definition.name)) {
    log.warn(`Server "${server}" lists a tool twice: the first one counts.`, { tool: definition.name })
    return
  }
  found.set(definition.name, definition)
}

function faultOf(tool: unknown): string | undefined {
  if (!isObject(tool)) return 'not an object'
  if (typeof tool.name !== 'string' || tool.name === '') return 'no name'
  if (!isObject(tool.inputSchema)) return `"${tool.name}" has no inputSchema object`
  if (tool.description !== undefined && typeof tool.description !== 'string') {
    return `the description of "${tool.name}" is not text`
  }
  if (isDeeperThan(tool, maxDepth)) return `"${tool.name}" is nested more than ${maxDepth} levels deep`
  return undefined
}

function noList(server: string): UpstreamError {
  return new UpstreamError(
    server,
    'protocol',
    'its answer to tools/list holds no list of tools.',
    'Check that this is an MCP server and up to date.',
  )
}
