import type { CapabilityId } from '../model/capability.js'
import { compareText } from '../model/compare-text.js'
import type { CapabilityShelf } from './capability-shelf.js'
import { successRate } from './reliability-of.js'

export interface Alternative {
  readonly id: CapabilityId
  readonly score: number
  /** (successes + 1) / (uses + 2). */
  readonly rate: number
}

/** What can stand in for a capability that scores so, the most reliable first: visible ones that succeed often enough. */
export function alternativesOf(
  id: CapabilityId,
  score: number,
  shelf: Pick<CapabilityShelf, 'get' | 'isVisible' | 'dependenciesOf'>,
): readonly Alternative[] {
  const found: Alternative[] = []
  for (const { type, from, to } of shelf.dependenciesOf(id)) {
    if (type !== 'alternative' || to !== id) continue
    const capability = shelf.get(from)
    if (capability === undefined || !shelf.isVisible(from)) continue
    const rate = successRate(capability.successes, capability.uses)
    if (rate > leastSuccess) found.push({ id: from, score: share * score, rate })
  }
  return found.sort((a, b) => b.rate - a.rate || compareText(a.id, b.id))
}

const leastSuccess = 0.7
const share = 0.9
