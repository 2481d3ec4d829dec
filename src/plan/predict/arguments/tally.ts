/** How often something gave a value, and how often that was the one. */
export interface Tally {
  count: number
  hits: number
  lastAt: number
  /** Since changes were last asked for. */
  isChanged: boolean
  /** Somebody was told of it, or it was loaded: who forgets it has to say so. */
  isStored: boolean
}

/** Some fifty calls count: who works differently is followed within an hour. */
export const keep = 0.98

export function newTally(at: number): Tally {
  return { count: 0, hits: 0, lastAt: at, isChanged: true, isStored: false }
}

export function tick(tally: Tally, isHit: boolean): void {
  tally.count = tally.count * keep + 1
  tally.hits = tally.hits * keep + (isHit ? 1 : 0)
  tally.isChanged = true
}
