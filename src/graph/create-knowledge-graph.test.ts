import { describe, expect, it } from 'vitest'
import type { Edge, EdgeKey, NodeId, Observation } from '../model/edge.js'
import { seededRandom } from '../model/seeded-random.js'
import { createKnowledgeGraph } from './create-knowledge-graph.js'
import { edgeWeight } from './edge-weight.js'
import { dayMs, edge, graphOf, id, noon, randomObservations, seen, sortEdges } from './test-graph.contract.js'

const key = (from: string, to: string, type: EdgeKey['type']): EdgeKey => ({
  from: id(from),
  to: id(to),
  type,
})

describe('observing', () => {
  it('an edge keeps count, successes, failures, first and last seen', () => {
    const graph = graphOf([])
    const { changed } = graph.observe([
      seen('a', 'b', 'sequence', { at: noon - 5 }),
      seen('a', 'b', 'sequence', { success: false, at: noon }),
      seen('a', 'b', 'sequence', { at: noon - 9 }),
    ])
    expect(changed).toEqual([
      {
        ...key('a', 'b', 'sequence'),
        source: 'inferred',
        count: 3,
        successes: 2,
        failures: 1,
        firstSeen: noon - 9,
        lastSeen: noon,
      },
    ])
    expect(graph.edge(key('a', 'b', 'sequence'))).toEqual(changed[0])
  })

  it('types are separate edges, and the strongest speaks for the pair', () => {
    const graph = graphOf([])
    graph.observe([seen('a', 'b', 'sequence'), seen('a', 'b', 'provides')])
    expect(graph.edges()).toHaveLength(2)
    expect(graph.weight(id('a'), id('b'))).toBeCloseTo(0.7 * 0.7 * (2 / 3), 12)
    expect(graph.weight(id('b'), id('a'))).toBe(0)
    expect(graph.outgoing(id('a')).map((one) => one.edge.type)).toEqual(['provides', 'sequence'])
    expect(graph.incoming(id('b')).map((one) => one.edge.type)).toEqual(['provides', 'sequence'])
    expect(graph.observations(id('a'))).toBe(2)
  })

  it('where nothing is known of the ends, five observations make an edge observed', () => {
    const graph = graphOf([])
    const sources = Array.from(
      { length: 6 },
      () => graph.observe([seen('a', 'b', 'sequence')]).changed[0]!.source,
    )
    expect(sources).toEqual(['inferred', 'inferred', 'inferred', 'inferred', 'observed', 'observed'])
  })

  it('where structure and meaning agree, three are enough', () => {
    // Each end has 20 neighbours of their own that agree fully: alpha is near 1 - .5 * 20/22.
    const around = ['a', 'b'].flatMap((end) =>
      Array.from({ length: 20 }, (_, i) => edge(end, `${end}${i}`, 'dependency', { count: i + 10 })),
    )
    const place = new Map(around.map((one) => [one.to, one.count]))
    const graph = createKnowledgeGraph({
      now: () => noon,
      cosine: (_, other) =>
        place.has(other) ? edgeWeight(around.find(({ to }) => to === other)!, noon) : undefined,
    })
    graph.load(around)
    expect(graph.activeAlpha(id('a'))).toBeLessThan(0.6)
    const sources = Array.from(
      { length: 3 },
      () => graph.observe([seen('a', 'b', 'sequence')]).changed[0]!.source,
    )
    expect(sources).toEqual(['inferred', 'inferred', 'observed'])
  })

  it('refuses what closes a cycle, for each type by itself, and self loops of any type', () => {
    const graph = graphOf([])
    const refused = [
      seen('c', 'a', 'dependency'),
      seen('a', 'a', 'alternative'),
      seen('b', 'a', 'contains', { success: false }),
    ]
    const result = graph.observe([
      seen('a', 'b', 'dependency'),
      seen('b', 'c', 'dependency'),
      refused[0]!,
      refused[1]!,
      seen('a', 'b', 'contains'),
      refused[2]!,
      seen('c', 'a', 'contains'),
      seen('b', 'a', 'sequence'),
    ])
    expect(result.refused).toEqual(refused)
    expect(result.changed).toHaveLength(5)
  })

  it('refuses what cannot be, and loses nothing else of the batch', () => {
    const graph = graphOf([])
    const bad = [
      seen('a', 'b', 'sequence', { at: Number.NaN }),
      seen('a', 'b', 'constructor' as Observation['type']),
      seen('a', 'b', 'sequence', { to: '' as NodeId }),
    ]
    const { changed, refused } = graph.observe([...bad, seen('a', 'b', 'sequence')])
    expect(refused).toEqual(bad)
    expect(changed).toHaveLength(1)
  })

  it('tools with any character in their names are told apart', () => {
    const graph = graphOf([])
    graph.observe([seen('a', 'b:c', 'sequence'), { ...seen('a', 'c', 'sequence'), from: 's:as:b' as NodeId }])
    expect(graph.observe([seen('a', 'b:c', 'sequence')]).changed).toHaveLength(1)
    expect(graph.edges()).toHaveLength(2)
  })
})

