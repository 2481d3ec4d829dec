import { expect, it } from 'vitest'
import { adamicAdar } from './adamic-adar.js'
import type { KnowledgeGraph } from './knowledge-graph.js'
import { edge, graphOf, id } from './test-graph.contract.js'

// u -> w (.9), w -> v (.45); u <- x (.72), x -> v (.9); x -> y (.45), y alone beyond x
const graph = graphOf([
  edge('u', 'w', 'dependency'),
  edge('w', 'v', 'sequence'),
  edge('x', 'u', 'contains'),
  edge('x', 'v', 'dependency'),
  edge('x', 'y', 'sequence'),
])
const between = (where: KnowledgeGraph, u: string, v: string) => adamicAdar(where, [id(u)])(id(v))[0]

it('sums over common neighbours in either direction, less for those who know many', () => {
  expect(between(graph, 'u', 'v')).toBeCloseTo((0.9 * 0.45) / Math.log(3) + (0.72 * 0.9) / Math.log(4), 12)
  expect(between(graph, 'u', 'y')).toBeCloseTo((0.72 * 0.45) / Math.log(4), 12)
})

it('a direct edge is no common neighbour', () => {
  expect(between(graph, 'u', 'w')).toBe(0)
})

it('is the same from both sides', () => {
  expect(between(graph, 'v', 'u')).toBeCloseTo(between(graph, 'u', 'v')!, 12)
})

it('several sources are kept apart', () => {
  const sums = adamicAdar(graph, [id('u'), id('nobody'), id('v')])(id('y'))
  expect(sums).toEqual([between(graph, 'u', 'y'), 0, between(graph, 'v', 'y')])
})

it('several edges between two nodes count as one neighbour, by the strongest', () => {
  const twice = graphOf([
    edge('u', 'w', 'dependency'),
    edge('u', 'w', 'sequence'),
    edge('w', 'u', 'provides'),
    edge('w', 'v', 'sequence'),
  ])
  expect(between(twice, 'u', 'v')).toBeCloseTo((0.9 * 0.45) / Math.log(3), 12)
})
