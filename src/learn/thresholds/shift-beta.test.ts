import { expect, it } from 'vitest'
import type { BetaState } from '../../model/beta-state.js'
import { seededRandom } from '../../model/seeded-random.js'
import { betaMean, betaVariance } from './beta-moments.js'
import { shiftBeta } from './shift-beta.js'
import { type Outcome, shiftOf } from './shift-of.js'

const prior: BetaState = { alpha: 1, beta: 1, observations: 0, updatedAt: 0 }
const times = (count: number, success: boolean): Outcome[] =>
  Array.from({ length: count }, (_, at) => ({ success, at }))

it('no outcomes change nothing', () => {
  const state = { alpha: 3, beta: 2, observations: 4, updatedAt: 7 }
  expect(shiftBeta(state, shiftOf([]))).toEqual(state)
})

it('the first outcomes count almost whole', () => {
  expect(shiftBeta(prior, shiftOf([{ success: true, at: 5 }]))).toEqual({
    alpha: 2,
    beta: 1,
    observations: 1,
    updatedAt: 5,
  })
})

it('half of what was seen is forgotten after 15 outcomes', () => {
  const good = shiftBeta(prior, shiftOf(times(10, true)))
  const later = shiftBeta(good, shiftOf(times(15, false)))
  expect((later.alpha - 1) / (good.alpha - 1)).toBeCloseTo(0.5, 2)
})

it('several shifts one after the other are one shift of all outcomes', () => {
  const random = seededRandom(1)
  const outcomes = Array.from({ length: 90 }, (_, at) => ({ success: random() < 0.7, at }))
  let stepwise = prior
  for (const part of [outcomes.slice(0, 1), outcomes.slice(1, 40), [], outcomes.slice(40)])
    stepwise = shiftBeta(stepwise, shiftOf(part))
  const whole = shiftBeta(prior, shiftOf(outcomes))
  expect(stepwise.alpha).toBeCloseTo(whole.alpha, 9)
  expect(stepwise.beta).toBeCloseTo(whole.beta, 9)
  expect(stepwise.observations).toBe(90)
  expect(stepwise.updatedAt).toBe(89)
})

it('a tool that broke after 300 successes looks broken after 30 failures, and never falls below the prior', () => {
  const broken = shiftBeta(shiftBeta(prior, shiftOf(times(300, true))), shiftOf(times(30, false)))
  expect(betaMean(broken)).toBeLessThan(0.3)
  const long = shiftBeta(broken, shiftOf(times(5_000, false)))
  expect(long.alpha).toBeGreaterThanOrEqual(1)
  expect(long.beta).toBeLessThan(1 + 1 / (1 - 0.955))
  expect(long.observations).toBe(5_330)
})

it('mean and variance are those of the Beta distribution', () => {
  expect(betaMean({ alpha: 8, beta: 2 })).toBe(0.8)
  expect(betaVariance({ alpha: 8, beta: 2 })).toBeCloseTo(16 / 1_100, 12)
  expect(betaVariance({ alpha: 1, beta: 1 })).toBeCloseTo(1 / 12, 12)
})