describe('revision', () => {
  it('grows with every change, and only then', () => {
    const graph = createKnowledgeGraph({ now: () => noon, cosine: () => undefined })
    const revisions = [graph.revision]
    const note = () => revisions.push(graph.revision)
    graph.load([])
    note()
    graph.observe([seen('a', 'b', 'sequence')])
    note()
    graph.observe([])
    graph.observe([seen('a', 'a', 'sequence')])
    note()
    graph.replaceTemplates([key('a', 'c', 'provides')])
    note()
    graph.replaceTemplates([key('a', 'c', 'provides')])
    note()
    expect(revisions).toEqual([0, 1, 2, 2, 3, 3])
  })
})

describe('templates', () => {
  it('those nobody has seen are replaced; what was seen stays', () => {
    const graph = graphOf([])
    graph.replaceTemplates([key('a', 'b', 'provides'), key('a', 'c', 'provides'), key('b', 'c', 'provides')])
    graph.observe([seen('a', 'b', 'provides')])
    const kept = graph.edge(key('a', 'b', 'provides'))
    expect(kept?.source).toBe('inferred')
    const { added, removed } = graph.replaceTemplates([
      key('b', 'c', 'provides'),
      key('d', 'e', 'provides'),
      key('d', 'e', 'provides'),
    ])
    expect(added.map(({ from, to }) => [from, to])).toEqual([[id('d'), id('e')]])
    expect(removed.map(({ from, to }) => [from, to])).toEqual([[id('a'), id('c')]])
    expect(graph.edge(key('a', 'b', 'provides'))).toEqual(kept)
    // Four pairs of a, b, c, d, e had an edge; a - c is gone.
    expect(graph.density()).toBe(3 / 20)
  })

  it('weigh type * .5 * .5 at any time, and leave with their nodes', () => {
    const graph = graphOf([], noon + 1_000 * dayMs)
    graph.replaceTemplates([key('a', 'b', 'dependency')])
    expect(graph.weight(id('a'), id('b'))).toBe(0.25)
    graph.replaceTemplates([])
    expect([graph.edges(), graph.density(), graph.neighbours(id('a'))]).toEqual([[], 0, []])
  })

  it('a node that was gone and is back knows its new neighbours only', () => {
    const graph = graphOf([])
    graph.replaceTemplates([key('a', 'b', 'provides')])
    expect(graph.neighbours(id('a')).map(({ node }) => node)).toEqual([id('b')])
    graph.replaceTemplates([])
    graph.replaceTemplates([key('a', 'c', 'provides')])
    expect(graph.neighbours(id('a')).map(({ node }) => node)).toEqual([id('c')])
  })

  it('close no cycle, and make room for one another', () => {
    const graph = graphOf([])
    const cycle = [key('a', 'b', 'dependency'), key('b', 'a', 'dependency'), key('a', 'a', 'provides')]
    expect(graph.replaceTemplates(cycle).refused).toEqual(cycle.slice(1))
    expect(graph.replaceTemplates([cycle[1]!]).added).toHaveLength(1)
  })
})

describe('loading', () => {
  it('keeps damaged rows, repeats and cycles out, and names them', () => {
    const graph = graphOf([])
    const good = [edge('a', 'b', 'dependency'), edge('b', 'c', 'dependency'), edge('a', 'b', 'sequence')]
    const bad = [
      edge('x', 'y', 'sequence', { count: Number.NaN }),
      edge('a', 'b', 'sequence', { count: 1 }),
      edge('c', 'a', 'dependency'),
    ]
    expect(graph.load([...good, ...bad]).refused).toEqual(bad)
    expect(sortEdges(graph.edges())).toEqual(sortEdges(good))
    expect(graph.observe([seen('c', 'a', 'dependency')]).refused).toHaveLength(1)
  })

  it('replaces everything', () => {
    const graph = graphOf([edge('a', 'b', 'dependency')])
    expect(graph.neighbours(id('a'))).toHaveLength(1)
    graph.load([edge('b', 'a', 'dependency')])
    expect(graph.weight(id('a'), id('b'))).toBe(0)
    expect(graph.observations(id('a'))).toBe(8)
    expect(graph.density()).toBe(0.5)
  })
})

