import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { formatToolId, parseToolId, type Tool, type ToolId } from '../model/tool.js'
import { readToolSet } from './read-set.js'

/** The tools that sessions of a set speak of, whether or not it has a tools.jsonl. */
export interface ToolNames {
  /** Our id of a tool of the set. */
  toolOf(id: string): ToolId
  idOf(tool: ToolId): string
  /** What tools.jsonl says of it. */
  find(tool: ToolId): Tool | undefined
}

/** Without a tools.jsonl a tool's server is what its id says before `:` or `__`; where it says none, all are of one. */
export async function readToolNames(directory: string): Promise<ToolNames> {
  const set = (await isThere(join(directory, 'tools.jsonl'))) ? await readToolSet(directory) : undefined
  const tools = new Map(set?.tools.map((tool) => [tool.id, tool]))
  const ids = new Map<ToolId, string>()
  const own = new Map<string, ToolId>()
  const toolOf = (id: string): ToolId => {
    const known = own.get(id)
    if (known !== undefined) return known
    const named = set?.toolOf(id) ?? idFromName(id)
    const tool = ids.has(named) ? formatToolId('set', `${id}#${ids.size}`) : named
    ids.set(tool, id)
    own.set(id, tool)
    return tool
  }
  return { toolOf, idOf: (tool) => ids.get(tool)!, find: (tool) => tools.get(tool) }
}

/** One that is there and cannot be read is told by who reads it. */
async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )
}

function idFromName(id: string): ToolId {
  const written = parseToolId(id)
  if (written !== undefined) return formatToolId(written.server, written.tool)
  const cut = id.indexOf('__')
  return cut > 0 && cut + 2 < id.length
    ? formatToolId(id.slice(0, cut), id.slice(cut + 2))
    : formatToolId('set', id)
}
