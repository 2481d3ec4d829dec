import { isCapabilityId } from '../model/capability.js'
import type { ExposureMode } from '../model/config.js'
import { definitionText, isCallable, type Tool, type ToolId } from '../model/tool.js'
import { estimateTokens } from './estimate-tokens.js'

/** What tools/list shows: our own tools or not, and which of the servers' tools. */
export interface Exposure {
  readonly mode: ExposureMode
  /** What `mode` came to: `direct` is `auto` with a small catalogue. */
  readonly effective: 'direct' | 'meta' | 'proxy' | 'hybrid'
  readonly withMetaTools: boolean
  /** In the order of the catalogue, by id. */
  readonly tools: readonly Tool[]
  readonly tokens: number
}

export interface ExposureOptions {
  readonly mode: ExposureMode
  readonly tools: readonly Tool[]
  readonly contextWindow: number
  readonly hybridBudget: number
  readonly pinned: ReadonlySet<ToolId>
  /** Calls of each tool, alone or in a workflow, since this process began: they are not kept beyond it. */
  readonly usage: ReadonlyMap<ToolId, number>
}

/** A small catalogue is better served directly: above this, searching costs an agent less than reading. */
export const directToolLimit = 20
export const directShareOfWindow = 0.05

export function chooseExposure(options: ExposureOptions): Exposure {
  const { mode } = options
  const all = options.tools.filter(isCallable)
  // What was learned is found, and called by name; only where the user chooses what is listed it may be.
  const callable = all.filter(({ id }) => !isCapabilityId(id))
  const show = (
    effective: Exposure['effective'],
    withMetaTools: boolean,
    tools: readonly Tool[],
  ): Exposure => ({
    mode,
    effective,
    withMetaTools,
    tools,
    tokens: sumTokens(tools),
  })
  if (mode === 'meta') return show('meta', true, [])
  if (mode === 'proxy') return show('proxy', false, callable)
  if (mode === 'hybrid') return show('hybrid', true, chooseHybrid(all, options))
  const small =
    callable.length <= directToolLimit && sumTokens(callable) <= options.contextWindow * directShareOfWindow
  return small ? show('direct', true, callable) : show('meta', true, [])
}

/** Pinned tools always, then the most used while the budget lasts; a tool that does not fit leaves room for smaller ones. Of capabilities only what was pinned or used. */
function chooseHybrid(callable: readonly Tool[], options: ExposureOptions): readonly Tool[] {
  const chosen = new Set(callable.filter((tool) => options.pinned.has(tool.id)))
  let left = options.hybridBudget - sumTokens([...chosen])
  const uses = (tool: Tool): number => options.usage.get(tool.id) ?? 0
  const isOffered = (tool: Tool): boolean => !isCapabilityId(tool.id) || uses(tool) > 0
  const byUse = callable
    .filter((tool) => !chosen.has(tool) && isOffered(tool))
    .sort((a, b) => uses(b) - uses(a))
  for (const tool of byUse) {
    const tokens = toolTokens(tool)
    if (tokens > left) continue
    chosen.add(tool)
    left -= tokens
  }
  return callable.filter((tool) => chosen.has(tool))
}

const estimates = new WeakMap<Tool, number>()

/** The exact count where it is known, until then an estimate. */
export function toolTokens(tool: Tool): number {
  if (tool.tokens !== undefined) return tool.tokens
  let estimate = estimates.get(tool)
  if (estimate === undefined) {
    estimate = estimateTokens(definitionText(tool.definition))
    estimates.set(tool, estimate)
  }
  return estimate
}

function sumTokens(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + toolTokens(tool), 0)
}
