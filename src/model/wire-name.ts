import { createHash } from 'node:crypto'
import type { ToolId } from './tool.js'
import { parseToolId } from './tool.js'

export const wireNameLimit = 64
const legal = /^[A-Za-z0-9_-]+$/

/**
 * The name of a tool on the MCP wire: `server__tool`, at most 64 characters of [A-Za-z0-9_-].
 *
 * A name that cannot be written so gets a stable suffix: the hash of its id, so the same tool has the same wire name in
 * every session. Two ids never share a name: a server whose own name holds `__` or ends in `_` is always hashed, which
 * leaves the first `__` of an unhashed name as the one border between server and tool.
 */
export function wireName(
  id: ToolId,
  prefix: 'server' | 'none',
  taken: ReadonlySet<string> = new Set(),
): string {
  const { server, tool } = parseToolId(id)!
  const plain = prefix === 'none' ? tool : `${server}__${tool}`
  const unambiguous = prefix === 'none' || (!server.includes('__') && !server.endsWith('_'))
  if (unambiguous && plain.length <= wireNameLimit && legal.test(plain) && !taken.has(plain)) return plain
  const suffix = `_${createHash('sha256').update(id).digest('hex').slice(0, 8)}`
  const cleaned = plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, wireNameLimit - suffix.length)
  return cleaned + suffix
}