describe('around a node', () => {
  it('neighbours of both directions come once, strongest first, ties by name', () => {
    const graph = graphOf([
      edge('a', 'c', 'sequence'),
      edge('a', 'b', 'sequence'),
      edge('d', 'a', 'dependency'),
      edge('a', 'd', 'sequence'),
    ])
    expect(graph.neighbours(id('a')).map(({ node }) => node)).toEqual([id('d'), id('b'), id('c')])
    expect(graph.neighbours(id('a'))[0]?.weight).toBeCloseTo(0.9, 12)
    expect(graph.neighbours(id('nobody'))).toEqual([])
  })

  it('weights follow the clock', () => {
    let now = noon
    const graph = createKnowledgeGraph({ now: () => now, cosine: () => undefined })
    graph.load([edge('a', 'b', 'dependency')])
    expect(graph.neighbours(id('a'))[0]?.weight).toBeCloseTo(0.9, 12)
    now += 90 * dayMs
    expect(graph.neighbours(id('a'))[0]?.weight).toBeCloseTo(0.45, 12)
    expect(graph.weight(id('a'), id('b'))).toBeCloseTo(0.45, 12)
    expect(graph.outgoing(id('a'))[0]?.weight).toBeCloseTo(0.45, 12)
  })

  it('alpha is 1 for a stranger, without likeness, and for likeness that is no number', () => {
    const edges = [edge('a', 'b', 'sequence'), edge('a', 'c', 'dependency')]
    for (const likeness of [undefined, Number.NaN]) {
      const graph = createKnowledgeGraph({ now: () => noon, cosine: () => likeness })
      graph.load(edges)
      expect([graph.activeAlpha(id('a')), graph.activeAlpha(id('nobody'))]).toEqual([1, 1])
    }
  })

  it('alpha is by hand: two neighbours that agree, 16 observations', () => {
    const graph = createKnowledgeGraph({
      now: () => noon,
      cosine: (_, other) => (other === id('c') ? 0.9 : 0.2),
    })
    graph.load([edge('a', 'b', 'sequence'), edge('a', 'c', 'dependency')])
    // c = 1/3 * (1 + 1) / 2, n = 16
    expect(graph.activeAlpha(id('a'))).toBeCloseTo(1 - (0.5 * (1 / 3) * 16) / 21, 12)
  })

  it('alpha around a hub looks at some 256 of its neighbours, in whatever order they came', () => {
    const edges = Array.from({ length: 3_000 }, (_, i) => edge('hub', `t${i}`, 'sequence'))
    const [forwards, backwards] = [edges, edges.toReversed()].map((given) => {
      const compared: NodeId[] = []
      const cosine = (_: NodeId, other: NodeId): number => compared.push(other)
      const graph = createKnowledgeGraph({ now: () => noon, cosine })
      graph.load(given)
      graph.activeAlpha(id('hub'))
      return compared
    })
    expect(Math.abs(forwards!.length - 256)).toBeLessThan(64)
    expect(backwards).toEqual(forwards)
  })
})

describe.each([1, 2, 3, 4, 5, 6])('whatever is observed, seed %i', (seed) => {
  const random = seededRandom(seed)
  const observations = randomObservations(random, 500)
  const likeness = seededRandom(seed + 100)
  const cosines = new Map<string, number>()
  const cosine = (a: NodeId, b: NodeId): number => {
    const pair = [a, b].sort().join(' ')
    if (!cosines.has(pair)) cosines.set(pair, likeness())
    return cosines.get(pair)!
  }
  const fresh = (at = noon) => createKnowledgeGraph({ now: () => at, cosine })
  const graph = fresh()
  graph.observe(observations)

  it('loading its edges gives the same graph', () => {
    const again = fresh()
    expect(again.load(graph.edges()).refused).toEqual([])
    expect(sortEdges(again.edges())).toEqual(sortEdges(graph.edges()))
    expect(again.density()).toBe(graph.density())
    for (const { from } of graph.edges()) {
      expect(again.neighbours(from)).toEqual(graph.neighbours(from))
      expect(again.observations(from)).toBe(graph.observations(from))
      expect(again.activeAlpha(from)).toBe(graph.activeAlpha(from))
    }
  })

  it('any split into batches, at any later time, gives the same graph', () => {
    const again = fresh(noon + 300 * dayMs)
    const refused: Observation[] = []
    for (let at = 0; at < observations.length; ) {
      const size = Math.floor(random() * 40)
      const batch = observations.slice(at, at + size)
      refused.push(...again.observe(batch).refused)
      at += size
    }
    expect(sortEdges(again.edges())).toEqual(sortEdges(graph.edges()))
    expect(refused).toEqual(fresh().observe(observations).refused)
  })

  it('what `observe` returned, written through, is the graph', () => {
    const again = fresh()
    const written = new Map<string, Edge>()
    for (const seenOnce of observations)
      for (const one of again.observe([seenOnce]).changed)
        written.set(JSON.stringify([one.from, one.to, one.type]), one)
    expect(sortEdges([...written.values()])).toEqual(sortEdges(graph.edges()))
  })

  it.each(['contains', 'dependency'] as const)('%s stays acyclic', (type) => {
    const left = new Map<NodeId, Set<NodeId>>()
    for (const one of graph.edges())
      if (one.type === type) left.set(one.from, (left.get(one.from) ?? new Set()).add(one.to))
    // Taking away whoever leads nowhere must leave nobody.
    for (let before = -1; before !== left.size; ) {
      before = left.size
      for (const [from, targets] of left) if (![...targets].some((to) => left.has(to))) left.delete(from)
    }
    expect(left.size).toBe(0)
  })

  it('weights are in [0, 1] and halve in 90 days', () => {
    for (const one of graph.edges()) {
      const weight = edgeWeight(one, noon)
      expect(weight).toBeGreaterThanOrEqual(0)
      expect(weight).toBeLessThanOrEqual(1)
      expect(edgeWeight(one, noon + 90 * dayMs)).toBeCloseTo(weight / 2, 12)
    }
  })
})
