/** Capabilities by something that several may have in common. */
import type { CapabilityId } from '../model/capability.js'

export interface IdIndex<Key> {
  add(key: Key, id: CapabilityId): void
  delete(key: Key, id: CapabilityId): void
  /** In the order in which they were added. */
  get(key: Key): ReadonlySet<CapabilityId>
  keys(): ReadonlySet<Key>
  clear(): void
}

export function createIdIndex<Key>(): IdIndex<Key> {
  const ids = new Map<Key, Set<CapabilityId>>()
  return {
    add(key, id) {
      const known = ids.get(key)
      if (known === undefined) ids.set(key, new Set([id]))
      else known.add(id)
    },
    delete(key, id) {
      const known = ids.get(key)
      if (known?.delete(id) === true && known.size === 0) ids.delete(key)
    },
    get: (key) => ids.get(key) ?? none,
    keys: () => new Set(ids.keys()),
    clear: () => ids.clear(),
  }
}

const none: ReadonlySet<CapabilityId> = new Set()
