export interface BetaParameters {
  readonly alpha: number
  readonly beta: number
}

export function betaMean({ alpha, beta }: BetaParameters): number {
  return alpha / (alpha + beta)
}

export function betaVariance({ alpha, beta }: BetaParameters): number {
  return (alpha * beta) / ((alpha + beta) ** 2 * (alpha + beta + 1))
}
