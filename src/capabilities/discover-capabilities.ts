/**
 * Capabilities that fit what a session has used so far.
 *
 *     discovery = overlap * (1 + boost)
 *     overlap   = of the distinct tools of the context, the share that the capability comes to call: itself or through what it needs.
 *                 A capability in the context counts as one of them, for those that need it.
 *     boost     = .5 where it is in the active cluster, else .25 * the share of its tools that are, + .3 * rank; its tools are those that it
 *                 calls itself, or, where it only calls capabilities, those that it comes to call
 *
 * The active cluster is the one with most of the context, the lowest number of several. The rank is that of hypergraph PageRank over the
 * largest of any capability.
 */
import { type CapabilityId, isCapabilityId } from '../model/capability.js'
import { compareText } from '../model/compare-text.js'
import type { NodeId } from '../model/edge.js'
import type { ToolId } from '../model/tool.js'
import type { CapabilityShelf } from './capability-shelf.js'
import { reachOf } from './reach-of.js'

export interface DiscoveryOptions {
  readonly shelf: Pick<CapabilityShelf, 'all' | 'get' | 'needs' | 'neededBy' | 'usersOf' | 'isVisible'>
  /** Undefined: not worked out yet. Nodes in no cluster are absent or below 0. */
  readonly clusters: () => { readonly of: ReadonlyMap<NodeId, number> } | undefined
  readonly rank: (id: CapabilityId) => number
  readonly most: number
}

export interface DiscoveredCapability {
  readonly id: CapabilityId
  /** In [0, 1]: bounded, and ordered by what it was before. */
  readonly score: number
  readonly overlap: number
  /** Tools of the context that it comes to call. */
  readonly shared: readonly ToolId[]
  /** What the clusters add to `boost`, */
  readonly cluster: number
  /** and what the rank does. */
  readonly rank: number
}

/** The visible ones with any overlap, best first. */
export function discoverCapabilities(
  context: readonly ToolId[],
  { shelf, clusters, rank, most }: DiscoveryOptions,
): readonly DiscoveredCapability[] {
  const distinct = [...new Set(context)]
  const shared = sharedTools(distinct, shelf)
  if (shared.size === 0) return []
  const of = clusters()?.of
  const active = of && activeCluster(distinct, of)
  const largest = shelf.all().reduce((most, { id }) => Math.max(most, rank(id)), 0)
  const found = [...shared].map(([id, tools]) => {
    const overlap = tools.length / distinct.length
    const cluster = of === undefined || active === undefined ? 0 : clusterBoost(id, { shelf, of, active })
    const ranked = largest > 0 ? rankShare * Math.min(1, Math.max(0, rank(id)) / largest) : 0
    const whole = overlap * (1 + cluster + ranked)
    return { whole, id, score: Math.min(1, whole), overlap, shared: tools, cluster, rank: ranked }
  })
  return found
    .sort((a, b) => b.whole - a.whole || compareText(a.id, b.id))
    .slice(0, most)
    .map(({ whole: _, ...discovered }) => discovered)
}

const inCluster = 0.5
const toolsInCluster = 0.25
const rankShare = 0.3

/** From each tool upwards, so that only those are looked at that share something. */
function sharedTools(
  context: readonly ToolId[],
  shelf: DiscoveryOptions['shelf'],
): ReadonlyMap<CapabilityId, readonly ToolId[]> {
  const shared = new Map<CapabilityId, ToolId[]>()
  for (const tool of context) {
    const above = new Set(isCapabilityId(tool) ? shelf.neededBy(tool) : shelf.usersOf(tool))
    for (const id of above) {
      for (const user of shelf.neededBy(id)) above.add(user)
      if (id === tool || !shelf.isVisible(id)) continue
      const known = shared.get(id)
      if (known === undefined) shared.set(id, [tool])
      else known.push(tool)
    }
  }
  return shared
}

function activeCluster(context: readonly ToolId[], of: ReadonlyMap<NodeId, number>): number | undefined {
  const counts = new Map<number, number>()
  for (const tool of context) {
    const cluster = of.get(tool)
    if (cluster !== undefined && cluster >= 0) counts.set(cluster, (counts.get(cluster) ?? 0) + 1)
  }
  return [...counts].sort(([a, many], [b, more]) => more - many || a - b)[0]?.[0]
}

function clusterBoost(
  id: CapabilityId,
  {
    shelf,
    of,
    active,
  }: {
    readonly shelf: DiscoveryOptions['shelf']
    readonly of: ReadonlyMap<NodeId, number>
    readonly active: number
  },
): number {
  if (of.get(id) === active) return inCluster
  const own = new Set(shelf.get(id)?.tools)
  const tools = own.size > 0 ? own : reachOf(id, shelf).tools
  if (tools.size === 0) return 0
  let there = 0
  for (const tool of tools) if (of.get(tool) === active) there++
  return (toolsInCluster * there) / tools.size
}
