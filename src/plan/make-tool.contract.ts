import type { JsonObject } from '../model/json.js'
import { formatToolId, type Tool, type ToolDefinition } from '../model/tool.js'

/** A tool for tests: `makeTool('github:create_issue', 'Opens an issue')`. */
export function makeTool(
  id: string,
  description = '',
  more: Partial<Tool> & { readonly inputSchema?: JsonObject; readonly title?: string } = {},
): Tool {
  const [server, ...rest] = id.split(':') as [string, ...string[]]
  const name = rest.join(':')
  const { inputSchema = { type: 'object' }, title, ...fields } = more
  const definition: ToolDefinition = { name, description, inputSchema, ...(title !== undefined && { title }) }
  return {
    id: formatToolId(server, name),
    server,
    name,
    definition,
    hash: '',
    listed: true,
    flags: [],
    ...fields,
  }
}
