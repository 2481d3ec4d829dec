import { expect, it } from 'vitest'
import type { AdaptiveThreshold, PlanOutcome } from '../../model/adaptive-threshold.js'
import { seededRandom } from '../../model/seeded-random.js'
import { adaptThreshold, holdWithin, startOf } from './adapt-threshold.js'

const after = (outcomes: readonly PlanOutcome[], from = startOf('read|files|1')): AdaptiveThreshold =>
  outcomes.reduce((state, outcome, at) => adaptThreshold(state, outcome, at), from)
const times = (count: number, outcome: PlanOutcome): PlanOutcome[] => Array(count).fill(outcome)

it('starts at .70 and .92', () => {
  expect(startOf('c')).toMatchObject({ suggest: 0.7, execute: 0.92, outcomes: 0 })
})

it('nothing moves before the twentieth outcome', () => {
  expect(after(times(19, 'false-positive'))).toMatchObject({ suggest: 0.7, execute: 0.92 })
  expect(after(times(20, 'false-positive')).suggest).toBeCloseTo(0.75, 12)
})

it('it is looked at again at every tenth outcome only', () => {
  const at20 = after(times(20, 'false-positive'))
  const at29 = after(times(9, 'false-positive'), at20)
  expect(at29.suggest).toBe(at20.suggest)
  expect(after(times(1, 'false-positive'), at29).suggest).toBeCloseTo(0.8, 12)
})

it('false positives raise by .05 times their share, a fifth is still borne', () => {
  expect(after([...times(5, 'false-positive'), ...times(15, 'true-positive')]).suggest).toBeCloseTo(
    0.7125,
    12,
  )
  expect(after([...times(4, 'false-positive'), ...times(16, 'true-positive')]).suggest).toBe(0.7)
})

it('false negatives lower by .05 times their share, .3 is still borne', () => {
  const lowered = after([...times(8, 'false-negative'), ...times(12, 'true-positive')])
  expect(lowered.suggest).toBeCloseTo(0.68, 12)
  expect(lowered.execute).toBeCloseTo(0.9, 12)
  expect(after([...times(6, 'false-negative'), ...times(14, 'true-positive')]).suggest).toBe(0.7)
})

it('nothing is lowered while less than .85 of what was run went well', () => {
  const mixed = (failed: number) =>
    after([
      ...times(8, 'false-negative'),
      ...times(failed, 'false-positive'),
      ...times(12 - failed, 'true-positive'),
    ])
  expect(mixed(2).suggest).toBe(0.7)
  expect(mixed(1).suggest).toBeCloseTo(0.68, 12)
})

it('where both are too many, it is raised', () => {
  expect(after([...times(10, 'false-negative'), ...times(10, 'false-positive')]).suggest).toBeGreaterThan(0.7)
})

it('only the newest 50 count', () => {
  const state = after([...times(60, 'false-positive'), ...times(50, 'true-positive')])
  expect(state.window).toHaveLength(50)
  expect(state.outcomes).toBe(110)
  expect(after(times(10, 'true-positive'), state).suggest).toBe(state.suggest)
})

it('whatever comes, both stay within their bounds and .05 apart', () => {
  const kinds = ['true-positive', 'false-positive', 'false-negative', 'true-negative'] as const
  for (let seed = 1; seed <= 20; seed++) {
    const random = seededRandom(seed)
    let state = startOf('c')
    for (let at = 0; at < 600; at++) {
      const liked = kinds[Math.floor(at / 150) % 4]!
      state = adaptThreshold(state, random() < 0.6 ? liked : kinds[Math.floor(random() * 4)]!, at)
      expect(state.suggest).toBeGreaterThanOrEqual(0.4)
      expect(state.suggest).toBeLessThanOrEqual(0.9)
      expect(state.execute).toBeGreaterThanOrEqual(0.85)
      expect(state.execute).toBeLessThanOrEqual(0.95)
      expect(state.execute - state.suggest).toBeGreaterThanOrEqual(0.05 - 1e-12)
    }
  }
  expect(after(times(500, 'false-positive'))).toMatchObject({ execute: 0.95 })
  expect(after(times(500, 'false-negative'))).toMatchObject({ suggest: 0.4, execute: 0.85 })
})

it('what was stored and is out of bounds, or no number, is held within them', () => {
  expect(holdWithin({ suggest: 0.1, execute: 2 })).toEqual({ suggest: 0.4, execute: 0.95 })
  expect(holdWithin({ suggest: Number.NaN, execute: Number.NaN })).toEqual({ suggest: 0.7, execute: 0.92 })
  expect(holdWithin({ suggest: 0.9, execute: 0.9 }).suggest).toBeCloseTo(0.85, 12)
})
