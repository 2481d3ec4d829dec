import type { Edge, EdgeSource, EdgeType } from '../model/edge.js'

/** How much a kind of edge says about two tools belonging together. Set by hand in the first papers; .6 for alternatives is the later one's. */
export const typeWeight: Readonly<Record<EdgeType, number>> = {
  dependency: 1,
  contains: 0.8,
  provides: 0.7,
  alternative: 0.6,
  sequence: 0.5,
}

/** How much is left of it when nobody is sure. */
export const sourceFactor: Readonly<Record<EdgeSource, number>> = {
  observed: 1,
  inferred: 0.7,
  template: 0.5,
}

/** Ways of working change within a season: what was last seen 90 days ago counts half. */
const halfLifeMs = 90 * 24 * 60 * 60 * 1000

/**
 * Strength of an edge in [0, 1]: type * source * p * d, with the mean p of its success under a uniform prior (Laplace's
 * rule of succession) and the decay d since it was last seen. A template that nobody has seen has no age and does not
 * decay; an edge from a clock that is ahead of ours is as if seen now.
 */
export function edgeWeight(edge: Edge, now: number): number {
  const p = (edge.successes + 1) / (edge.count + 2)
  return typeWeight[edge.type] * sourceFactor[edge.source] * p * decay(edge.lastSeen, now)
}

function decay(lastSeen: number | undefined, now: number): number {
  if (lastSeen === undefined || lastSeen >= now) return 1
  return 0.5 ** ((now - lastSeen) / halfLifeMs)
}
