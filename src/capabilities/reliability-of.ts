/** How a success rate bears on a match: one that mostly fails is as good as gone, one that nearly never does is lifted. */
export function reliabilityOf(successes: number, uses: number): Reliability {
  const rate = successRate(successes, uses)
  return { rate, factor: rate < 0.5 ? 0.1 : rate > 0.9 ? highestFactor : 1 }
}

export const highestFactor = 1.2

export interface Reliability {
  /** In (0, 1). */
  readonly rate: number
  readonly factor: number
}

/** The mean of Beta(1 + successes, 1 + failures): one success is not certainty. */
export function successRate(successes: number, count: number): number {
  return (successes + 1) / (count + 2)
}
