/**
 * Capabilities that do the same in another way: what they were run for is more than .9 alike, and their tools are not the same. One that
 * comes to call the other is none: it fails with it.
 */
import type { Capability, CapabilityDependency, CapabilityId } from '../model/capability.js'
import type { CapabilityShelf } from './capability-shelf.js'
import { reachOf } from './reach-of.js'

export interface AlternativeOptions {
  readonly shelf: Pick<CapabilityShelf, 'all' | 'get' | 'needs' | 'dependenciesOf'>
  /** Of two intents, in [-1, 1]. */
  readonly likeness: (a: string, b: string) => number
  readonly now: number
}

/** Those of one capability that are not known yet, in both directions: each stands in for the other. */
export function findAlternatives(
  id: CapabilityId,
  { shelf, likeness, now }: AlternativeOptions,
): readonly CapabilityDependency[] {
  const capability = shelf.get(id)
  if (capability === undefined || capability.intents.length === 0) return []
  const reach = reachOf(id, shelf)
  const known = new Set(
    shelf
      .dependenciesOf(id)
      .filter(({ type }) => type === 'alternative')
      .map(({ from, to }) => (from === id ? to : from)),
  )
  return shelf.all().flatMap((other) => {
    if (other.id === id || known.has(other.id) || reach.capabilities.has(other.id)) return []
    if (!areAlike(capability, other, likeness)) return []
    const others = reachOf(other.id, shelf)
    if (others.capabilities.has(id) || areSame(reach.tools, others.tools)) return []
    const edge = { type: 'alternative', count: 1, successes: 1, lastSeen: now, isManual: false } as const
    return [
      { from: id, to: other.id, ...edge },
      { from: other.id, to: id, ...edge },
    ]
  })
}

const leastLikeness = 0.9
/** Of each the newest: what a capability is for shows in some. */
const intentsCompared = 3

function areAlike(a: Capability, b: Capability, likeness: AlternativeOptions['likeness']): boolean {
  return a.intents
    .slice(0, intentsCompared)
    .some((one) => b.intents.slice(0, intentsCompared).some((other) => likeness(one, other) > leastLikeness))
}

function areSame<Item>(a: ReadonlySet<Item>, b: ReadonlySet<Item>): boolean {
  return a.size === b.size && [...a].every((item) => b.has(item))
}
