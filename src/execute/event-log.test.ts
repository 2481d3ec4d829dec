import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { EventLog } from './event-log.js'

const createLog = (capacity: number) => new EventLog<number>({ capacity, lost: (count) => -count })
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function readAll(events: AsyncIterable<number>, onEach = async () => {}): Promise<readonly number[]> {
  const read: number[] = []
  for await (const event of events) {
    read.push(event)
    await onEach()
  }
  return read
}

describe('EventLog', () => {
  it('shows every reader every event, whenever it begins to read', async () => {
    const log = createLog(100)
    const early = readAll(log)
    for (let n = 1; n <= 5; n++) {
      log.push(n)
      await turn()
    }
    const late = readAll(log)
    log.end()
    for (const reader of [early, late, readAll(log)]) expect(await reader).toEqual([1, 2, 3, 4, 5])
  })

  it('keeps the newest ones, and tells a reader that is too slow how many it missed', async () => {
    const log = createLog(10)
    const quick = readAll(log)
    let go = (): void => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const slow = readAll(log, () => gate)
    for (let n = 1; n <= 95; n++) {
      log.push(n)
      await null
      await turn()
    }
    log.end()
    go()
    expect(await quick).toEqual(Array.from({ length: 95 }, (_, at) => at + 1))
    const [first, lost, ...rest] = await slow
    expect(first).toBe(1)
    expect(rest).toEqual(Array.from({ length: 10 }, (_, at) => 86 + at))
    expect(lost).toBe(-84)
  })

  it('every number is seen or counted as missed, however unevenly somebody reads', async () => {
    const log = createLog(7)
    let reads = 0
    const reader = readAll(log, async () => {
      if (++reads % 3 === 0) for (let wait = 0; wait < 20; wait++) await turn()
    })
    for (let n = 1; n <= 300; n++) {
      log.push(n)
      if (n % 4 === 0) await turn()
    }
    log.end()
    let next = 1
    for (const event of await reader) {
      if (event > 0) expect(event).toBe(next)
      next += event > 0 ? 1 : -event
    }
    expect(next).toBe(301)
  })

  it('holds at most twice what it keeps', async () => {
    const kept = new Set<object>()
    const registry = createBigLog(50)
    for (let n = 0; n < 10_000; n++) registry.push({ n })
    registry.end()
    for await (const event of registry) kept.add(event)
    expect(kept.size).toBeLessThanOrEqual(51)
  })

  it('serves a thousand readers, those that leave and those that never read included', async () => {
    const log = createLog(1_000)
    const stop = new AbortController()
    const idle = Array.from({ length: 300 }, () => log.fromNow(stop.signal))
    const leaving = Array.from({ length: 300 }, async () => {
      for await (const _ of log) break
    })
    const reading = Array.from({ length: 400 }, () => readAll(log))
    const before = performance.now()
    for (let n = 1; n <= 200; n++) log.push(n)
    // No reader holds up who writes.
    expect(performance.now() - before).toBeLessThan(50)
    log.end()
    for (const read of await Promise.all(reading)) expect(read).toHaveLength(200)
    await Promise.all(leaving)
    expect(await readAll(idle[0]!)).toHaveLength(200)
    stop.abort()
  })

  it('from now on means from the call on, until the signal', async () => {
    const log = createLog(10)
    const stop = new AbortController()
    log.push(1)
    const events = log.fromNow(stop.signal)
    log.push(2)
    const reader = readAll(events)
    log.push(3)
    await turn()
    stop.abort()
    log.push(4)
    expect(await reader).toEqual([2, 3])
    expect(await readAll(log.fromNow(stop.signal))).toEqual([])
  })

  it('leaves nothing behind with a signal that lives on', async () => {
    const log = createLog(10)
    const { signal } = new AbortController()
    const reader = readAll(log.fromNow(signal))
    for (let n = 0; n < 100; n++) {
      log.push(n)
      await turn()
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    log.end()
    await reader
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

function createBigLog(capacity: number): EventLog<object> {
  return new EventLog<object>({ capacity, lost: (count) => ({ count }) })
}
