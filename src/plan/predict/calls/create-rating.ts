/**
 * The probability that a proposed call is made within the next three calls. Two steps: what speaks for it (a logistic curve over its features), then
 * what came of predictions like it: in each cell (its tool and source; the same after this tool) those that were used, against those that were
 * expected. Where nothing came yet the second step changes nothing.
 *
 *     p = sigmoid(a + b * logit(base) + sum of c_i * log((used_i + 5) / (expected_i + 5)))
 */
import { z } from 'zod'
import { fitLogisticToAll, predictLogistic } from '../../../model/fit-logistic.js'
import type { CallWeights, RatedOutcome } from './call-predictor.js'
import { logit, type RatedCall, ratingNames } from './rate-call.js'

export interface Rating {
  probability(call: RatedCall): number
  /** Of a tool, with whatever arguments, by its likelihood of being next. */
  toolProbability(next: number): number
  learn(outcome: RatedOutcome): void
  /** From the prior on; cells are counted anew. */
  fit(outcomes: readonly RatedOutcome[]): void
  takeWeights(weights: Pick<CallWeights, 'base' | 'ledger'>): void
  weights(): Pick<CallWeights, 'base' | 'ledger'>
  state(): RatingState
  load(state: RatingState): void
}

const ledgerNames = ['bias', 'base', 'source', 'after', 'kind'] as const

/** So many uses and expectations stand beside those that were counted. */
const trustInBase = 5
/** A cell that is full keeps so much of the old with each outcome: some hundred of them count. */
const keep = 0.99
const mostCells = 5_000
/** As much as so many outcomes at even odds, a dozen: what says nothing in hundreds stays as it was. */
const priorPrecision = 3
/** A step moves a weight by at most this times its feature: dozens of outcomes, not one. */
const learningRate = 0.01

export function createRating(prior: Pick<CallWeights, 'base' | 'ledger'>): Rating {
  const priorBase = ratingNames.map((name) => prior.base[name] ?? 0)
  const priorLedger = ledgerNames.map((name) => prior.ledger[name] ?? 0)
  let base: readonly number[] = priorBase
  let ledger: readonly number[] = priorLedger
  /** The one that was counted last is the last. */
  const cells = new Map<string, { used: number; expected: number }>()

  const baseOf = ({ features }: RatedCall): number => predictLogistic({ weights: base }, features)
  const ledgerFeatures = (call: RatedCall): readonly number[] => [
    1,
    logit(baseOf(call)),
    ...call.cells.map((name) => {
      const { used, expected } = cells.get(name) ?? { used: 0, expected: 0 }
      return Math.log((used + trustInBase) / (expected + trustInBase))
    }),
  ]
  const countCells = (call: RatedCall, used: boolean): void => {
    const expected = baseOf(call)
    for (const name of call.cells) {
      const known = cells.get(name) ?? { used: 0, expected: 0 }
      cells.delete(name)
      cells.set(name, {
        used: known.used * keep + (used ? 1 : 0),
        expected: known.expected * keep + expected,
      })
      if (cells.size > mostCells) cells.delete(cells.keys().next().value!)
    }
  }

  return {
    probability: (call) => predictLogistic({ weights: ledger }, ledgerFeatures(call)),
    toolProbability: (next) => predictLogistic({ weights: toolWeights }, [1, logit(next)]),
    learn({ call, used }) {
      const features = ledgerFeatures(call)
      ledger = stepped(ledger, features, used)
      countCells(call, used)
      base = stepped(base, call.features, used)
    },
    fit(outcomes) {
      base = fitLogisticToAll(
        priorBase,
        outcomes.map(({ call, used }) => ({ features: call.features, success: used })),
        { priorPrecision },
      )
      cells.clear()
      // Each is judged by those before it; the first quarter has too few.
      const judged = outcomes.map(({ call, used }) => {
        const features = ledgerFeatures(call)
        countCells(call, used)
        return { features, success: used }
      })
      ledger = fitLogisticToAll(priorLedger, judged.slice(Math.floor(judged.length / 4)), { priorPrecision })
    },
    takeWeights(weights) {
      base = ratingNames.map((name) => weights.base[name] ?? 0)
      ledger = ledgerNames.map((name) => weights.ledger[name] ?? 0)
    },
    weights: () => ({ base: named(ratingNames, base), ledger: named(ledgerNames, ledger) }),
    state: () => ({
      base: [...base],
      ledger: [...ledger],
      cells: [...cells].map(([name, { used, expected }]) => [name, used, expected]),
    }),
    load(state) {
      base = state.base
      ledger = state.ledger
      cells.clear()
      for (const [name, used, expected] of state.cells.slice(-mostCells)) cells.set(name, { used, expected })
    },
  }
}

/** One step down the slope. */
function stepped(
  weights: readonly number[],
  features: readonly number[],
  success: boolean,
): readonly number[] {
  const error = (success ? 1 : 0) - predictLogistic({ weights }, features)
  return weights.map((weight, at) => weight + learningRate * error * features[at]!)
}

function named(names: readonly string[], values: readonly number[]): Readonly<Record<string, number>> {
  return Object.fromEntries(names.map((name, at) => [name, values[at]!]))
}

/** Of a tool that is the next with .5, two thirds of the time it is among the next three: fitted on sessions of the development set. */
const toolWeights = [0.71, 0.89]

/** Far beyond what is learned: further out, sums would be no numbers any more. */
const weight = z.number().min(-1_000).max(1_000)
const sum = z.number().finite().min(0)

export const ratingState = z.object({
  base: z.array(weight).length(ratingNames.length),
  ledger: z.array(weight).length(ledgerNames.length),
  cells: z.array(z.tuple([z.string(), sum, sum])),
})

export type RatingState = z.output<typeof ratingState>
