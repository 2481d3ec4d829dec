import { describe, expect, it } from 'vitest'
import { seededRandom } from '../model/seeded-random.js'
import { matchCapabilities, matchCapability } from './match-capability.js'
import { capability, capId, dependency, noon, shelfOf, toolId, use } from './test-shelf.contract.js'

const id = capId('one')

describe('a match', () => {
  it('is meaning times reliability times the weakest of what it needs, with its parts', () => {
    const shelf = shelfOf([
      capability('one', { uses: 10, successes: 10, calls: [capId('two')] }),
      capability('two', { uses: 8, successes: 6 }),
    ])
    expect(matchCapability(id, 0.8, shelf)).toEqual({
      id,
      score: 0.8 * 1.2 * 0.7,
      semantic: 0.8,
      rate: 11 / 12,
      reliability: 1.2,
      transitive: 0.7,
      weakest: capId('two'),
    })
  })

  it('is never above .95', () => {
    expect(matchCapability(id, 0.9, shelfOf([capability('one', { uses: 20, successes: 20 })]))?.score).toBe(
      0.95,
    )
  })

  it('of one that mostly fails is a tenth', () => {
    const shelf = shelfOf([capability('one', { uses: 5, successes: 1 })])
    expect(matchCapability(id, 0.9, shelf)?.score).toBeCloseTo(0.09, 12)
  })

  it('is lowered by an unreliable dependency three levels deep, and by nothing beside it', () => {
    const shelf = shelfOf([
      capability('one', { calls: [capId('two')] }),
      capability('two', { calls: [capId('three')] }),
      capability('three', { calls: [capId('four')] }),
      capability('four'),
      capability('beside', { calls: [capId('three')] }),
    ])
    expect(matchCapability(id, 0.8, shelf)?.score).toBe(0.8)
    for (let at = 0; at < 3; at++) shelf.noteUse(capId('four'), use({ success: false }))
    expect(matchCapability(id, 0.8, shelf)).toMatchObject({ transitive: 0.2, weakest: capId('four') })
    shelf.noteUse(capId('beside'), use({ success: false }))
    expect(matchCapability(id, 0.8, shelf)?.weakest).toBe(capId('four'))
  })

  it('of one that is not there is none', () => {
    expect(matchCapability(id, 0.8, shelfOf([]))).toBeUndefined()
  })

  it('stays in [0, .95] whatever it is given', () => {
    const random = seededRandom(7)
    for (let at = 0; at < 500; at++) {
      const uses = Math.floor(random() * 30)
      const shelf = shelfOf([capability('one', { uses, successes: Math.floor(random() * (uses + 1)) })])
      for (const semantic of [random() * 4 - 2, Number.NaN, Number.POSITIVE_INFINITY]) {
        const { score } = matchCapability(id, semantic, shelf)!
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(0.95)
      }
    }
  })
})

describe('matches', () => {
  const failing = capability('failing', { uses: 10, successes: 1, tools: [toolId('a:x')] })
  const twin = capability('twin', { uses: 4, successes: 4, tools: [toolId('b:x')] })
  const both = [dependency('failing', 'twin', 'alternative'), dependency('twin', 'failing', 'alternative')]

  it('are given best first, whatever the order they came in', () => {
    const shelf = shelfOf(['a', 'b', 'c'].map((name) => capability(name)))
    const scores = [
      [capId('a'), 0.3],
      [capId('b'), 0.5],
      [capId('c'), 0.5],
    ] as const
    const ids = [capId('b'), capId('c')]
    expect(matchCapabilities(scores, { shelf, most: 2 }).map((match) => match.id)).toEqual(ids)
    expect(matchCapabilities([...scores].reverse(), { shelf, most: 2 }).map((match) => match.id)).toEqual(ids)
  })

  it.each([1, 2, 3, 4, 5])('the few are the first of all, twins and equals included (seed %d)', (seed) => {
    const random = seededRandom(seed)
    const drawn = Array.from({ length: 60 }, (_, at) => {
      const uses = Math.floor(random() * 20)
      return capability(`c${at}`, { uses, successes: uses - Math.floor(random() * Math.min(4, uses + 1)) })
    })
    const pick = () => `c${Math.floor(random() * 60)}`
    const twins = Array.from({ length: 40 }, () => dependency(pick(), pick(), 'alternative'))
    const shelf = shelfOf(drawn, twins)
    const scores = drawn.map(({ id }) => [id, Math.round(random() * 20) / 20] as const)
    const all = matchCapabilities(scores, { shelf, most: 100 })
    expect(all).toHaveLength(60)
    for (const most of [0, 1, 5, 20])
      expect(matchCapabilities([...scores].reverse(), { shelf, most })).toEqual(all.slice(0, most))
  })

  it('a twin stands in for one that fails, at .9 of its meaning', () => {
    const matches = matchCapabilities([[failing.id, 0.9]], { shelf: shelfOf([failing, twin], both), most: 5 })
    expect(matches.map((match) => match.id)).toEqual([twin.id, failing.id])
    expect(matches[0]).toMatchObject({ standsInFor: failing.id })
    expect(matches[0]!.score).toBeCloseTo(0.81, 12)
  })

  it('a twin that is meant itself is not made less', () => {
    const shelf = shelfOf([failing, twin], both)
    const [first] = matchCapabilities(
      [
        [failing.id, 0.8],
        [twin.id, 0.85],
      ],
      { shelf, most: 1 },
    )
    expect(first).toEqual(matchCapability(twin.id, 0.85, shelf))
  })

  it('hidden ones are left out', () => {
    const recent = Array.from({ length: 5 }, () => use({ at: noon, ms: 500, callsMs: 100 }))
    const shelf = shelfOf([capability('slow', { uses: 5, successes: 5, recent })])
    expect(matchCapabilities([[capId('slow'), 0.9]], { shelf, most: 5 })).toEqual([])
    expect(matchCapability(capId('slow'), 0.9, shelf)).toBeDefined()
  })
})
