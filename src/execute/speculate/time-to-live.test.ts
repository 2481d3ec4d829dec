import { describe, expect, test } from 'vitest'
import type { Json } from '../../model/json.js'
import type { ToolId } from '../../model/tool.js'
import { createTimesToLive, type TimesToLive } from './time-to-live.js'

const tool = 'fs:read' as ToolId
const hourMs = 3_600_000

function note(times: TimesToLive, at: number, hash = 'same', epoch = 0, key = 'k'): void {
  times.note({ tool, key, epoch, hash, at })
}

describe('how long a result holds', () => {
  test('is 30 s for a tool that was never seen twice', () => {
    const times = createTimesToLive()
    note(times, 0)
    expect(times.ofTool(tool)).toBeCloseTo(30_000)
  })

  test('grows with the time that nothing changed, up to ten minutes', () => {
    const times = createTimesToLive()
    note(times, 0)
    note(times, hourMs)
    // 1 % of an hour and 50 minutes.
    expect(times.ofTool(tool) / 1_000).toBeCloseTo(66.2, 1)
    for (let hour = 2; hour < 40; hour++) note(times, hour * hourMs)
    expect(times.ofTool(tool)).toBe(600_000)
  })

  test('shrinks with each change, down to a second', () => {
    const times = createTimesToLive()
    for (let n = 0; n < 3; n++) note(times, n * 1_000, `${n}`)
    expect(times.ofTool(tool)).toBeCloseTo(10_000)
    for (let n = 3; n < 100; n++) note(times, n * 1_000, `${n}`)
    expect(times.ofTool(tool)).toBe(1_000)
  })

  test('learns nothing across a write, from a clock that went back, or from different calls', () => {
    const times = createTimesToLive()
    note(times, 10, 'a', 1)
    note(times, 20, 'b', 2)
    note(times, 5, 'c', 2)
    note(times, 30, 'd', 2, 'other')
    expect(times.state()).toEqual({ tools: [] })
  })

  test('follows a tool that begins to change after long rest', () => {
    const times = createTimesToLive()
    for (let hour = 0; hour < 500; hour++) note(times, hour * hourMs)
    for (let n = 0; n < 40; n++) note(times, 500 * hourMs + n, `${n}`)
    expect(times.ofTool(tool)).toBeLessThan(45_000)
  })

  test('is right for a result that changes at random: 1 % have changed by then', () => {
    const times = createTimesToLive()
    const everyMs = 1_000_000
    // Changes at fixed steps of a fine grid stand in for chance: one in a hundred gaps of a hundredth holds one.
    for (let n = 0; n < 20_000; n++) note(times, (n * everyMs) / 100, `${Math.floor(n / 100)}`)
    expect(times.ofTool(tool) / everyMs).toBeGreaterThan(0.008)
    expect(times.ofTool(tool) / everyMs).toBeLessThan(0.0125)
  })
})

describe('what is kept', () => {
  test('comes back as it was, less what cannot be read', () => {
    const times = createTimesToLive()
    note(times, 0)
    note(times, 1_000)
    note(times, 2_000, 'other')
    expect(times.state()).toEqual({ tools: [['fs:read', 1, 1_000]] })
    const next = createTimesToLive()
    next.load(JSON.parse(JSON.stringify(times.state())) as Json)
    expect(next.ofTool(tool)).toBe(times.ofTool(tool))
    const bad: Json[] = [
      null,
      'x',
      [],
      { tools: 3 },
      { tools: [null, ['a'], ['a', -1, 0], [1, 1, 1], ['a', 0, 'x']] },
    ]
    for (const state of bad) {
      next.load(state)
      expect(next.state()).toEqual({ tools: [] })
    }
    next.load({ tools: [['a:b', 0, 1e300]] })
    expect(next.ofTool('a:b' as ToolId)).toBe(600_000)
  })

  test('is bounded in tools and in calls', () => {
    const times = createTimesToLive()
    for (let n = 0; n < 1_100; n++)
      for (const at of [0, 1]) times.note({ tool: `s:t${n}` as ToolId, key: `${n}`, epoch: 0, hash: '', at })
    expect((times.state().tools as readonly Json[]).length).toBe(1_000)
    for (let n = 0; n < 5_001; n++) note(times, 0, '', 0, `k${n}`)
    note(times, 9, 'changed', 0, 'k0')
    expect(times.ofTool(tool)).toBeCloseTo(30_000)
  })
})
