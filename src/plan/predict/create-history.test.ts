import { describe, expect, it } from 'vitest'
import { createHistory } from './create-history.js'
import { noon, tool } from './test-next-tools.contract.js'
import { createTrail } from './trail.js'

it('keeps a bounded number of things, however many tools there are', () => {
  const history = createHistory()
  let trail = createTrail()
  for (let at = 0; at < 12_000; at++) {
    const step = { tool: tool(`t${(at * 7919) % 20_011}`), success: at % 3 !== 0, at: noon }
    history.count(trail, step)
    trail.push(step)
    if (at % 4 === 0) trail = createTrail()
  }
  const before = history.size()
  expect(before).toBeLessThan(150_000)
  expect(history.frequent(100)).toHaveLength(100)
  expect(history.latest(20)).toHaveLength(20)
})

it('one context knows at most 64 tools, and forgets the rarest', () => {
  const history = createHistory()
  const after = (name: string) => {
    const trail = createTrail()
    const first = { tool: tool('a'), success: true, at: noon }
    trail.push(first)
    history.count(trail, { tool: tool(name), success: true, at: noon })
    return trail
  }
  for (let at = 0; at < 5; at++) after('often')
  for (let at = 0; at < 300; at++) after(`once${at}`)
  const follow = history.after(after('often'), 1)!
  expect(follow.counts.size).toBeLessThanOrEqual(64)
  expect(follow.counts.get(tool('often'))).toBe(6)
  expect(follow.total).toBeCloseTo([...follow.counts.values()].reduce((a, b) => a + b, 0))
})

describe('further back than the last steps', () => {
  const history = createHistory()
  const trailOf = (names: string) => {
    const trail = createTrail()
    for (const name of names.split(' ')) trail.push({ tool: tool(name), success: true })
    return trail
  }
  const walk = (names: string) => {
    const trail = createTrail()
    for (const name of names.split(' ')) {
      history.count(trail, { tool: tool(name), success: true, at: noon })
      trail.push({ tool: tool(name), success: true })
    }
  }
  walk('a b b c b d')

  it('a tool was yet to come once for each time the last one was there, however often it came', () => {
    const counted = (names: string) => {
      const { total, counts } = history.yetToCome(trailOf(names))!
      return { total, ...Object.fromEntries(counts) }
    }
    expect(counted('a')).toEqual({ total: 1, 's:b': 1, 's:c': 1, 's:d': 1 })
    expect(counted('b')).toEqual({ total: 3, 's:b': 2, 's:c': 2, 's:d': 3 })
    expect(history.yetToCome(trailOf('d'))).toBeUndefined()
    expect(history.yetToCome(createTrail())).toBeUndefined()
  })

  it('what ended a run is known of every tool before it, but for the last one', () => {
    const follows = history.alongside(trailOf('a x c')).map(({ counts }) => Object.fromEntries(counts))
    expect(follows).toEqual([{ 's:c': 1, 's:b': 1, 's:d': 1 }])
    expect(Object.fromEntries(history.onward(trailOf('a'), 0)!.counts)).toEqual({
      's:b': 2,
      's:c': 1,
      's:d': 1,
    })
    expect(history.alongside(createTrail())).toEqual([])
  })
})
