import type { Edge, EdgeSource } from '../model/edge.js'

/**
 * What is known of an edge after it was seen once more: a template becomes `inferred` at the first observation, and
 * `inferred` becomes `observed` after as many as its surroundings ask for: 2 where structure is trusted (mean alpha of
 * the two ends .5) up to 5 where nothing is known of them (1). Sources only go up.
 *
 * `meanAlpha` is asked for only where it decides: it costs a look at all neighbours.
 */
export function promoteEdge(edge: Edge, meanAlpha: () => number): EdgeSource {
  if (edge.source === 'observed' || edge.count === 0) return edge.source
  if (edge.count < fewest) return 'inferred'
  if (edge.count >= most) return 'observed'
  return edge.count >= neededObservations(meanAlpha()) ? 'observed' : 'inferred'
}

const fewest = 2
const most = 5

export function neededObservations(meanAlpha: number): number {
  // Without the margin, noise in the last digit of a mean would ask for one observation more.
  return fewest + Math.ceil((meanAlpha - 0.5) * 6 - 1e-9)
}
