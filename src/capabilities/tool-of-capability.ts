import { type Capability, capabilityServer } from '../model/capability.js'
import { hashDefinition, parseToolId, type Tool, type ToolDefinition } from '../model/tool.js'

/** A capability as search, plans and listings see it: a tool of a server that is nobody's. */
export function toolOfCapability(capability: Capability): Tool {
  const name = parseToolId(capability.id)!.tool
  const definition: ToolDefinition = {
    name,
    title: capability.name,
    description: capability.description,
    inputSchema: capability.inputSchema,
    ...(capability.outputSchema !== undefined && { outputSchema: capability.outputSchema }),
  }
  return {
    id: capability.id,
    server: capabilityServer,
    name,
    definition,
    hash: hashDefinition(definition),
    listed: true,
    flags: [],
  }
}
