/**
 * How far meaning is trusted over structure at one node, in [.5, 1]: 1 is meaning alone, where nothing was ever seen.
 *
 *     alpha = max(.5, 1 - .5 * c * n / (n + 5))
 *
 * with the observations n of the node and a confidence c in [0, 1] in the structure around it. n / (n + 5) is the continuous
 * form of "from 5 observations on", so no single observation makes a jump.
 */
export function localAlpha(confidence: number, observations: number): number {
  return Math.max(0.5, 1 - (0.5 * confidence * observations) / (observations + 5))
}

/**
 * Confidence of active search: do structure and meaning agree around the node? Over its m neighbours, Pearson's r between
 * cosine and edge weight (r is the same whether or not weights are normalised by the largest), as
 *
 *     c = (m - 1) / (m + 1) * (r + 1) / 2
 *
 * None or one neighbour gives 0: no agreement can be seen. Where all weights or all cosines are the same, as between
 * templates that nobody has seen, there is nothing to agree on either way and r = 0.
 */
export function coherence(points: readonly Agreement[]): number {
  const m = points.length
  return m < 2 ? 0 : (((m - 1) / (m + 1)) * (pearson(points) + 1)) / 2
}

export interface Agreement {
  readonly cosine: number
  readonly weight: number
}

function pearson(points: readonly Agreement[]): number {
  const meanCosine = points.reduce((sum, { cosine }) => sum + cosine, 0) / points.length
  const meanWeight = points.reduce((sum, { weight }) => sum + weight, 0) / points.length
  let covariance = 0
  let cosines = 0
  let weights = 0
  for (const { cosine, weight } of points) {
    covariance += (cosine - meanCosine) * (weight - meanWeight)
    cosines += (cosine - meanCosine) ** 2
    weights += (weight - meanWeight) ** 2
  }
  // Weights relative to themselves: old ones are tiny all together and may still differ.
  const flat = cosines <= noise * points.length || weights <= noise * points.length * meanWeight ** 2
  if (flat) return 0
  return Math.min(1, Math.max(-1, covariance / (Math.sqrt(cosines) * Math.sqrt(weights))))
}

/** Differences below a millionth are rounding. */
const noise = 1e-12
