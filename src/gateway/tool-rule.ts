import type { ToolRule } from '../model/config.js'
import type { Tool } from '../model/tool.js'

/** What `approvals.tools` of the configuration says of a tool: of itself, of its server, of all. */
export function findToolRule(
  { id, server }: Pick<Tool, 'id' | 'server'>,
  tools: Readonly<Record<string, ToolRule>>,
): { readonly name: string; readonly does: ToolRule } | undefined {
  for (const name of [id, `${server}:*`, '*']) {
    const does = Object.hasOwn(tools, name) ? tools[name] : undefined
    if (does !== undefined) return { name, does }
  }
  return undefined
}
