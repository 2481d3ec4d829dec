import type { SimilarEpisodes } from '../../model/episode.js'

/**
 * How much lower a threshold may be by what came of similar situations, in [-.10, +.15]: from 3 of them on, whole from 20 on.
 * Between .5 and .7 they say nothing (DESIGN 9).
 */
export function episodicBoost({ count, successRate }: SimilarEpisodes): number {
  if (count < fewestEpisodes) return 0
  const trust = Math.min(1, count / 20)
  if (successRate > 0.7) return Math.min(0.15, (successRate - 0.7) * 0.5 * trust)
  if (successRate < 0.5) return Math.max(-0.1, (successRate - 0.5) * 0.4 * trust)
  return 0
}

export const fewestEpisodes = 3
