import { createHash } from 'node:crypto'
import { parseToolId, type Tool, type ToolId } from '../model/tool.js'
import { wireName, wireNameLimit } from '../model/wire-name.js'

export interface WireNames {
  readonly byName: ReadonlyMap<string, ToolId>
  readonly byId: ReadonlyMap<ToolId, string>
}

/**
 * The wire name of every tool, one to one. `reserved` names are ours and never given away. Names that need a hash are given
 * first, so that a server cannot take another tool's stable name by writing it out as its own.
 */
export function assignWireNames(
  tools: readonly Tool[],
  prefix: 'server' | 'none',
  reserved: ReadonlySet<string>,
): WireNames {
  const taken = new Set(reserved)
  const byName = new Map<string, ToolId>()
  const byId = new Map<ToolId, string>()
  const give = (id: ToolId): void => {
    const wanted = wireName(id, prefix, taken)
    const name = taken.has(wanted) ? rehash(wanted, id) : wanted
    taken.add(name)
    byName.set(name, id)
    byId.set(id, name)
  }
  const plain: ToolId[] = []
  for (const { id } of tools) {
    if (isPlain(wireName(id, prefix, reserved), id, prefix)) plain.push(id)
    else give(id)
  }
  for (const id of plain) give(id)
  return { byName, byId }
}

function isPlain(name: string, id: ToolId, prefix: 'server' | 'none'): boolean {
  const { server, tool } = parseToolId(id)!
  return name === (prefix === 'none' ? tool : `${server}__${tool}`)
}

function rehash(name: string, id: ToolId): string {
  const suffix = `_${createHash('sha256').update(`again:${id}`).digest('hex').slice(0, 16)}`
  return name.slice(0, wireNameLimit - suffix.length) + suffix
}
