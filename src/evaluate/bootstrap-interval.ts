export type Interval = readonly [low: number, high: number]

/** As many as usual: the ends of the interval then move by some hundredth of its width from seed to seed. */
const resamples = 1_000

/**
 * Where the mean would lie in 95 of 100 sets like this one: means of values drawn from these with replacement, without the
 * 2.5 % at either end. B. Efron, "Bootstrap methods: another look at the jackknife", Annals of Statistics 7(1), 1979.
 */
export function bootstrapInterval(values: readonly number[], random: () => number): Interval {
  if (values.length === 0) return [0, 0]
  const means = Array.from({ length: resamples }, () => {
    let sum = 0
    for (let i = 0; i < values.length; i++) sum += values[Math.floor(random() * values.length)]!
    return sum / values.length
  }).sort((a, b) => a - b)
  return [means[Math.floor(resamples * 0.025)]!, means[Math.ceil(resamples * 0.975) - 1]!]
}
