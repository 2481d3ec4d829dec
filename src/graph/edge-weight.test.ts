import { expect, it } from 'vitest'
import { edgeWeight } from './edge-weight.js'
import { dayMs, edge, noon } from './test-graph.contract.js'

const unseen = { source: 'template', count: 0, successes: 0 } as const

it.each([
  // type * source * p, by hand
  [edge('a', 'b', 'dependency', { count: 8, successes: 8 }), 1 * 1 * 0.9],
  [edge('a', 'b', 'contains', { count: 2, successes: 1, failures: 1 }), 0.8 * 1 * 0.5],
  [edge('a', 'b', 'provides', { source: 'inferred', count: 1 }), 0.7 * 0.7 * (2 / 3)],
  [edge('a', 'b', 'alternative', unseen), 0.6 * 0.5 * 0.5],
  [edge('a', 'b', 'sequence', { count: 3, successes: 0, failures: 3 }), 0.5 * 1 * 0.2],
])('is type * source * p', (one, expected) => {
  expect(edgeWeight(one, noon)).toBeCloseTo(expected, 12)
})

it('halves in 90 days, and again in the next 90', () => {
  const one = edge('a', 'b', 'dependency')
  expect(edgeWeight(one, noon + 90 * dayMs)).toBeCloseTo(0.45, 12)
  expect(edgeWeight(one, noon + 180 * dayMs)).toBeCloseTo(0.225, 12)
})

it('what nobody has seen has no age', () => {
  const { firstSeen: _, lastSeen: __, ...one } = edge('a', 'b', 'dependency', unseen)
  expect(edgeWeight(one, noon + 1_000 * dayMs)).toBe(0.25)
})

it('a clock that is ahead makes nothing stronger', () => {
  const one = edge('a', 'b', 'dependency', { lastSeen: noon + 900 * dayMs })
  expect(edgeWeight(one, noon)).toBeCloseTo(0.9, 12)
})
