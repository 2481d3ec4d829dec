import { expect, it } from 'vitest'
import type { Edge } from '../model/edge.js'
import { isPossibleEdge } from './is-possible-edge.js'
import { edge, id } from './test-graph.contract.js'

it('takes what can be true', () => {
  expect(isPossibleEdge(edge('a', 'b', 'sequence'))).toBe(true)
})

it.each([
  ['a self loop', { to: id('a') }],
  ['no name', { to: '' as Edge['to'] }],
  ['an unknown type', { type: 'toString' as Edge['type'] }],
  ['an unknown source', { source: 'guessed' as Edge['source'] }],
  ['a count that is none', { count: Number.NaN }],
  ['a negative count', { failures: -1 }],
  ['half a success', { successes: 0.5 }],
  ['more successes than observations', { successes: 9 }],
  ['no time', { lastSeen: Number.POSITIVE_INFINITY }],
])('refuses %s', (_, damage) => {
  expect(isPossibleEdge(edge('a', 'b', 'sequence', { count: 8, ...damage }))).toBe(false)
})
