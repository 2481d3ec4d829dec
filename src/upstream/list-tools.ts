import { isDeeperThan } from '../model/is-deeper-than.js'
import { isObject } from '../model/json.js'
import type { ToolDefinition } from '../model/tool.js'
import type { Connection } from './connection.js'
import { type ListOptions, listPages, maxEntryDepth } from './list-pages.js'
import { schemaHeaderFault } from './param-headers.js'

/** All pages of a server's tools. What is no tool is left out and said; the rest of the list lives. */
export async function listTools(
  connection: Connection,
  options: ListOptions,
): Promise<readonly ToolDefinition[]> {
  if (!connection.has('tools')) return []
  const found = new Map<string, ToolDefinition>()
  await listPages(connection, 'tools/list', 'tools', options, (tool) =>
    keep(tool, found, { ...options, mirrorsParams: connection.mirrorsParams }),
  )
  return [...found.values()]
}

function keep(
  tool: unknown,
  found: Map<string, ToolDefinition>,
  { server, log, mirrorsParams }: ListOptions & { readonly mirrorsParams: boolean },
): boolean {
  const fault = faultOf(tool) ?? (mirrorsParams ? headerFault(tool as ToolDefinition) : undefined)
  if (fault !== undefined) {
    log.warn(`Server "${server}" lists something that is no tool: it is left out.`, { fault })
    return false
  }
  const definition = tool as ToolDefinition
  if (found.has(definition.name)) {
    log.warn(`Server "${server}" lists a tool twice: the first one counts.`, { tool: definition.name })
    return false
  }
  found.set(definition.name, definition)
  return true
}

function faultOf(tool: unknown): string | undefined {
  if (!isObject(tool)) return 'not an object'
  if (typeof tool.name !== 'string' || tool.name === '') return 'no name'
  if (!isObject(tool.inputSchema)) return `"${tool.name}" has no inputSchema object`
  if (tool.description !== undefined && typeof tool.description !== 'string') {
    return `the description of "${tool.name}" is not text`
  }
  if (isDeeperThan(tool, maxEntryDepth))
    return `"${tool.name}" is nested more than ${maxEntryDepth} levels deep`
  return undefined
}

function headerFault({ name, inputSchema }: ToolDefinition): string | undefined {
  const fault = schemaHeaderFault(inputSchema)
  return fault && `"${name}": ${fault}`
}
