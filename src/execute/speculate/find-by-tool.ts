import type { ToolId } from '../../model/tool.js'
import { serverOf } from './server-of.js'

/** What a table of the configuration says of a tool: of itself, of its server, of all. */
export function findByTool<Value>(table: Readonly<Record<string, Value>>, tool: ToolId): Value | undefined {
  for (const name of [tool, `${serverOf(tool)}:*`, '*']) if (Object.hasOwn(table, name)) return table[name]
  return undefined
}
