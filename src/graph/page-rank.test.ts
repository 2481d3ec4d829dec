import { expect, it } from 'vitest'
import type { Edge } from '../model/edge.js'
import { pageRank } from './page-rank.js'
import { dayMs, edge, graphOf, noon } from './test-graph.contract.js'

const rank = (edges: readonly Edge[]) => [...pageRank(graphOf(edges).weightedPairs().pairs)]

it('one edge: the surfer at its end starts anew anywhere', () => {
  // a = .075 + .425 b, a + b = 1: a = .5 / 1.425
  const [a, b] = rank([edge('a', 'b', 'sequence')])
  expect(a).toBeCloseTo(0.5 / 1.425, 8)
  expect(b).toBeCloseTo(1 - 0.5 / 1.425, 8)
})

it('out of a node, rank goes by weight', () => {
  // a -> b .9, a -> c .45, both back to a: a = .05 + .85 (b + c), so a = .9 / 1.85; b = .05 + .85 * 2/3 a
  const [a, b, c] = rank([
    edge('a', 'b', 'dependency'),
    edge('a', 'c', 'sequence'),
    edge('b', 'a', 'sequence'),
    edge('c', 'a', 'dependency'),
  ])
  expect(a).toBeCloseTo(0.9 / 1.85, 8)
  expect(b).toBeCloseTo(0.05 + (0.85 * (2 / 3) * 0.9) / 1.85, 8)
  expect(c).toBeCloseTo(0.05 + (0.85 * (1 / 3) * 0.9) / 1.85, 8)
})

it('adds up to 1, also where edges are too old to have any weight', () => {
  const gone = { lastSeen: noon - 1e6 * dayMs }
  const ranks = rank([edge('a', 'b', 'sequence', gone), edge('b', 'c', 'sequence')])
  expect(ranks.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 9)
  expect(rank([])).toEqual([])
})
