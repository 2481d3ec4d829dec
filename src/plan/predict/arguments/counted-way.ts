import type { ToolId } from '../../../model/tool.js'
import type { Way } from './argument-way.js'
import { newTally, type Tally, tick } from './tally.js'

/** A way and how often it was right; the same where one tool was called just before. */
export interface CountedWay extends Tally {
  readonly way: Way
  readonly after: Map<ToolId, Tally>
}

/** Tools before it: most are called after a few. */
export const mostAfter = 4

export function newCountedWay(way: Way, at: number): CountedWay {
  return { way, ...newTally(at), after: new Map() }
}

/** Counts it after this tool; gives the tool that is forgotten for it. */
export function tickAfter(
  { after }: CountedWay,
  tool: ToolId,
  isHit: boolean,
  at: number,
): readonly [ToolId, Tally] | undefined {
  const known = after.get(tool) ?? newTally(at)
  tick(known, isHit)
  known.lastAt = at
  const least = after.has(tool) || after.size < mostAfter ? undefined : leastCounted(after)
  if (least !== undefined) after.delete(least[0])
  after.set(tool, known)
  return least
}

function leastCounted(after: ReadonlyMap<ToolId, Tally>): readonly [ToolId, Tally] {
  return [...after].reduce((least, one) => (one[1].count < least[1].count ? one : least))
}

/** The one that was right least often, of late. */
export function leastRight(ways: ReadonlyMap<string, CountedWay>): CountedWay {
  return [...ways.values()].reduce((least, one) => (worthOf(one) < worthOf(least) ? one : least))
}

function worthOf({ hits, count }: Tally): number {
  return hits * (hits / (count + 1))
}
