/**
 * Holds the share of runs ahead of time that fail. A score says what it says: it may be over-confident, and know nothing of how often the tool
 * fails. Promises: scores become probabilities by how predictions went; the cut-off is the lowest from which on at least `useful` of them go
 * well; until enough was seen both are the cautious start.
 *
 *     p = sigmoid(w0 + w1 * logit(score) + w2 * logit(mean of Beta))        start: the score as it is
 *
 * J. Platt: Probabilistic outputs for support vector machines, 1999, with the tool's own rate beside the score.
 * Why it is needed: of what passes the table of DESIGN 9 by scores as they are, 14 to 49 % fails (bench/thresholds).
 */
import { z } from 'zod'
import { fitLogistic, type LogisticFit, predictLogistic } from '../../model/fit-logistic.js'
import type { Json } from '../../model/json.js'

export interface Prediction {
  readonly score: number
  /** Of the tool's Beta state when it was predicted: one that knows the outcome already would give it away. */
  readonly betaMean: number
}

export interface SpeculationGate {
  probability(prediction: Prediction): number
  cutoff(): number
  take(prediction: Prediction, success: boolean): void
  /** To be kept, and loaded by the next process. */
  state(): Json
  /** What is no state of this kind starts anew. */
  load(state: Json | undefined): void
}

export interface SpeculationGateOptions {
  /** Of what is run, the share that is to go well. */
  readonly useful: number
}

/** A hundredth above the .90 that must hold: the cut-off is found from what was seen, and is off by some tenths of a percent. */
export const usefulShare = 0.91

/** Rankers learn too, so what their scores mean changes: some 2,000 outcomes count for the curve, 1,000 for the cut-off. */
const keepCurve = 0.9995
const keepBins = 0.999
/** As much as some 200 outcomes at even odds. */
const priorPrecision = 50
const bins = 100
/** So many predicted outcomes stand beside the seen ones: a few of those prove nothing. */
const trustInCurve = 50

export function createSpeculationGate({ useful }: SpeculationGateOptions): SpeculationGate {
  let fit = start
  let seen = nothing()
  let good = nothing()
  let cutoff = findCutoff(seen, good, useful)

  return {
    probability: (prediction) => predictLogistic(fit, featuresOf(prediction)),
    cutoff: () => cutoff,
    take(prediction, success) {
      const features = featuresOf(prediction)
      const bin = Math.min(bins - 1, Math.floor(predictLogistic(fit, features) * bins))
      for (let i = 0; i < bins; i++) {
        seen[i]! *= keepBins
        good[i]! *= keepBins
      }
      seen[bin]! += 1
      good[bin]! += success ? 1 : 0
      fit = fitLogistic(fit, features, success, { keep: keepCurve, priorPrecision })
      cutoff = findCutoff(seen, good, useful)
    },
    state: () => ({ version: 1, fit, seen, good }) as unknown as Json,
    load(state) {
      const read = stateSchema.safeParse(state)
      fit = read.success ? read.data.fit : start
      seen = read.success ? read.data.seen : nothing()
      good = read.success ? read.data.good : nothing()
      cutoff = findCutoff(seen, good, useful)
    },
  }
}

const nothing = (): number[] => Array<number>(bins).fill(0)

const start: LogisticFit = {
  weights: [0, 1, 0],
  precision: [0, 1, 2].map((i) => [0, 1, 2].map((j) => (i === j ? priorPrecision : 0))),
}

/** No score is certain: beyond these, one outcome would weigh as much as a hundred others. */
function featuresOf({ score, betaMean }: Prediction): readonly number[] {
  return [1, logit(score), logit(betaMean)]
}

function logit(share: number): number {
  const held = Number.isFinite(share) ? Math.min(0.995, Math.max(0.005, share)) : 0.005
  return Math.log(held / (1 - held))
}

/** From the surest down, as long as all from there on go well often enough; where nothing was seen, the curve is believed. 1: nothing does. */
function findCutoff(seen: readonly number[], good: readonly number[], useful: number): number {
  let [count, successes, expected] = [0, 0, 0]
  let cutoff = 1
  for (let bin = bins - 1; bin >= 0; bin--) {
    count += seen[bin]!
    successes += good[bin]!
    expected += (seen[bin]! * (bin + 0.5)) / bins
    const share =
      count < 1e-6
        ? (bin + 0.5) / bins
        : (successes + (trustInCurve * expected) / count) / (count + trustInCurve)
    if (share < useful) return cutoff
    cutoff = bin / bins
  }
  return cutoff
}

const numbers = (length: number) => z.array(z.number().finite()).length(length)
const stateSchema = z.object({
  version: z.literal(1),
  fit: z.object({ weights: numbers(3), precision: z.array(numbers(3)).length(3) }),
  seen: z.array(z.number().min(0)).length(bins),
  good: z.array(z.number().min(0)).length(bins),
})
