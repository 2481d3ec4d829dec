import { expect, it } from 'vitest'
import { createRanker, softmax } from './create-ranker.js'
import { leastWeights, mostWeights, placeOf, priorWeights, signalNames, signalPriors } from './signals.js'

const row = (values: Partial<Record<keyof typeof signalPriors, number>>) =>
  Float64Array.from(signalNames, (name) => values[name] ?? 0)

it('learns the sign of what tells, and leaves what never speaks at its prior', () => {
  const ranker = createRanker({ prior: priorWeights, least: leastWeights, most: mostWeights })
  const rows = [row({ repeat: 1 }), row({ session: 1 }), row({})]
  ranker.fit(Array.from({ length: 30 }, () => ({ rows, came: 1 })))
  expect(ranker.weights[placeOf.session]).toBeGreaterThan(0.5)
  expect(ranker.weights[placeOf.repeat]).toBeLessThan(0)
  expect(ranker.weights[placeOf.named]).toBe(signalPriors.named)
  expect(ranker.weights[placeOf.history]).toBe(signalPriors.history)
})

it('the fewer samples, the nearer to the prior', () => {
  const weightAfter = (count: number) => {
    const ranker = createRanker({ prior: priorWeights, least: leastWeights, most: mostWeights })
    ranker.fit(Array.from({ length: count }, () => ({ rows: [row({ session: 1 }), row({})], came: 0 })))
    return ranker.weights[placeOf.session]!
  }
  expect(weightAfter(2)).toBeGreaterThan(0)
  expect(weightAfter(2)).toBeLessThan(weightAfter(20))
  expect(weightAfter(20)).toBeLessThan(weightAfter(200))
})

it('large scores do not overflow', () => {
  expect([...softmax(Float64Array.of(1_000, 0))]).toEqual([1, 0])
})
