import { expect, it } from 'vitest'
import type { Edge } from '../model/edge.js'
import { seededRandom } from '../model/seeded-random.js'
import { louvain } from './louvain.js'
import { dayMs, edge, graphOf, noon, randomObservations } from './test-graph.contract.js'

const communities = (edges: readonly Edge[]) => [...louvain(graphOf(edges).weightedPairs().pairs)]
const ring = (names: string) =>
  [...names].map((name, i) => edge(name, names[(i + 1) % names.length]!, 'sequence'))

it('two rings with one edge between them are two communities', () => {
  expect(communities([...ring('abc'), ...ring('xyz'), edge('c', 'x', 'sequence')])).toEqual([
    0, 0, 0, 1, 1, 1,
  ])
})

it('weights decide: the same edges fall apart elsewhere', () => {
  // a square whose sides ab and cd are strong
  const weak = { count: 8, successes: 0, failures: 8 }
  const square = [
    edge('a', 'b', 'dependency'),
    edge('b', 'c', 'sequence', weak),
    edge('c', 'd', 'dependency'),
    edge('d', 'a', 'sequence', weak),
  ]
  expect(communities(square)).toEqual([0, 0, 1, 1])
})

it('the same graph gives the same communities, in whatever order its edges come', () => {
  const graph = graphOf([])
  graph.observe(randomObservations(seededRandom(7), 200, 40))
  const edges = graph.edges()
  expect(communities([...edges].reverse())).toEqual(communities(edges))
})

it('a graph without edges, or with edges too old to count, has a community for each node', () => {
  expect(communities([])).toEqual([])
  expect(communities([edge('a', 'b', 'sequence', { lastSeen: noon - 1e6 * dayMs })])).toEqual([0, 1])
})
