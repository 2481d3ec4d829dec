import { expect, it } from 'vitest'
import { edge, graphOf, id } from './test-graph.contract.js'

const edges = [
  edge('c', 'a', 'dependency'),
  edge('a', 'c', 'sequence'),
  edge('a', 'b', 'sequence'),
  edge('a', 'b', 'provides'),
]

it('each ordered pair stands once, with its strongest edge, in order', () => {
  const { nodes, pairs } = graphOf(edges).weightedPairs()
  expect(nodes).toEqual([id('a'), id('b'), id('c')])
  expect([[...pairs.from], [...pairs.to]]).toEqual([
    [0, 0, 2],
    [1, 2, 0],
  ])
  expect([...pairs.weight].map((weight) => weight.toFixed(2))).toEqual(['0.63', '0.45', '0.90'])
})

it('edges in any order give the same, and none give nothing', () => {
  expect(graphOf([...edges].reverse()).weightedPairs()).toEqual(graphOf(edges).weightedPairs())
  expect(graphOf([]).weightedPairs().pairs.order).toBe(0)
})
