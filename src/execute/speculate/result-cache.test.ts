import { expect, test } from 'vitest'
import type { ToolId } from '../../model/tool.js'
import type { Row } from './ledger.js'
import { type Ahead, createResultCache } from './result-cache.js'
import { text } from './test-room.contract.js'

function ahead(key: string, session = 's'): Ahead {
  return {
    ...{ session, tool: 'fs:read' as ToolId, arguments: {}, key, server: 'fs', epoch: 0, startedAt: 0 },
    row: {} as Row,
    ended: Promise.resolve(undefined),
    stop() {},
    keepOn() {},
    used() {},
    isTaken: false,
  }
}

function ready(length: number) {
  return { result: text('x'.repeat(length)), tookMs: 1, expiresAt: 1 }
}

test('64 MB are kept, and then the oldest goes', () => {
  const out: string[] = []
  const cache = createResultCache({ onOut: ({ key }) => out.push(key) })
  const all = Array.from({ length: 22 }, (_, n) => ahead(`k${n}`))
  for (const one of all) {
    cache.add(one)
    expect(cache.keep(one, ready(3 * 1024 * 1024))).toBe(true)
  }
  expect(out).toEqual(['k0'])
  expect(cache.find('s', 'k0')).toBeUndefined()
  for (const one of all) cache.remove(one)
  expect(cache.size).toBe(0)
  // Nothing of what has gone is still counted.
  for (const one of all.slice(0, 21)) {
    cache.add(one)
    cache.keep(one, ready(3 * 1024 * 1024))
  }
  expect(out).toEqual(['k0'])
})

test('what is larger than 4 MB goes at once, and of more than 500 the oldest', () => {
  const out: string[] = []
  const cache = createResultCache({ onOut: ({ key }) => out.push(key) })
  const large = ahead('large')
  cache.add(large)
  expect(cache.keep(large, ready(4 * 1024 * 1024))).toBe(false)
  expect(cache.holds(large)).toBe(false)
  for (let n = 0; n < 502; n++) cache.add(ahead(`k${n}`))
  expect(out).toEqual(['large', 'k0', 'k1'])
})

test('a key belongs to its session', () => {
  const cache = createResultCache({ onOut() {} })
  const mine = ahead('k')
  const yours = ahead('k', 'other')
  cache.add(mine)
  cache.add(yours)
  expect(cache.find('s', 'k')).toBe(mine)
  cache.drop(({ session }) => session === 's')
  expect(cache.find('s', 'k')).toBeUndefined()
  expect(cache.find('other', 'k')).toBe(yours)
})
