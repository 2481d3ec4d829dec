import { describe, expect, it } from 'vitest'
import type { NodeId } from '../model/edge.js'
import { seededRandom } from '../model/seeded-random.js'
import { discoverCapabilities } from './discover-capabilities.js'
import { capability, capId, noon, shelfOf, toolId, use } from './test-shelf.contract.js'

const [read, write, send, list] = ['fs:read', 'fs:write', 'mail:send', 'fs:list'].map(toolId) as [
  NodeId,
  NodeId,
  NodeId,
  NodeId,
]
const copy = capability('copy', { tools: [read, write] })
const tell = capability('tell', { tools: [send] })
const all = capability('all', { calls: [copy.id, tell.id] })
const shelf = shelfOf([copy, tell, all])
const unknown = { shelf, clusters: () => undefined, rank: () => 0, most: 10 }

describe('discovery', () => {
  it('is the share of the context that it comes to call, where nothing else is known', () => {
    expect(discoverCapabilities([read, write, read, list], unknown)).toEqual([
      { id: all.id, score: 2 / 3, overlap: 2 / 3, shared: [read, write], cluster: 0, rank: 0 },
      { id: copy.id, score: 2 / 3, overlap: 2 / 3, shared: [read, write], cluster: 0, rank: 0 },
    ])
  })

  it('without a context, or with one that nobody uses, finds nothing', () => {
    expect(discoverCapabilities([], unknown)).toEqual([])
    expect(discoverCapabilities([list], unknown)).toEqual([])
  })

  it('a capability of the context counts for those that call it, not for itself', () => {
    expect(discoverCapabilities([tell.id], unknown).map(({ id }) => id)).toEqual([all.id])
  })

  it('is lifted by .5 in the active cluster, by .25 of the share of its tools there, and by .3 of its rank', () => {
    const of = new Map<NodeId, number>([
      [read, 1],
      [list, 1],
      [send, 0],
      [copy.id, 1],
      [all.id, 0],
    ])
    const found = discoverCapabilities([read, list, send, write], {
      ...unknown,
      clusters: () => ({ of }),
      rank: (id) => (id === all.id ? 0.02 : 0.005),
    })
    expect(found).toEqual([
      {
        id: all.id,
        score: 1,
        overlap: 0.75,
        shared: [read, send, write],
        cluster: 0.25 / 3,
        rank: 0.3,
      },
      {
        id: copy.id,
        score: expect.closeTo(0.5 * (1 + 0.5 + 0.075), 12),
        overlap: 0.5,
        shared: [read, write],
        cluster: 0.5,
        rank: expect.closeTo(0.075, 12),
      },
      {
        id: tell.id,
        score: expect.closeTo(0.25 * 1.075, 12),
        overlap: 0.25,
        shared: [send],
        cluster: 0,
        rank: expect.closeTo(0.075, 12),
      },
    ])
  })

  it('of clusters with as much of the context the lowest is active; being in none is no cluster', () => {
    const lift = (of: ReadonlyMap<NodeId, number>) =>
      discoverCapabilities([read, write], { ...unknown, clusters: () => ({ of }) }).find(
        ({ id }) => id === copy.id,
      )?.cluster
    expect(
      lift(
        new Map([
          [read, 3],
          [write, 2],
          [copy.id, 2],
        ]),
      ),
    ).toBe(0.5)
    expect(
      lift(
        new Map([
          [read, -1],
          [write, -1],
          [copy.id, -1],
        ]),
      ),
    ).toBe(0)
  })

  it('leaves hidden ones out', () => {
    const recent = Array.from({ length: 5 }, () => use({ at: noon, ms: 500, callsMs: 100 }))
    const hidden = shelfOf([copy, { ...tell, tools: [read], recent }])
    expect(discoverCapabilities([read], { ...unknown, shelf: hidden }).map(({ id }) => id)).toEqual([copy.id])
  })

  it('stays in [0, 1] and does not show the order of the context', () => {
    const random = seededRandom(3)
    for (let round = 0; round < 100; round++) {
      const tools = Array.from({ length: 8 }, (_, at) => toolId(`s:t${at}`))
      const drawn = Array.from({ length: 10 }, (_, at) =>
        capability(`c${at}`, {
          tools: tools.filter(() => random() < 0.3),
          calls: random() < 0.4 ? [capId(`c${Math.floor(random() * 10)}`)] : [],
        }),
      )
      const of = new Map(
        [...tools, ...drawn.map(({ id }) => id)].map((node) => [node, Math.floor(random() * 3)]),
      )
      const ranks = new Map(drawn.map(({ id }) => [id, random()]))
      const options = {
        shelf: shelfOf(drawn),
        clusters: () => ({ of }),
        rank: (id: NodeId) => ranks.get(id) ?? 0,
        most: 10,
      }
      const context = tools.filter(() => random() < 0.4)
      const found = discoverCapabilities(context, options)
      for (const { score, overlap } of found) {
        expect(score).toBeGreaterThan(0)
        expect(score).toBeLessThanOrEqual(1)
        expect(overlap).toBeLessThanOrEqual(1)
      }
      const order = ({ id }: { readonly id: NodeId }) => id
      expect(discoverCapabilities([...context].reverse(), options).map(order)).toEqual(found.map(order))
    }
  })
})
