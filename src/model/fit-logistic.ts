/**
 * One step of logistic regression, outcome by outcome: Newton's step with the curvature of all outcomes so far, where old ones fade and
 * the prior's share grows back. With nothing seen it is the prior.
 * L. Ljung, T. Söderström: Theory and Practice of Recursive Identification, 1983, with a forgetting factor.
 */
export function fitLogistic(
  fit: LogisticFit,
  features: readonly number[],
  success: boolean,
  { keep, priorPrecision }: { readonly keep: number; readonly priorPrecision: number },
): LogisticFit {
  const expected = predictLogistic(fit, features)
  const curvature = expected * (1 - expected)
  const precision = fit.precision.map((row, i) =>
    row.map(
      (value, j) =>
        keep * value + (i === j ? (1 - keep) * priorPrecision : 0) + curvature * features[i]! * features[j]!,
    ),
  )
  const error = (success ? 1 : 0) - expected
  const step = solve(
    precision,
    features.map((feature) => feature * error),
  )
  return { weights: fit.weights.map((weight, i) => weight + step[i]!), precision }
}

/**
 * All outcomes at once, from the prior on: Newton's method, which a dozen steps bring to its end on curves as smooth as this one.
 * P. McCullagh, J. Nelder: Generalized Linear Models, 1989, with a Gaussian prior.
 */
export function fitLogisticToAll(
  prior: readonly number[],
  outcomes: readonly { readonly features: readonly number[]; readonly success: boolean }[],
  { priorPrecision }: { readonly priorPrecision: number },
): readonly number[] {
  let weights = prior
  for (let step = 0; step < newtonSteps; step++) {
    const precision = prior.map((_, i) => prior.map((_, j) => (i === j ? priorPrecision : 0)))
    const slope = prior.map((value, i) => priorPrecision * (value - weights[i]!))
    for (const { features, success } of outcomes) {
      const expected = predictLogistic({ weights }, features)
      const curvature = expected * (1 - expected)
      for (let i = 0; i < features.length; i++) {
        const feature = features[i]!
        if (feature === 0) continue
        slope[i]! += ((success ? 1 : 0) - expected) * feature
        for (let j = 0; j < features.length; j++) precision[i]![j]! += curvature * feature * features[j]!
      }
    }
    const by = solve(precision, slope)
    weights = weights.map((weight, i) => weight + by[i]!)
  }
  return weights
}

const newtonSteps = 12

export interface LogisticFit {
  readonly weights: readonly number[]
  /** Symmetric, and above 0 in every direction: the prior's is. */
  readonly precision: readonly (readonly number[])[]
}

export function predictLogistic({ weights }: Pick<LogisticFit, 'weights'>, features: readonly number[]): number {
  return 1 / (1 + Math.exp(-weights.reduce((sum, weight, i) => sum + weight * features[i]!, 0)))
}

/** Gauss's elimination; no pivots are needed where the matrix is above 0 in every direction. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, i) => [...row, right[i]!])
  const size = rows.length
  for (let i = 0; i < size; i++)
    for (let k = i + 1; k < size; k++) {
      const factor = rows[k]![i]! / rows[i]![i]!
      for (let j = i; j <= size; j++) rows[k]![j]! -= factor * rows[i]![j]!
    }
  const solution = Array<number>(size).fill(0)
  for (let i = size - 1; i >= 0; i--) {
    let rest = rows[i]![size]!
    for (let j = i + 1; j < size; j++) rest -= rows[i]![j]! * solution[j]!
    solution[i] = rest / rows[i]![i]!
  }
  return solution
}
