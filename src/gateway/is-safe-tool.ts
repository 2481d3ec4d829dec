import type { PmlConfig } from '../model/config.js'
import { isCallable, type Tool } from '../model/tool.js'

/**
 * Whether a tool may be run before anybody has seen what it would do: it only reads, and whoever says so is to be believed. This is
 * stricter than `safe` of model/rate-risk.ts, which may go by a name: a name authorises nothing, and a server that is not the user's
 * own may raise a risk, not lower it.
 */
export function isSafeTool(tool: Tool, config: Pick<PmlConfig, 'servers'>): boolean {
  if (!isCallable(tool)) return false
  const { readOnlyHint, destructiveHint } = tool.definition.annotations ?? {}
  return isTrustedServer(tool.server, config) && readOnlyHint === true && destructiveHint !== true
}

/** One of the user's own configuration, unless it is marked otherwise there. */
export function isTrustedServer(server: string, { servers }: Pick<PmlConfig, 'servers'>): boolean {
  return servers.some(({ name, trusted }) => name === server && trusted)
}
