/**
 * Capabilities above capabilities: those that hold others, and groups that are used one after the other again and again. For listings
 * and for the top layer of the graph; worked out from the shelf, kept nowhere.
 */
import { createHash } from 'node:crypto'
import type { CapabilityId } from '../model/capability.js'
import { compareText } from '../model/compare-text.js'
import type { NodeId } from '../model/edge.js'
import type { CapabilityShelf } from './capability-shelf.js'

export interface MetaCapability {
  /** The same as long as the members are; for `contains` the id of the capability that holds them. */
  readonly id: string
  readonly kind: 'contains' | 'together'
  readonly name: string
  /** By id. */
  readonly members: readonly CapabilityId[]
  /** How often the pairs within it were seen; 0 where they stand in the code and were not. */
  readonly count: number
}

export function metaCapabilities(
  shelf: Pick<CapabilityShelf, 'all' | 'get' | 'dependencies' | 'dependenciesOf'>,
  /** Undefined: not worked out yet. Where they are, a group stays within one. */
  clusters: { readonly of: ReadonlyMap<NodeId, number> } | undefined,
): readonly MetaCapability[] {
  return [...holders(shelf), ...groups(shelf, clusters)]
}

function holders(shelf: Pick<CapabilityShelf, 'all' | 'get' | 'dependenciesOf'>): readonly MetaCapability[] {
  return shelf.all().flatMap(({ id, name, calls }) => {
    const held = shelf.dependenciesOf(id).filter((edge) => edge.type === 'contains' && edge.from === id)
    const members = [...new Set([...calls, ...held.map(({ to }) => to)])].filter(
      (member) => member !== id && shelf.get(member) !== undefined,
    )
    if (members.length === 0) return []
    const count = held.reduce((sum, edge) => sum + edge.count, 0)
    return [{ id, kind: 'contains' as const, name, members: members.sort(compareText), count }]
  })
}

/** So often one behind the other is no chance. */
const leastSeen = 3

function groups(
  shelf: Pick<CapabilityShelf, 'get' | 'dependencies'>,
  clusters: { readonly of: ReadonlyMap<NodeId, number> } | undefined,
): readonly MetaCapability[] {
  const isApart = (a: CapabilityId, b: CapabilityId): boolean =>
    clusters !== undefined && clusters.of.get(a) !== clusters.of.get(b)
  const edges = shelf
    .dependencies()
    .filter(({ type, from, to, count }) => type === 'sequence' && count >= leastSeen && !isApart(from, to))
    .filter(({ from, to }) => shelf.get(from) !== undefined && shelf.get(to) !== undefined)
  const beside = new Map<CapabilityId, Set<CapabilityId>>()
  for (const { from, to } of edges)
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      beside.set(one, (beside.get(one) ?? new Set()).add(other))
  const placed = new Set<CapabilityId>()
  return [...beside.keys()].sort(compareText).flatMap((first) => {
    if (placed.has(first)) return []
    const group = new Set([first])
    for (const id of group) for (const other of beside.get(id)!) group.add(other)
    for (const id of group) placed.add(id)
    const members = [...group].sort(compareText)
    const count = edges.reduce((sum, edge) => sum + (group.has(edge.from) ? edge.count : 0), 0)
    const name = groupName(members.map((id) => shelf.get(id)!.name))
    return [{ id: `meta:${hash(members)}`, kind: 'together' as const, name, members, count }]
  })
}

/** Words that most of them have in common; else the first name, and how many more. */
function groupName(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names)
    for (const word of new Set(name.split('_'))) counts.set(word, (counts.get(word) ?? 0) + 1)
  const common = [...counts].filter(([, count]) => count > names.length / 2).map(([word]) => word)
  if (common.length > 0) return `${common.slice(0, mostWords).join('_')}_together`
  const [first = ''] = names
  return names.length === 2 ? names.join('_and_') : `${first}_and_${names.length - 1}_more`
}

const mostWords = 4

function hash(members: readonly CapabilityId[]): string {
  return createHash('sha256').update(JSON.stringify(members)).digest('hex').slice(0, 12)
}
