/**
 * A number drawn from Beta(alpha, beta), exactly: X / (X + Y) of two gamma variates, both shapes above 0.
 *
 * Gamma variates by squeezing a transformed normal: with d = shape - 1/3 and c = 1 / sqrt(9 d), d * (1 + c x)^3 is one where it is accepted,
 * some 98 times of 100. A shape below 1 is drawn one higher and multiplied by U^(1/shape). Kept as logarithms: of shapes near 0 both variates
 * would be 0 otherwise.
 * G. Marsaglia, W. W. Tsang: A simple method for generating gamma variables. ACM Transactions on Mathematical Software 26(3), 2000.
 */
export function sampleBeta(alpha: number, beta: number, random: () => number): number {
  const x = logGamma(alpha, random)
  const y = logGamma(beta, random)
  return 1 / (1 + Math.exp(y - x))
}

function logGamma(shape: number, random: () => number): number {
  if (shape < 1) return logGamma(shape + 1, random) + Math.log(aboveZero(random)) / shape
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normal(random)
    const v = (1 + c * x) ** 3
    if (v <= 0) continue
    const u = aboveZero(random)
    // The paper's quick squeeze saves logarithms only; this is the whole condition.
    if (Math.log(u) < 0.5 * x * x + d * (1 - v + Math.log(v))) return Math.log(d * v)
  }
}

/** G. E. P. Box, M. E. Muller: A note on the generation of random normal deviates, 1958. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(aboveZero(random))) * Math.cos(2 * Math.PI * random())
}

/** In (0, 1]: the logarithm of 0 is none. */
function aboveZero(random: () => number): number {
  return 1 - random()
}
