/** A memory that cannot grow without end: of more than `most`, those that were added or seen longest ago are forgotten. */
export interface BoundedSet {
  add(key: string): void
  has(key: string): boolean
}

export function createBoundedSet(most: number): BoundedSet {
  const kept = new Set<string>()
  const add = (key: string): void => {
    kept.delete(key)
    kept.add(key)
    if (kept.size > most) kept.delete(kept.values().next().value!)
  }
  return {
    add,
    has(key) {
      const known = kept.has(key)
      if (known) add(key)
      return known
    },
  }
}
