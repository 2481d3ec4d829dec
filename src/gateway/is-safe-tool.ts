import type { PmlConfig } from '../model/config.js'
import type { RatedTool } from '../model/rate-risk.js'
import type { RiskSource } from '../model/risk-source.js'
import { isCallable, type Tool } from '../model/tool.js'
import type { ToolRisk } from './risk-registry.js'

/**
 * Whether a tool may be run before anybody has seen what it would do: it only reads, and whoever says so is to be believed. This is
 * stricter than `safe` of model/rate-risk.ts, which may go by words: words authorise nothing, and a server that is not the user's own may
 * raise a risk, not lower it. What a person says counts, `rated` tells; but a tool that says itself that it does more is not safe.
 *
 * To run a call that nobody has asked for takes more: model/is-never-ahead.ts.
 */
export function isSafeTool(
  tool: Tool,
  config: Pick<PmlConfig, 'servers'>,
  rated: Pick<RatedTool, 'risk' | 'source'>,
): boolean {
  if (!isCallable(tool)) return false
  const { readOnlyHint, destructiveHint } = tool.definition.annotations ?? {}
  if (readOnlyHint === false || destructiveHint === true) return false
  if (saidByPerson.has(rated.source)) return rated.risk === 'safe'
  return isTrustedServer(tool.server, config) && readOnlyHint === true
}

/** The same for every call: worked out once, and again when the tool, the configuration or what is known of risks is another. */
export function createSafeTools(deps: {
  config(): Pick<PmlConfig, 'servers'>
  readonly risk: Pick<ToolRisk, 'rate' | 'revision'>
}): (tool: Tool) => boolean {
  const known = new WeakMap<
    Tool,
    { readonly config: object; readonly revision: number; readonly isSafe: boolean }
  >()
  return (tool) => {
    const config = deps.config()
    const revision = deps.risk.revision()
    const before = known.get(tool)
    if (before?.config === config && before.revision === revision) return before.isSafe
    const isSafe = isSafeTool(tool, config, deps.risk.rate(tool))
    known.set(tool, { config, revision, isSafe })
    return isSafe
  }
}

const saidByPerson: ReadonlySet<RiskSource> = new Set(['override', 'permissions', 'read-only server'])

/** One of the user's own configuration, unless it is marked otherwise there. */
export function isTrustedServer(server: string, { servers }: Pick<PmlConfig, 'servers'>): boolean {
  return servers.some(({ name, trusted }) => name === server && trusted)
}
