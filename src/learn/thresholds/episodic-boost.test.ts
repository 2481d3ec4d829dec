import { expect, it } from 'vitest'
import { episodicBoost } from './episodic-boost.js'

it.each([
  [2, 1, 0],
  [3, 1, 0.0225],
  [20, 1, 0.15],
  [200, 1, 0.15],
  [20, 0.9, 0.1],
  [10, 0.9, 0.05],
  [50, 0.7, 0],
  [50, 0.6, 0],
  [50, 0.5, 0],
  [20, 0.3, -0.08],
  [20, 0.25, -0.1],
  [50, 0, -0.1],
  [0, 0, 0],
])('%i episodes with a rate of %d move it by %d', (count, successRate, boost) => {
  expect(episodicBoost({ count, successRate })).toBeCloseTo(boost, 12)
})
