import { expect, it } from 'vitest'
import type { Risk } from '../../model/risk.js'
import { seededRandom } from '../../model/seeded-random.js'
import type { ThresholdMode } from '../../model/threshold.js'
import { type ThresholdParts, thresholdOf } from './threshold-of.js'

const unseen: Omit<ThresholdParts, 'mode' | 'risk'> = {
  beta: { alpha: 1, beta: 1, observations: 0 },
  alpha: 1,
  totalObservations: 0,
  toolObservations: 0,
  episodes: { count: 0, successRate: 0 },
  random: seededRandom(1),
}
const of = (mode: ThresholdMode, risk: Risk, parts: Partial<ThresholdParts> = {}) =>
  thresholdOf({ ...unseen, mode, risk, ...parts })
const good = { alpha: 21, beta: 1, observations: 60 }
const modes = ['active_search', 'passive_suggestion', 'speculation'] as const

it('a search asks less of what was seldom tried', () => {
  expect(of('active_search', 'safe').value).toBeCloseTo(0.4625, 12)
  expect(
    of('active_search', 'safe', { totalObservations: 1_000, toolObservations: 2 }).breakdown.successTerm,
  ).toBeCloseTo(-0.15, 12)
  expect(
    of('active_search', 'moderate', { totalObservations: 1_000, toolObservations: 500, alpha: 0.75 }).value,
  ).toBeCloseTo(0.6 - 0.05 * Math.sqrt((2 * Math.log(1_000)) / 500), 12)
})

it('a suggestion draws how well the tool does', () => {
  const { value, breakdown } = of('passive_suggestion', 'moderate', { beta: good })
  expect(breakdown.sample).toBeGreaterThan(0.7)
  expect(value).toBeCloseTo(0.7 + 0.1 * (0.75 - breakdown.sample!) + 0.025, 12)
})

it('running ahead goes by the mean, and draws nothing', () => {
  const { value, breakdown } = of('speculation', 'moderate', { beta: good, alpha: 0.75 })
  expect(value).toBeCloseTo(0.75 + 0.15 * (0.75 - 21 / 22), 12)
  expect(breakdown).not.toHaveProperty('sample')
})

it('similar situations that went well lower it', () => {
  const { value, breakdown } = of('speculation', 'moderate', { episodes: { count: 40, successRate: 0.9 } })
  expect(breakdown.episodicBoost).toBeCloseTo(0.1, 12)
  expect(value).toBeCloseTo(0.75 + 0.0375 + 0.0375 - 0.1, 12)
})

it('the value is the sum of its parts, held within the bounds it names', () => {
  for (const threshold of samples(2_000)) {
    const { base, successTerm, alphaTerm, episodicBoost, sum, bounds } = threshold.breakdown
    expect(sum).toBeCloseTo(base + successTerm + alphaTerm - episodicBoost, 12)
    expect(threshold.value).toBe(Math.min(bounds[1], Math.max(bounds[0], sum)))
  }
})

it('dangerous is never below .80 in any mode, whatever was learned', () => {
  for (const { value, breakdown } of samples(5_000))
    if (breakdown.risk === 'dangerous') expect(value).toBeGreaterThanOrEqual(0.8)
})

it.each([
  ['active_search', 0.4, 0.85],
  ['passive_suggestion', 0.5, 0.9],
  ['speculation', 0.6, 0.95],
] as const)('%s stays within %d and %d', (mode, low, high) => {
  const values = samples(5_000)
    .filter(({ breakdown }) => breakdown.mode === mode)
    .map(({ value }) => value)
  expect(Math.min(...values)).toBe(low)
  expect(Math.max(...values)).toBeLessThanOrEqual(high)
})

it('a cold-start moderate suggestion is .75 in expectation', () => {
  const values = Array.from({ length: 20_000 }, () => of('passive_suggestion', 'moderate').value)
  expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(0.75, 3)
})

it('an alpha that is none is "nothing known"', () => {
  expect(of('speculation', 'safe', { alpha: Number.NaN })).toEqual(of('speculation', 'safe', { alpha: 1 }))
  expect(of('speculation', 'safe', { alpha: -3 }).breakdown.alpha).toBe(0.5)
})

function samples(count: number) {
  const random = seededRandom(9)
  return Array.from({ length: count }, (_, i) => {
    const observations = Math.floor(random() * 500)
    return of(modes[i % 3]!, (['safe', 'moderate', 'dangerous'] as const)[Math.floor(random() * 3)]!, {
      beta: { alpha: 1 + random() * 22, beta: 1 + random() * 22 * (i % 2), observations },
      alpha: 0.5 + random() / 2,
      totalObservations: observations * 20,
      toolObservations: observations,
      episodes: { count: Math.floor(random() * 40), successRate: random() },
      random,
    })
  })
}
