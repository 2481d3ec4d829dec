import type { CapabilityShelf } from '../capabilities/capability-shelf.js'
import type { DiscoveredCapability } from '../capabilities/discover-capabilities.js'
import { type CapabilityMatch, matchCapabilities, matchCapability } from '../capabilities/match-capability.js'
import { type CapabilityId, isCapabilityId } from '../model/capability.js'
import type { Tool, ToolId } from '../model/tool.js'
import type { ToolHit, ToolSearch } from '../plan/find/create-tool-search.js'

export interface RateCapabilitiesDeps {
  readonly search: ToolSearch['search']
  readonly shelf: CapabilityShelf
  tool(id: CapabilityId): Tool | undefined
  /** Those that fit what was used so far. */
  discover(context: readonly ToolId[]): readonly DiscoveredCapability[]
  /** How far meaning is trusted over structure. */
  alpha(id: CapabilityId): number
}

/** Some are worth less than their words: further ones may come in for them. */
const further = 4

/**
 * Search over tools and capabilities in one ranking: a capability counts by what it means, how far it can be relied on and the weakest of
 * what it needs; one that fails brings in what does the same in another way. What was used so far can only lift it, as with tools:
 *
 *     score = alpha * match + (1 - alpha) * max(match, discovery * reliability * transitive)
 *
 * Tools stay as they were found.
 */
export function rateCapabilities(deps: RateCapabilitiesDeps): ToolSearch['search'] {
  const { search, shelf, tool } = deps
  return async (query, options) => {
    if (shelf.all().length === 0) return search(query, options)
    const hits = await search(query, { ...options, limit: options.limit + further })
    const found = new Map(hits.map((hit) => [hit.tool.id, hit]))
    const matches = matchCapabilities(
      hits.flatMap(({ tool: { id }, score }) => (isCapabilityId(id) ? [[id, score] as const] : [])),
      { shelf, most: options.limit },
    )
    const rated = inContext(matches, options.context, deps).flatMap((one) =>
      toHit(one, found.get(one.match.id), tool(one.match.id)),
    )
    return [...hits.filter((hit) => !isCapabilityId(hit.tool.id)), ...rated]
      .sort((a, b) => b.parts.name - a.parts.name || b.score - a.score)
      .slice(0, options.limit)
  }
}

interface Rated {
  readonly match: CapabilityMatch
  readonly score: number
  /** What was used so far speaks for it so much. */
  readonly discovery?: number
}

function inContext(
  matches: readonly CapabilityMatch[],
  context: readonly ToolId[],
  { shelf, discover, alpha }: RateCapabilitiesDeps,
): readonly Rated[] {
  const discovered = new Map((context.length === 0 ? [] : discover(context)).map((one) => [one.id, one]))
  const byMeaning = new Set(matches.map(({ id }) => id))
  const others = [...discovered.keys()].flatMap((id) =>
    byMeaning.has(id) ? [] : (matchCapability(id, 0, shelf) ?? []),
  )
  return [...matches, ...others].map((match): Rated => {
    const one = discovered.get(match.id)
    if (one === undefined) return { match, score: match.score }
    const evidence = Math.min(1, one.score * match.reliability * match.transitive)
    const share = alpha(match.id)
    const score = share * match.score + (1 - share) * Math.max(match.score, evidence)
    return { match, score, discovery: one.score }
  })
}

function toHit(
  { match: { id: _, semantic, score: __, ...capability }, score, discovery }: Rated,
  found: ToolHit | undefined,
  tool: Tool | undefined,
): readonly ToolHit[] {
  if (tool === undefined) return []
  const parts = found?.parts ?? { name: 0, words: 0, semantic }
  return [
    {
      tool,
      score: parts.name > 0 ? (found?.score ?? score) : score,
      parts: { ...parts, capability: { ...capability, ...(discovery !== undefined && { discovery }) } },
    },
  ]
}
