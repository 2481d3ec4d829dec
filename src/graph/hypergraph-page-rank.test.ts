import { expect, it } from 'vitest'
import { seededRandom } from '../model/seeded-random.js'
import { hypergraphPageRank } from './hypergraph-page-rank.js'
import { id } from './test-graph.contract.js'

/** `P: 'ab'` is a capability P with the tools a and b. */
const rankOf = (
  names: string,
  capabilities: Readonly<Record<string, string>>,
  edges: readonly (readonly [string, string, number])[] = [],
) => {
  const ranks = hypergraphPageRank({
    nodes: [...names].map(id),
    memberships: Object.entries(capabilities).flatMap(([name, tools]) =>
      [...tools].map((tool) => ({ capability: id(name), tool: id(tool) })),
    ),
    edges: edges.map(([from, to, weight]) => ({ from: id(from), to: id(to), weight })),
  })
  return [...names].map((name) => ranks.get(id(name))!)
}
const close = (ranks: readonly number[], expected: readonly number[]) => {
  for (const [i, rank] of ranks.entries()) expect(rank).toBeCloseTo(expected[i]!, 7)
}

it('one capability: it and its tools are worth the same', () => {
  close(rankOf('Pab', { P: 'ab' }), [1 / 3, 1 / 3, 1 / 3])
})

it('a tool in two capabilities is worth more', () => {
  // P = {P, a}, Q = {Q, a}: p = .05 + .85 (p/2 + a/4), q the same, a = 1 - 2p: p (1 - .425 + .425) = .05 + .2125
  const p = 0.2625
  close(rankOf('PQa', { P: 'a', Q: 'a' }), [p, p, 1 - 2 * p])
})

it('rank follows a directed edge, against the hyperedges by its weight', () => {
  // P = {P, a}, P -> Q with weight 3, Q = {Q, b}: a quarter of P's steps stay in its hyperedge.
  // p = .0375 + .85 (p/8 + a/2) = a, so p = .0375 / (1 - .85 * 5/8); q = b + .85 * 3/4 p, and all add up to 1.
  const p = 0.0375 / (1 - 0.85 * 0.625)
  const b = (1 - 2 * p - 0.6375 * p) / 2
  close(rankOf('PaQb', { P: 'a', Q: 'b' }, [['P', 'Q', 3]]), [p, p, b + 0.6375 * p, b])
})

it('where nothing leads on, the walker starts anew anywhere', () => {
  // As in plain PageRank: a = .075 + .425 b, a + b = 1.
  close(rankOf('ab', {}, [['a', 'b', 0.2]]), [0.5 / 1.425, 1 - 0.5 / 1.425])
  close(rankOf('abcd', {}), [0.25, 0.25, 0.25, 0.25])
  expect(rankOf('', {})).toEqual([])
})

it('what is not among the nodes, said twice, or of no weight changes nothing', () => {
  const plain = rankOf('PQabc', { P: 'ab', Q: 'bc' }, [['P', 'Q', 1]])
  expect(
    rankOf('PQabc', { P: 'abaz', Q: 'bc', Z: 'ab' }, [
      ['P', 'Q', 1],
      ['P', 'z', 5],
      ['z', 'P', 5],
      ['Q', 'P', 0],
      ['Q', 'P', Number.NaN],
    ]),
  ).toEqual(plain)
})

it('adds up to 1, and is the same in every bit for the same input', () => {
  const random = seededRandom(4)
  const below = (most: number) => Math.floor(random() * most)
  const nodes = Array.from({ length: 500 }, (_, i) => id(`n${i}`))
  const pick = () => nodes[below(500)]!
  const memberships = Array.from({ length: 1_500 }, () => ({ capability: nodes[below(150)]!, tool: pick() }))
  const edges = Array.from({ length: 300 }, () => ({ from: pick(), to: pick(), weight: random() }))
  const ranks = hypergraphPageRank({ nodes, memberships, edges })
  expect([...ranks.values()].reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 12)
  expect(Math.min(...ranks.values())).toBeGreaterThanOrEqual(0.15 / 500)
  expect(hypergraphPageRank(structuredClone({ nodes, memberships, edges }))).toEqual(ranks)
})
