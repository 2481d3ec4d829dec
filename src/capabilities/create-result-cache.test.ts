import { expect, it } from 'vitest'
import { createResultCache } from './create-result-cache.js'
import { capId, noon } from './test-shelf.contract.js'

const id = capId('one')
const servers = ['fs']

function cacheAt(most = 3) {
  let now = noon
  return { cache: createResultCache({ now: () => now, most }), wait: (ms: number) => (now += ms) }
}

it('gives a result to the same arguments in any order of keys, and to no others', () => {
  const { cache } = cacheAt()
  cache.keep(id, { a: 1, b: { c: 2, d: 3 } }, { value: 'x', servers })
  expect(cache.get(id, { b: { d: 3, c: 2 }, a: 1 })).toEqual({ value: 'x', keptAt: noon })
  expect(cache.get(id, { a: 1 })).toBeUndefined()
  expect(cache.get(capId('two'), { a: 1, b: { c: 2, d: 3 } })).toBeUndefined()
})

it('keeps null and false: they are results', () => {
  const { cache } = cacheAt()
  cache.keep(id, {}, { value: null, servers })
  expect(cache.get(id, {})?.value).toBeNull()
})

it('keeps it a minute, or as long as is said', () => {
  const { cache, wait } = cacheAt()
  cache.keep(id, { a: 1 }, { value: 1, servers })
  cache.keep(id, { a: 2 }, { value: 2, servers, timeToLiveMs: 90_000 })
  cache.keep(id, { a: 3 }, { value: 3, servers, timeToLiveMs: 0 })
  expect(cache.get(id, { a: 3 })).toBeUndefined()
  wait(59_999)
  expect(cache.get(id, { a: 1 })?.value).toBe(1)
  wait(1)
  expect(cache.get(id, { a: 1 })).toBeUndefined()
  expect(cache.get(id, { a: 2 })?.value).toBe(2)
  expect(cache.size).toBe(1)
})

it('puts the oldest out where there are too many, and keeps none that is too large', () => {
  const { cache } = cacheAt()
  for (let at = 0; at < 5; at++) cache.keep(id, { at }, { value: at, servers })
  expect([0, 1, 2, 3, 4].map((at) => cache.get(id, { at })?.value)).toEqual([undefined, undefined, 2, 3, 4])
  cache.keep(id, { at: 4 }, { value: 'x'.repeat(3_000_000), servers })
  expect(cache.get(id, { at: 4 })).toBeUndefined()
})

it('is bounded in size as well', () => {
  const { cache } = cacheAt(1_000)
  for (let at = 0; at < 40; at++) cache.keep(id, { at }, { value: 'x'.repeat(1_900_000), servers })
  expect(cache.size).toBeLessThan(20)
  expect(cache.get(id, { at: 39 })).toBeDefined()
})

it('drops what was made from a server, what a capability gave, and everything', () => {
  const { cache } = cacheAt()
  cache.keep(id, { a: 1 }, { value: 1, servers: ['fs', 'git'] })
  cache.keep(id, { a: 2 }, { value: 2, servers: ['mail'] })
  cache.keep(capId('two'), {}, { value: 3, servers: ['mail'] })
  cache.drop('git')
  expect(cache.size).toBe(2)
  cache.forget(id)
  expect(cache.get(capId('two'), {})?.value).toBe(3)
  cache.clear()
  expect(cache.size).toBe(0)
})
