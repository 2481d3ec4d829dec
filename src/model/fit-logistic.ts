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
 * All outcomes at once, from the prior on: Newton's method, each step halved until the fit is better for it, as a whole step may lead away
 * from where it wants to go. P. McCullagh, J. Nelder: Generalized Linear Models, 1989, with a Gaussian prior.
 */
export function fitLogisticToAll(
  prior: readonly number[],
  outcomes: readonly Outcome[],
  { priorPrecision }: { readonly priorPrecision: number },
): readonly number[] {
  const misfit = (weights: readonly number[]): number =>
    outcomes.reduce(
      (sum, { features, success }) => {
        const expected = predictLogistic({ weights }, features)
        return sum - Math.log(Math.max(1e-12, success ? expected : 1 - expected))
      },
      weights.reduce((sum, weight, i) => sum + (priorPrecision / 2) * (weight - prior[i]!) ** 2, 0),
    )
  let weights = prior
  let now = misfit(weights)
  for (let step = 0; step < mostSteps; step++) {
    const by = newtonStep(weights, prior, outcomes, priorPrecision)
    let share = 1
    let next = weights
    let then = Number.POSITIVE_INFINITY
    while (share > leastShare && !(then < now)) {
      next = weights.map((weight, i) => weight + share * by[i]!)
      then = misfit(next)
      share /= 2
    }
    if (!(then < now)) return weights
    const isSettled = now - then < 1e-6
    ;[weights, now] = [next, then]
    if (isSettled) return weights
  }
  return weights
}

interface Outcome {
  readonly features: readonly number[]
  readonly success: boolean
}

/** A dozen are enough on a curve as smooth as this one. */
const mostSteps = 25
const leastShare = 1e-4

function newtonStep(
  weights: readonly number[],
  prior: readonly number[],
  outcomes: readonly Outcome[],
  priorPrecision: number,
): readonly number[] {
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
  return solve(precision, slope)
}

export interface LogisticFit {
  readonly weights: readonly number[]
  /** Symmetric, and above 0 in every direction: the prior's is. */
  readonly precision: readonly (readonly number[])[]
}

export function predictLogistic(
  { weights }: Pick<LogisticFit, 'weights'>,
  features: readonly number[],
): number {
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
