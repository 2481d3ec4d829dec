import { serverOf } from './server-of.js'
import type { ToolId } from './tool.js'

/** What a table of the configuration says of a tool, and under which name: its own, that of its server's tools, that of all. */
export function findByTool<Value>(
  table: Readonly<Record<string, Value>>,
  tool: ToolId,
): { readonly name: string; readonly value: Value } | undefined {
  for (const name of [tool, `${serverOf(tool)}:*`, '*']) {
    const value = Object.hasOwn(table, name) ? table[name] : undefined
    if (value !== undefined) return { name, value }
  }
  return undefined
}
