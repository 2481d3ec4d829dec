/**
 * A softmax over candidates whose scores are sums of weight times signal: the conditional logit of D. McFadden, "Conditional
 * logit analysis of qualitative choice behavior", 1973. Learned by gradient steps, pulled towards the prior all the while, so that what
 * says nothing keeps the weight it came with.
 */
export interface Ranker {
  readonly weights: Float64Array
  /** One step towards the row that came. */
  learn(rows: readonly Float64Array[], came: number): void
  /** Several passes over all of them, from the prior on. */
  fit(samples: readonly Sample[]): void
  load(weights: readonly number[]): void
}

export interface Sample {
  readonly rows: readonly Float64Array[]
  readonly came: number
}

export interface RankerOptions {
  /** What each weight is before anything was learned, the least and the most that it may become; by place. */
  readonly prior: Float64Array
  readonly least: Float64Array
  readonly most: Float64Array
}

/** As much as three steps that the prior fits; from 1 to 30 the development sets move by .02 at most, one up and another down. */
const pull = 3
/** A step moves a weight by at most this times its signal: habits change in dozens of steps, not in one. */
const onlineRate = 0.02
/** There is no last step online: each pulls as one of a thousand. */
const onlineSteps = 1_000
/** After 40 the figures of the development sets stand still. */
const passes = 40
const fitRate = 0.1

export function createRanker({ prior, least, most }: RankerOptions): Ranker {
  const weights = prior.slice()
  const rank = (rows: readonly Float64Array[]) => softmax(Float64Array.from(rows, (row) => dot(weights, row)))

  const move = (at: number, by: number): void => {
    weights[at] = Math.min(most[at]!, Math.max(least[at]!, weights[at]! + by))
  }

  /** Which way the loss rises, for one step of so many. */
  const slope = ({ rows, came }: Sample, steps: number): Float64Array => {
    const p = rank(rows)
    const gradient = weights.map((weight, at) => (pull / steps) * (weight - prior[at]!))
    for (const [i, row] of rows.entries()) {
      const error = p[i]! - (i === came ? 1 : 0)
      for (let at = 0; at < row.length; at++) gradient[at]! += error * row[at]!
    }
    return gradient
  }

  return {
    weights,
    learn(rows, came) {
      const gradient = slope({ rows, came }, onlineSteps)
      for (let at = 0; at < weights.length; at++) move(at, -onlineRate * gradient[at]!)
    },
    /**
     * Steps shrink by what each weight has moved so far, and the mean of the later passes is taken. J. Duchi, E. Hazan, Y. Singer, "Adaptive
     * subgradient methods for online learning", JMLR 12, 2011.
     */
    fit(samples) {
      weights.set(prior)
      const moved = new Float64Array(weights.length).fill(1e-6)
      const sum = new Float64Array(weights.length)
      for (let pass = 0; pass < passes; pass++) {
        for (const sample of samples) {
          const gradient = slope(sample, samples.length)
          for (let at = 0; at < weights.length; at++) {
            moved[at]! += gradient[at]! ** 2
            move(at, (-fitRate * gradient[at]!) / Math.sqrt(moved[at]!))
          }
        }
        if (pass >= passes / 2) for (let at = 0; at < sum.length; at++) sum[at]! += weights[at]!
      }
      weights.set(sum.map((value) => value / (passes - passes / 2)))
    },
    load(given) {
      weights.set(given)
    },
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!
  return sum
}

export function softmax(scores: Float64Array): Float64Array {
  const top = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const odds = scores.map((score) => Math.exp(score - top))
  const all = odds.reduce((a, b) => a + b, 0)
  return odds.map((value) => value / all)
}
