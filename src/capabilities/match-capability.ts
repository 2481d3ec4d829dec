/**
 * How well a capability fits a request: what it means, times how far it can be relied on, times the weakest of what it needs.
 *
 *     match = min(.95, semantic * reliability * transitive)
 */
import type { CapabilityId } from '../model/capability.js'
import { compareText } from '../model/compare-text.js'
import type { ToolId } from '../model/tool.js'
import { alternativesOf } from './alternatives-of.js'
import type { CapabilityShelf } from './capability-shelf.js'
import { highestFactor, reliabilityOf } from './reliability-of.js'

export interface CapabilityMatch {
  readonly id: CapabilityId
  /** In [0, .95]. */
  readonly score: number
  /** Its parts. */
  readonly semantic: number
  /** (successes + 1) / (uses + 2), */
  readonly rate: number
  /** and what that makes of the score: .1, 1 or 1.2. */
  readonly reliability: number
  readonly transitive: number
  /** The capability or tool that `transitive` comes from. */
  readonly weakest?: ToolId
  /** It comes in for this one, whose meaning counts at .9. */
  readonly standsInFor?: CapabilityId
}

/** Undefined: there is no such capability. Hidden ones are matched as any: whoever lists leaves them out. */
export function matchCapability(
  id: CapabilityId,
  semantic: number,
  shelf: Pick<CapabilityShelf, 'get' | 'transitive'>,
): CapabilityMatch | undefined {
  const capability = shelf.get(id)
  if (capability === undefined) return undefined
  const meaning = clamped(semantic)
  const { rate, factor } = reliabilityOf(capability.successes, capability.uses)
  const { value: transitive, weakest } = shelf.transitive(id)
  return {
    id,
    score: bounded(meaning * factor * transitive),
    semantic: meaning,
    rate,
    reliability: factor,
    transitive,
    ...(weakest !== undefined && { weakest }),
  }
}

/**
 * The visible ones of these, best first. An alternative comes in at .9 of its twin's meaning, not of its score: it is wanted most when the
 * twin fails. With its own meaning where that is higher.
 */
export function matchCapabilities(
  semantics: Iterable<readonly [CapabilityId, number]>,
  {
    shelf,
    most,
  }: {
    readonly shelf: Pick<CapabilityShelf, 'get' | 'transitive' | 'isVisible' | 'dependenciesOf'>
    readonly most: number
  },
): readonly CapabilityMatch[] {
  const best: CapabilityMatch[] = []
  const leastWanted = (): number => best.at(-1)?.score ?? 1
  const offer = (id: CapabilityId, semantic: number, standsInFor?: CapabilityId): void => {
    if (best.length >= most && scoreOf(id, semantic, shelf) < leastWanted()) return
    const match = matchCapability(id, semantic, shelf)
    if (match === undefined || !shelf.isVisible(id)) return
    insert(best, standsInFor === undefined ? match : { ...match, standsInFor })
    if (best.length > most) best.pop()
  }
  for (const [id, semantic] of semantics) {
    // Most of many are not among the few, whatever their reliability: they cost a comparison.
    if (best.length >= most && bounded(clamped(semantic) * highestFactor) < leastWanted()) continue
    offer(id, semantic)
    for (const { id: other, score } of alternativesOf(id, semantic, shelf)) offer(other, score, id)
  }
  return best
}

/** Where it belongs; of two with the same id the better stays. */
function insert(best: CapabilityMatch[], match: CapabilityMatch): void {
  const before = best.findIndex(({ id }) => id === match.id)
  if (before !== -1 && compareMatches(best[before]!, match) <= 0) return
  if (before !== -1) best.splice(before, 1)
  const better = best.findLastIndex((one) => compareMatches(one, match) < 0)
  best.splice(better + 1, 0, match)
}

/** 0 where there is no such capability. */
function scoreOf(
  id: CapabilityId,
  semantic: number,
  shelf: Pick<CapabilityShelf, 'get' | 'transitive'>,
): number {
  const capability = shelf.get(id)
  if (capability === undefined) return 0
  const { factor } = reliabilityOf(capability.successes, capability.uses)
  return bounded(clamped(semantic) * factor * shelf.transitive(id).value)
}

function clamped(semantic: number): number {
  return semantic > 0 ? Math.min(1, semantic) : 0
}

function bounded(product: number): number {
  return Math.min(highestMatch, product)
}

const highestMatch = 0.95

/** Those that the bound makes equal by what they were before; then its own meaning before that of a twin. */
function compareMatches(a: CapabilityMatch, b: CapabilityMatch): number {
  return (
    b.score - a.score ||
    b.semantic * b.reliability * b.transitive - a.semantic * a.reliability * a.transitive ||
    Number(a.standsInFor !== undefined) - Number(b.standsInFor !== undefined) ||
    compareText(a.id, b.id) ||
    compareText(a.standsInFor ?? '', b.standsInFor ?? '')
  )
}
