import type { PmlConfig } from '../model/config.js'
import { isCallable, type Tool } from '../model/tool.js'

/**
 * Whether a tool may be run before anybody has seen what it would do: it only reads, and whoever says so is to be believed. A
 * name authorises nothing, and a server that is not the user's own may raise a risk, not lower it.
 */
export function isSafeTool(tool: Tool, { servers }: Pick<PmlConfig, 'servers'>): boolean {
  if (!isCallable(tool)) return false
  const isTrusted = servers.some(({ name, trusted }) => name === tool.server && trusted)
  const { readOnlyHint, destructiveHint } = tool.definition.annotations ?? {}
  return isTrusted && readOnlyHint === true && destructiveHint !== true
}
