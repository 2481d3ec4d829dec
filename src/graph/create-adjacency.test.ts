import { expect, it } from 'vitest'
import { createAdjacency } from './create-adjacency.js'
import { edge, id } from './test-graph.contract.js'

it('counts nodes, pairs, distinct neighbours and observations as edges come and go', () => {
  const adjacency = createAdjacency()
  const degrees = () => ['a', 'b', 'c'].map((name) => adjacency.node(id(name))?.degree)
  expect(adjacency.add(edge('a', 'b', 'sequence'))).toBe(true)
  expect(adjacency.add(edge('a', 'b', 'sequence', { count: 1 }))).toBe(false)
  adjacency.put(edge('a', 'b', 'provides'))
  adjacency.put(edge('b', 'a', 'sequence'))
  adjacency.put(edge('c', 'a', 'sequence'))
  expect([adjacency.order, adjacency.pairs, degrees()]).toEqual([3, 3, [2, 1, 1]])
  adjacency.put(edge('a', 'b', 'provides', { count: 9 }))
  expect(adjacency.node(id('a'))?.observations).toBe(8 + 9 + 8 + 8)

  adjacency.remove(edge('a', 'b', 'sequence'))
  adjacency.remove(edge('a', 'b', 'alternative'))
  expect([adjacency.order, adjacency.pairs, degrees()]).toEqual([3, 3, [2, 1, 1]])
  adjacency.remove(edge('a', 'b', 'provides'))
  expect([adjacency.order, adjacency.pairs, degrees()]).toEqual([3, 2, [2, 1, 1]])
  adjacency.remove(edge('b', 'a', 'sequence'))
  expect([adjacency.order, adjacency.pairs, degrees()]).toEqual([2, 1, [1, undefined, 1]])
  expect(adjacency.edges()).toEqual([edge('c', 'a', 'sequence')])
})

it('what changes at a node is seen by its version', () => {
  const adjacency = createAdjacency()
  adjacency.put(edge('a', 'b', 'sequence'))
  const before = adjacency.node(id('a'))!.version
  adjacency.put(edge('a', 'b', 'sequence', { count: 9 }))
  expect(adjacency.node(id('a'))!.version).toBeGreaterThan(before)
})
