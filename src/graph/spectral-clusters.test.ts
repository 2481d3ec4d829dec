import { expect, it } from 'vitest'
import type { NodeId } from '../model/edge.js'
import { seededRandom } from '../model/seeded-random.js'
import { type ClusterInput, type Clusters, spectralClusters } from './spectral-clusters.js'
import { id } from './test-graph.contract.js'

type Tie = readonly [string, string, number]

/** `P: 'ab'` is a capability P with the tools a and b. */
const graphOf = (
  names: Iterable<string>,
  capabilities: Readonly<Record<string, Iterable<string>>>,
  links: readonly Tie[] = [],
): ClusterInput => ({
  nodes: [...names].map(id),
  memberships: Object.entries(capabilities).flatMap(([name, tools]) =>
    [...tools].map((tool) => ({ capability: id(name), tool: id(tool) })),
  ),
  links: links.map(([from, to, weight]) => ({ from: id(from), to: id(to), weight })),
})
const numbersOf = ({ of }: Clusters) => [...of.values()]

it('capabilities that share tools are together, those that do not are apart', () => {
  const graph = graphOf('PQabcRSxyz', { P: 'abc', Q: 'abc', R: 'xyz', S: 'xyz' }, [['P', 'R', 0.4]])
  const clusters = spectralClusters(graph)
  expect(numbersOf(clusters)).toEqual([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
  expect(clusters.k).toBe(2)
})

it('links not above .3 are left out, and of both directions the larger counts', () => {
  const stars = { P: 'abc', Q: 'xyz' }
  expect(spectralClusters(graphOf('PabcQxyz', stars, [['P', 'Q', 0.3]])).eigenvalues.slice(0, 3)).toEqual([
    0,
    0,
    expect.closeTo(1, 9),
  ])
  const tied = (links: readonly Tie[]) => spectralClusters(graphOf('PabcQxyz', stars, links))
  const once = tied([['Q', 'P', 0.9]])
  expect(once.eigenvalues[1]).toBeGreaterThan(0.01)
  expect(
    tied([
      ['P', 'Q', 0.5],
      ['Q', 'P', 0.9],
    ]),
  ).toEqual(
    tied([
      ['Q', 'P', 0.9],
      ['P', 'Q', 0.5],
    ]),
  )
  expect(
    tied([
      ['P', 'Q', 0.5],
      ['Q', 'P', 0.9],
    ]).eigenvalues[1],
  ).toBeCloseTo(once.eigenvalues[1]!, 12)
})

it('its eigenvalues are those of the normalised Laplacian', () => {
  // A star has 0, 1 (leaves - 1 times) and 2; a chain of n has 1 - cos(pi j / (n - 1)).
  const star = spectralClusters(graphOf('Pabcd', { P: 'abcd' }))
  for (const [i, value] of [0, 1, 1, 1, 2].entries()) expect(star.eigenvalues[i]).toBeCloseTo(value, 9)
  const chain = spectralClusters(graphOf('aPbQcRd', { P: 'ab', Q: 'bc', R: 'cd' }))
  for (const [j, value] of chain.eigenvalues.entries())
    expect(value).toBeCloseTo(1 - Math.cos((Math.PI * j) / 6), 9)
})

it('like parts around a hub are told apart, though their eigenvalues coincide', () => {
  for (const [parts, size] of [
    [3, 6],
    [8, 12],
    [8, 25],
  ] as const) {
    const { graph, planted } = cliques(parts, size)
    const clusters = spectralClusters(graph)
    expect(clusters.k).toBe(parts)
    expect(adjustedRand(planted, numbersOf(clusters).slice(1))).toBe(1)
  }
})

it('what no path joins is apart, and how many parts there are changes nothing about each', () => {
  const pairs = Array.from({ length: 12 }, (_, i) => [`cap${i}`, [`tool${i}`]] as const)
  const alone = graphOf('PQabcRSxyz', { P: 'abc', Q: 'abc', R: 'xyz', S: 'xyz' }, [['P', 'R', 0.4]])
  const among = graphOf(
    [...'PQabcRSxyz', ...pairs.flatMap(([name, tools]) => [name, ...tools])],
    { P: 'abc', Q: 'abc', R: 'xyz', S: 'xyz', ...Object.fromEntries(pairs) },
    [['P', 'R', 0.4]],
  )
  const clusters = spectralClusters(among)
  expect(numbersOf(clusters).slice(0, 10)).toEqual(numbersOf(spectralClusters(alone)))
  expect(clusters.k).toBe(14)
  expect(numbersOf(clusters).slice(10)).toEqual(pairs.flatMap((_, i) => [2 + i, 2 + i]))
  expect(clusters.eigenvalues).toEqual(Array(9).fill(0))
})

it('a node without ties is alone, numbered after the clusters, and moves no eigenvalue', () => {
  const ties = { P: 'ab', Q: 'xy' }
  const without = spectralClusters(graphOf('PabQxy', ties))
  const clusters = spectralClusters(graphOf('mPabnQxyo', ties))
  expect(numbersOf(clusters)).toEqual([2, 0, 0, 0, 3, 1, 1, 1, 4])
  expect(clusters.k).toBe(2)
  expect(clusters.eigenvalues).toEqual(without.eigenvalues)
})

it('one capability with its tools stays whole, and so does what is tied as closely', () => {
  expect(spectralClusters(graphOf('Pabcdefgh', { P: 'abcdefgh' })).k).toBe(1)
  expect(spectralClusters(graphOf('PQabcdef', { P: 'abcdef', Q: 'bcdef' })).k).toBe(1)
})

it('next to nothing: no node, nodes without ties, two that are tied', () => {
  expect(spectralClusters(graphOf('', {}))).toEqual({ k: 0, of: new Map(), eigenvalues: [] })
  expect(spectralClusters(graphOf('ab', {}))).toMatchObject({ k: 0, eigenvalues: [] })
  const two = spectralClusters(graphOf('aP', { P: 'a' }))
  expect(numbersOf(two)).toEqual([0, 0])
  expect(two.k).toBe(1)
  expect(two.eigenvalues[1]).toBeCloseTo(2, 12)
})

it('what is not among the nodes, and what is said twice, changes nothing', () => {
  const plain = graphOf('PQabc', { P: 'ab', Q: 'bc' }, [['P', 'Q', 0.5]])
  const noisy: ClusterInput = {
    nodes: [...plain.nodes, id('a')],
    memberships: [
      ...plain.memberships,
      ...plain.memberships,
      { capability: id('Z'), tool: id('a') },
      { capability: id('P'), tool: id('z') },
    ],
    links: [
      ...plain.links,
      { from: id('P'), to: id('P'), weight: 1 },
      { from: id('Z'), to: id('Q'), weight: 1 },
      { from: id('P'), to: id('Q'), weight: Number.NaN },
    ],
  }
  expect(spectralClusters(noisy)).toEqual(spectralClusters(plain))
})

it('planted clusters are recovered, 2 to 8 of them', () => {
  for (let clusters = 2; clusters <= 8; clusters++) {
    const { graph, planted } = plant({ size: 80 * clusters, clusters, seed: clusters })
    const found = spectralClusters(graph)
    expect(found.k).toBe(clusters)
    expect(adjustedRand(planted, numbersOf(found))).toBeGreaterThan(0.95)
  }
})

it('the same input gives the same bits; another seed, or another order of all there is, the same partition', () => {
  const { graph } = plant({ size: 300, clusters: 4, seed: 9 })
  const found = spectralClusters(graph)
  expect(spectralClusters(structuredClone(graph))).toEqual(found)
  const others = [
    spectralClusters(graph, { seed: 77 }),
    spectralClusters({
      nodes: shuffled(graph.nodes, 1),
      memberships: shuffled(graph.memberships, 2),
      links: shuffled(graph.links, 3).map(({ from, to, weight }) => ({ from: to, to: from, weight })),
    }),
  ]
  for (const other of others) {
    expect(other.k).toBe(found.k)
    expect(adjustedRand(numbersOf(found), labelsOf(other, graph.nodes))).toBe(1)
  }
})

it('clusters are numbered by their first nodes', () => {
  const { graph } = plant({ size: 200, clusters: 5, seed: 3 })
  const clusters = spectralClusters({ ...graph, nodes: shuffled(graph.nodes, 8) })
  const firsts = [...new Set(numbersOf(clusters))].filter((number) => number < clusters.k)
  expect(firsts).toEqual([0, 1, 2, 3, 4])
})

it('a chain, whose eigenvalues lie too close to be told apart, is cut all the same, and in bounded time', () => {
  const names = Array.from({ length: 800 }, (_, i) => `n${i}`)
  const chain = graphOf(
    names,
    {},
    names.slice(1).map((name, i): Tie => [names[i]!, name, 1]),
  )
  const clusters = spectralClusters(chain)
  expect(clusters.k).toBeGreaterThanOrEqual(2)
  expect(clusters.k).toBeLessThanOrEqual(8)
  expect(spectralClusters(chain)).toEqual(clusters)
})

/** A hub, and around it groups in which everything is tied to everything. */
function cliques(parts: number, size: number): { graph: ClusterInput; planted: readonly number[] } {
  const names = Array.from({ length: parts * size }, (_, i) => `n${i}`)
  const partOf = (i: number) => Math.floor(i / size)
  const inside = names.flatMap((a, i) =>
    names.slice(0, i).flatMap((b, n): Tie[] => (partOf(i) === partOf(n) ? [[a, b, 1]] : [])),
  )
  const spokes = Array.from({ length: parts }, (_, part): Tie => ['hub', names[part * size]!, 0.5])
  return {
    graph: graphOf(['hub', ...names], {}, [...inside, ...spokes]),
    planted: names.map((_, i) => partOf(i)),
  }
}

/** Every third node is a capability with 12 tools and 4 links of its cluster; one in twenty of these leads anywhere. */
function plant({ size, clusters, seed }: { size: number; clusters: number; seed: number }): {
  graph: ClusterInput
  planted: readonly number[]
} {
  const random = seededRandom(seed)
  const planted = Array.from({ length: size }, (_, i) => i % clusters)
  const isCapability = (i: number) => Math.floor(i / clusters) % 3 === 0
  const partner = (of: number, wanted: boolean): string => {
    const isAstray = random() < 0.05
    for (;;) {
      const other = Math.floor(random() * size)
      if (other !== of && isCapability(other) === wanted && (isAstray || planted[other] === planted[of]))
        return `n${other}`
    }
  }
  const capabilities: Record<string, string[]> = {}
  const links: Tie[] = []
  for (let i = 0; i < size; i++) {
    if (!isCapability(i)) continue
    capabilities[`n${i}`] = Array.from({ length: 12 }, () => partner(i, false))
    for (let n = 0; n < 4; n++) links.push([`n${i}`, partner(i, true), 0.35 + 0.6 * random()])
  }
  const names = planted.map((_, i) => `n${i}`)
  return { graph: graphOf(names, capabilities, links), planted }
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = seededRandom(seed)
  return list
    .map((value) => ({ value, lot: random() }))
    .sort((a, b) => a.lot - b.lot)
    .map(({ value }) => value)
}

function labelsOf({ of }: Clusters, nodes: readonly NodeId[]): number[] {
  return nodes.map((node) => of.get(node)!)
}

/** 1 where two partitions are the same, about 0 where they have nothing to do with one another (L. Hubert, P. Arabie, 1985). */
function adjustedRand(a: readonly number[], b: readonly number[]): number {
  const pairsIn = (keys: readonly unknown[]): number => {
    const counts = new Map<unknown, number>()
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
    return [...counts.values()].reduce((sum, count) => sum + (count * (count - 1)) / 2, 0)
  }
  const both = pairsIn(a.map((one, i) => `${one} ${b[i]}`))
  const chance = (pairsIn(a) * pairsIn(b)) / ((a.length * (a.length - 1)) / 2)
  return (both - chance) / ((pairsIn(a) + pairsIn(b)) / 2 - chance)
}
