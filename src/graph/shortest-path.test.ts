import { describe, expect, it } from 'vitest'
import type { Edge, EdgeType, NodeId } from '../model/edge.js'
import { seededRandom } from '../model/seeded-random.js'
import type { KnowledgeGraph } from './knowledge-graph.js'
import { orderTypes, shortestPath } from './shortest-path.js'
import { edge, edgeTypes, graphOf, id, randomObservations } from './test-graph.contract.js'

const path = (graph: KnowledgeGraph, from: string, to: string, types: ReadonlySet<EdgeType> = orderTypes) =>
  shortestPath(graph, { from: id(from), to: id(to), types })
const names = (edges: readonly Edge[] | undefined) =>
  edges?.map(({ from, to }) => `${from.at(-1)}${to.at(-1)}`)

it('takes a detour that is cheaper than the direct edge', () => {
  // direct: sequence, never a success: .5 * .1; detour: two dependencies of .9
  const graph = graphOf([
    edge('a', 'c', 'sequence', { count: 8, successes: 0, failures: 8 }),
    edge('a', 'b', 'dependency'),
    edge('b', 'c', 'dependency'),
  ])
  const found = path(graph, 'a', 'c')
  expect(names(found?.edges)).toEqual(['ab', 'bc'])
  expect(found?.cost).toBeCloseTo(2 / 0.9, 12)
})

it('the cheapest of at most three hops, though a longer one is cheaper still', () => {
  // a-b-c-d-e costs 4 / .9 = 4.4; a-x-e costs 2 / .05 = 40
  const weak = { count: 8, successes: 0, failures: 8 }
  const graph = graphOf([
    ...['ab', 'bc', 'cd', 'de'].map((pair) => edge(pair[0]!, pair[1]!, 'dependency')),
    edge('a', 'x', 'sequence', weak),
    edge('x', 'e', 'sequence', weak),
  ])
  expect(names(path(graph, 'a', 'e')?.edges)).toEqual(['ax', 'xe'])
  expect(names(path(graph, 'a', 'd')?.edges)).toEqual(['ab', 'bc', 'cd'])
})

it('a node that is cheap to reach late does not hide the early way to it', () => {
  // to c in one hop costs 20, in two 2.2; but only the one-hop way leaves two hops for c-d-e
  const graph = graphOf([
    edge('a', 'c', 'sequence', { count: 8, successes: 0, failures: 8 }),
    ...['ab', 'bc', 'cd', 'de'].map((pair) => edge(pair[0]!, pair[1]!, 'dependency')),
  ])
  expect(names(path(graph, 'a', 'e')?.edges)).toEqual(['ac', 'cd', 'de'])
})

it('there is none against the arrows, beyond three hops, from a node to itself, or along other types', () => {
  const graph = graphOf(
    ['ab', 'bc', 'cd', 'de']
      .map((pair) => edge(pair[0]!, pair[1]!, 'dependency'))
      .concat(edge('a', 'z', 'alternative')),
  )
  expect(path(graph, 'b', 'a')).toBeUndefined()
  expect(path(graph, 'a', 'e')).toBeUndefined()
  expect(path(graph, 'a', 'a')).toBeUndefined()
  expect(path(graph, 'a', 'nobody')).toBeUndefined()
  expect(path(graph, 'a', 'z')).toBeUndefined()
  expect(names(path(graph, 'a', 'z', new Set(['alternative']))?.edges)).toEqual(['az'])
})

describe('is what trying all paths finds', () => {
  it.each([1, 2, 3, 4])('seed %i', (seed) => {
    const graph = graphOf([])
    graph.observe(randomObservations(seededRandom(seed), 60))
    const types = new Set(edgeTypes)
    const cheapest = (from: NodeId, to: NodeId, hops: number): number =>
      from === to
        ? 0
        : hops === 0
          ? Number.POSITIVE_INFINITY
          : Math.min(
              Number.POSITIVE_INFINITY,
              ...graph
                .outgoing(from)
                .map(({ edge: one, weight }) => 1 / weight + cheapest(one.to, to, hops - 1)),
            )
    for (let i = 0; i < 12; i++)
      for (let j = 0; j < 12; j++) {
        if (i === j) continue
        const found = path(graph, `t${i}`, `t${j}`, types)
        const cost = cheapest(id(`t${i}`), id(`t${j}`), 3)
        expect(found?.cost ?? Number.POSITIVE_INFINITY).toBeCloseTo(cost, 9)
        expect(found?.edges.length ?? 0).toBeLessThanOrEqual(3)
      }
  })
})
