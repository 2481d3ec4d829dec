/** How capabilities go together, by both ends. `dependency` and `contains` stay free of circles, each by itself. */
import type { CapabilityDependency, CapabilityId } from '../model/capability.js'
import { compareText } from '../model/compare-text.js'

export type DependencyKey = Pick<CapabilityDependency, 'from' | 'to' | 'type'>

export interface DependencyBook {
  clear(): void
  /** By from, to and type. The same array until something changes. */
  all(): readonly CapabilityDependency[]
  /** The same array until something changes there. */
  of(id: CapabilityId): readonly CapabilityDependency[]
  /** Whatever it closes. */
  put(dependency: CapabilityDependency): void
  /** Counts are added to what is there. False: it would close a circle, or leads from a capability to itself. */
  add(dependency: CapabilityDependency): boolean
  remove(key: DependencyKey): boolean
}

/** What an end must have for the other to work. */
export function isNeed({ type }: Pick<CapabilityDependency, 'type'>): boolean {
  return type === 'dependency' || type === 'contains'
}

export function createDependencyBook(): DependencyBook {
  const ends = new Map<CapabilityId, Map<string, CapabilityDependency>>()
  let sorted: readonly CapabilityDependency[] | undefined
  const sortedEnds = new Map<CapabilityId, readonly CapabilityDependency[]>()

  const end = (id: CapabilityId): Map<string, CapabilityDependency> => {
    const known = ends.get(id)
    if (known !== undefined) return known
    const made = new Map<string, CapabilityDependency>()
    ends.set(id, made)
    return made
  }
  const changed = ({ from, to }: DependencyKey): void => {
    sorted = undefined
    sortedEnds.delete(from)
    sortedEnds.delete(to)
  }
  const put = (dependency: CapabilityDependency): void => {
    const key = keyOf(dependency)
    end(dependency.from).set(key, dependency)
    end(dependency.to).set(key, dependency)
    changed(dependency)
  }
  const closesCircle = ({ from, to, type }: DependencyKey): boolean => {
    if (from === to) return true
    if (!isNeed({ type })) return false
    const seen = new Set<CapabilityId>([to])
    for (const id of seen) {
      if (id === from) return true
      for (const edge of ends.get(id)?.values() ?? [])
        if (edge.type === type && edge.from === id) seen.add(edge.to)
    }
    return false
  }
  return {
    clear() {
      ends.clear()
      sortedEnds.clear()
      sorted = undefined
    },
    all() {
      sorted ??= [...ends]
        .flatMap(([id, edges]) => [...edges.values()].filter(({ from }) => from === id))
        .sort(compareDependencies)
      return sorted
    },
    of(id) {
      const edges = ends.get(id)
      if (edges === undefined) return none
      const kept = sortedEnds.get(id) ?? [...edges.values()].sort(compareDependencies)
      sortedEnds.set(id, kept)
      return kept
    },
    put,
    add(dependency) {
      const before = ends.get(dependency.from)?.get(keyOf(dependency))
      if (before === undefined && closesCircle(dependency)) return false
      put(before === undefined ? dependency : sum(before, dependency))
      return true
    },
    remove(key) {
      const text = keyOf(key)
      if (ends.get(key.from)?.delete(text) !== true) return false
      ends.get(key.to)?.delete(text)
      for (const id of [key.from, key.to]) if (ends.get(id)?.size === 0) ends.delete(id)
      changed(key)
      return true
    },
  }
}

const none: readonly CapabilityDependency[] = []

function sum(a: CapabilityDependency, b: CapabilityDependency): CapabilityDependency {
  return {
    ...a,
    count: a.count + b.count,
    successes: a.successes + b.successes,
    lastSeen: Math.max(a.lastSeen, b.lastSeen),
    isManual: a.isManual || b.isManual,
  }
}

/** The length says where one id ends: a tool's own name may hold any character. */
function keyOf({ from, to, type }: DependencyKey): string {
  return `${type} ${from.length} ${from} ${to}`
}

function compareDependencies(a: CapabilityDependency, b: CapabilityDependency): number {
  return compareText(a.from, b.from) || compareText(a.to, b.to) || compareText(a.type, b.type)
}
