/**
 * What the calls of one run show of how capabilities go together:
 * - a capability that was called inside another: the outer `contains` it and has it as a `dependency`; tools in between are looked through;
 * - capability calls of one parent, one right behind the other: `sequence`. What ran side by side has none; what is called before it, and
 *   ended last before it began, comes before it.
 * A capability that goes with itself (a loop, a recursion) shows nothing. One row for each pair and type, with how often it was seen.
 */
import { type CapabilityDependency, type CapabilityId, isCapabilityId } from '../model/capability.js'
import { compareText } from '../model/compare-text.js'
import type { ToolId } from '../model/tool.js'

export interface NestedCall {
  readonly id: string
  /** The call that made it; absent: the run itself did. */
  readonly parent?: string
  readonly tool: ToolId
  readonly success: boolean
  readonly startedAt: number
  readonly endedAt: number
}

export function learnDependencies(
  calls: readonly NestedCall[],
  now: number,
): readonly CapabilityDependency[] {
  const seen = new Map<string, CapabilityDependency>()
  const see = (
    type: CapabilityDependency['type'],
    from: CapabilityId,
    to: CapabilityId,
    success: boolean,
  ): void => {
    if (from === to) return
    const key = `${type} ${from.length} ${from} ${to}`
    const { count, successes } = seen.get(key) ?? { count: 0, successes: 0 }
    seen.set(key, {
      from,
      to,
      type,
      count: count + 1,
      successes: successes + (success ? 1 : 0),
      lastSeen: now,
      isManual: false,
    })
  }
  const byId = new Map(calls.map((call) => [call.id, call]))
  const siblings = new Map<string | undefined, NestedCall[]>()
  for (const call of calls) {
    if (!isCapabilityId(call.tool)) continue
    const outer = capabilityAround(call, byId)
    if (outer !== undefined)
      for (const type of ['contains', 'dependency'] as const) see(type, outer, call.tool, call.success)
    const group = siblings.get(call.parent)
    if (group === undefined) siblings.set(call.parent, [call])
    else group.push(call)
  }
  for (const group of siblings.values())
    for (const [before, after] of consecutive(group))
      see('sequence', before.tool, after.tool, before.success && after.success)
  return [...seen.values()].sort(
    (a, b) => compareText(a.from, b.from) || compareText(a.to, b.to) || compareText(a.type, b.type),
  )
}

function capabilityAround(call: NestedCall, byId: ReadonlyMap<string, NestedCall>): CapabilityId | undefined {
  const passed = new Set<string>([call.id])
  let outer = call.parent === undefined ? undefined : byId.get(call.parent)
  while (outer !== undefined && !passed.has(outer.id)) {
    if (isCapabilityId(outer.tool)) return outer.tool
    passed.add(outer.id)
    outer = outer.parent === undefined ? undefined : byId.get(outer.parent)
  }
  return undefined
}

/**
 * Each call with those right before it: they had ended when it began, and no other began and ended in between. By the time each
 * began and ended alone, so no order of the input shows.
 */
function consecutive(group: readonly NestedCall[]): readonly (readonly [NestedCall, NestedCall])[] {
  return group.flatMap((after) => {
    const ended = group.filter((one) => one !== after && isBefore(one, after))
    const lastStart = ended.reduce(
      (last, { startedAt }) => Math.max(last, startedAt),
      Number.NEGATIVE_INFINITY,
    )
    return ended
      .filter((one) => one.endedAt > lastStart || one.startedAt === lastStart)
      .map((before) => [before, after] as const)
  })
}

function isBefore(one: NestedCall, other: NestedCall): boolean {
  return one.endedAt <= other.startedAt && one.startedAt < other.endedAt
}
