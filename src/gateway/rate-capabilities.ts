import type { CapabilityShelf } from '../capabilities/capability-shelf.js'
import { type CapabilityMatch, matchCapabilities } from '../capabilities/match-capability.js'
import { type CapabilityId, isCapabilityId } from '../model/capability.js'
import type { Tool } from '../model/tool.js'
import type { ToolHit, ToolSearch } from '../plan/find/create-tool-search.js'

export interface RateCapabilitiesDeps {
  readonly search: ToolSearch['search']
  readonly shelf: CapabilityShelf
  tool(id: CapabilityId): Tool | undefined
}

/** Some are worth less than their words: further ones may come in for them. */
const further = 4

/**
 * Search over tools and capabilities in one ranking: a capability counts by what it means, how far it can be relied on and the weakest of
 * what it needs; one that fails brings in what does the same in another way. Tools stay as they were found.
 */
export function rateCapabilities({ search, shelf, tool }: RateCapabilitiesDeps): ToolSearch['search'] {
  return async (query, options) => {
    if (shelf.all().length === 0) return search(query, options)
    const hits = await search(query, { ...options, limit: options.limit + further })
    const found = new Map(hits.map((hit) => [hit.tool.id, hit]))
    const matches = matchCapabilities(
      hits.flatMap(({ tool: { id }, score }) => (isCapabilityId(id) ? [[id, score] as const] : [])),
      { shelf, most: options.limit },
    )
    const rated = matches.flatMap((match) => toHit(match, found.get(match.id), tool(match.id)))
    return [...hits.filter((hit) => !isCapabilityId(hit.tool.id)), ...rated]
      .sort((a, b) => b.parts.name - a.parts.name || b.score - a.score)
      .slice(0, options.limit)
  }
}

function toHit(
  { id: _, semantic, score, ...capability }: CapabilityMatch,
  found: ToolHit | undefined,
  tool: Tool | undefined,
): readonly ToolHit[] {
  if (tool === undefined) return []
  const parts = found?.parts ?? { name: 0, words: 0, semantic }
  return [{ tool, score: parts.name > 0 ? (found?.score ?? score) : score, parts: { ...parts, capability } }]
}
