import type { ToolDefinition, ToolId } from '../model/tool.js'
import type { Exposure } from './exposure.js'
import { metaToolDefinitions } from './tools/definitions.js'

/**
 * The answer to tools/list: our own tools in their fixed order, then the servers' by wire name. A server's definition
 * passes through with every field it has; only the name is the wire name.
 */
export function buildListing(
  exposure: Exposure,
  wireNames: ReadonlyMap<ToolId, string>,
): readonly ToolDefinition[] {
  const tools = exposure.tools.map((tool) => ({ ...tool.definition, name: wireNames.get(tool.id)! }))
  tools.sort((a, b) => (a.name < b.name ? -1 : 1))
  return exposure.withMetaTools ? [...metaToolDefinitions, ...tools] : tools
}

/** Whether a client that has one listing would see anything new in the other. */
export function sameListing(a: readonly ToolDefinition[], b: readonly ToolDefinition[]): boolean {
  return a.length === b.length && a.every((one, i) => sameDefinition(one, b[i]!))
}

function sameDefinition(a: ToolDefinition, b: ToolDefinition): boolean {
  if (a === b) return true
  if (a.name !== b.name || a.inputSchema !== b.inputSchema || a.description !== b.description)
    return JSON.stringify(a) === JSON.stringify(b)
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].every((key) => a[key] === b[key]) || JSON.stringify(a) === JSON.stringify(b)
}
