/**
 * A chain is as strong as its weakest link: the lowest success rate among everything that a capability needs, however deep.
 *
 * Needed are the capabilities it calls, holds or depends on, theirs in turn, and the tools of them all and its own. Its own rate is not
 * among them: that is its reliability. So a circle, where there is one, ends at the capability that is asked about. What calls a capability
 * that is gone cannot work: 0.
 *
 * Everything that needs one another in a circle needs the same, so values are worked out by strongly connected components (R. Tarjan.
 * Depth-first search and linear graph algorithms. SIAM J. Comput. 1, 1972), each node once, and kept in `known`. Without recursion: no
 * chain is too deep.
 */
import type { Capability, CapabilityId } from '../model/capability.js'
import type { ToolId } from '../model/tool.js'
import type { ToolSuccess } from './capability-shelf.js'
import { successRate } from './reliability-of.js'

export interface TransitiveReliability {
  /** In [0, 1]. */
  readonly value: number
  /** The capability or tool that it comes from; absent where the value is 1. */
  readonly weakest?: ToolId
}

export interface NeedsGraph {
  get(id: CapabilityId): Capability | undefined
  needs(id: CapabilityId): readonly CapabilityId[]
}

/** What was worked out. `below` excludes the rate of the capability itself, `whole` includes it: that is what callers see. */
export interface KnownReliability {
  readonly below: TransitiveReliability
  readonly whole: TransitiveReliability
}

export function transitiveReliability(
  id: CapabilityId,
  graph: NeedsGraph,
  toolSuccess: (tool: ToolId) => ToolSuccess | undefined,
  known: Map<CapabilityId, KnownReliability> = new Map(),
): TransitiveReliability {
  const found = known.get(id)
  if (found !== undefined) return found.below
  if (graph.get(id) === undefined) return perfect

  // Mostly only what changed is not known any more, and what it needs is.
  if (graph.needs(id).every((needed) => known.has(needed) || graph.get(needed) === undefined))
    settle([id], graph, toolSuccess, known)
  else walk(id, graph, toolSuccess, known)
  return known.get(id)!.below
}

/** Makes it known, and everything beneath it. */
function walk(
  id: CapabilityId,
  graph: NeedsGraph,
  toolSuccess: (tool: ToolId) => ToolSuccess | undefined,
  known: Map<CapabilityId, KnownReliability>,
): void {
  const order = new Map<CapabilityId, number>()
  const lowest = new Map<CapabilityId, number>()
  const waiting: CapabilityId[] = []
  const path: { readonly id: CapabilityId; readonly needs: readonly CapabilityId[]; at: number }[] = []
  const enter = (one: CapabilityId): void => {
    lowest.set(one, order.size)
    order.set(one, order.size)
    waiting.push(one)
    path.push({ id: one, needs: graph.needs(one), at: 0 })
  }
  enter(id)
  while (path.length > 0) {
    const top = path.at(-1)!
    const next = top.needs[top.at++]
    if (next !== undefined) {
      if (known.has(next) || graph.get(next) === undefined) continue
      const seen = order.get(next)
      if (seen === undefined) enter(next)
      else lowest.set(top.id, Math.min(lowest.get(top.id)!, seen))
      continue
    }
    path.pop()
    const low = lowest.get(top.id)!
    const under = path.at(-1)
    if (under !== undefined) lowest.set(under.id, Math.min(lowest.get(under.id)!, low))
    if (low === order.get(top.id)) {
      const members = waiting.splice(waiting.lastIndexOf(top.id))
      settle(members, graph, toolSuccess, known)
    }
  }
}

/** One component, with everything beneath it known. */
function settle(
  members: readonly CapabilityId[],
  graph: NeedsGraph,
  toolSuccess: (tool: ToolId) => ToolSuccess | undefined,
  known: Map<CapabilityId, KnownReliability>,
): void {
  let shared = perfect
  let worst = perfect
  let second = perfect
  for (const id of members) {
    const capability = graph.get(id)!
    for (const tool of capability.tools) {
      const value = toolRate(toolSuccess(tool))
      if (value <= shared.value) shared = weaker(shared, { value, weakest: tool })
    }
    for (const needed of graph.needs(id)) shared = weaker(shared, seenFromAbove(needed, graph, known))
    const own = { value: ownRate(capability), weakest: id }
    if (weaker(worst, own) === own) [worst, second] = [own, worst]
    else second = weaker(second, own)
  }
  const whole = weaker(shared, worst)
  for (const id of members)
    known.set(id, { below: weaker(shared, worst.weakest === id ? second : worst), whole })
}

/** Undefined in `known`: it is of the same component, where it counts as a member. */
function seenFromAbove(
  needed: CapabilityId,
  graph: NeedsGraph,
  known: ReadonlyMap<CapabilityId, KnownReliability>,
): TransitiveReliability {
  if (graph.get(needed) === undefined) return { value: 0, weakest: needed }
  return known.get(needed)?.whole ?? perfect
}

const perfect: TransitiveReliability = { value: 1 }

/** The first id of those equally weak, so that no order of the input shows. */
function weaker(a: TransitiveReliability, b: TransitiveReliability): TransitiveReliability {
  if (b.value !== a.value) return b.value < a.value ? b : a
  if (b.weakest === undefined || b.value === 1) return a
  return a.weakest === undefined || b.weakest < a.weakest ? b : a
}

/** One that was never used has shown nothing. */
function ownRate({ uses, successes }: Capability): number {
  return uses === 0 ? 1 : successRate(successes, uses)
}

/** Of a tool so few observations say nothing: most fail for their arguments. */
export const fewestObservations = 5

function toolRate(success: ToolSuccess | undefined): number {
  return success === undefined || success.count < fewestObservations
    ? 1
    : successRate(success.successes, success.count)
}
