import { describe, expect, test } from 'vitest'
import { BadArgumentsError, CallAbortedError, UpstreamError, UpstreamRpcError } from '../../errors.js'
import type { CallEnd } from './says-rate-limited.js'
import { saysRateLimited } from './says-rate-limited.js'
import { createServerRests, type ServerRests } from './server-rest.js'

const says = (text: string): CallEnd => ({ result: { content: [{ type: 'text', text }], isError: true } })
const fine: CallEnd = { result: { content: [{ type: 'text', text: '429 rate limit' }] } }
const lost: CallEnd = { error: new UpstreamError('a', 'offline', 'gone.', '') }

function atMs(start = 0): { rests: ServerRests; clock: { ms: number } } {
  const clock = { ms: start }
  return { rests: createServerRests({ now: () => clock.ms }), clock }
}

describe('a server that is asked too often', () => {
  test.each<[string, CallEnd, number | undefined]>([
    ['a result', says('GitHub API error: API rate limit exceeded for user'), undefined],
    ['a status', says('Request failed with status code 429'), undefined],
    ['words', says('Too Many Requests'), undefined],
    ['a quota', says('Quota exceeded for quota metric'), undefined],
    ['seconds', says('slow down. Retry-After: 20'), 20_000],
    ['a time', says('rate limited, try again in 1.5 minutes'), 90_000],
    ['milliseconds', says('rate_limit: retry after 300ms'), 300],
    ['an error', { error: new UpstreamRpcError('a', -32_000, 'Rate limit reached', {}) }, undefined],
    ['a code', { error: new UpstreamRpcError('a', 429, 'no', undefined) }, undefined],
    ['data', { error: new UpstreamRpcError('a', -32_000, 'no', { retryAfter: 7 }) }, 7_000],
    ['a cause', { error: new Error('failed', { cause: new Error('HTTP 429') }) }, undefined],
  ])('is known by %s', (_, end, forMs) => {
    expect(saysRateLimited(end)).toEqual(forMs === undefined ? {} : { forMs })
  })

  test.each<[string, CallEnd]>([
    ['a result that is no error', fine],
    ['another error', says('no such file: /tmp/4290')],
    ['an error without words', { error: undefined }],
    ['content that is none', { result: { content: [null, 3] as never, isError: true } }],
    ['no content', { result: { isError: true } as never }],
  ])('is not known by %s', (_, end) => {
    expect(saysRateLimited(end)).toBeUndefined()
  })

  test('rests for a minute, twice as long each time it says so again, and 15 minutes at most', () => {
    const { rests, clock } = atMs(1)
    const restsMs: number[] = []
    for (let n = 0; n < 6; n++) {
      const begin = clock.ms
      rests.note('a', says('429'))
      rests.note('a', says('429'))
      while (rests.isRateLimited('a')) clock.ms += 1_000
      restsMs.push((clock.ms - begin) / 60_000)
    }
    expect(restsMs).toEqual([1, 2, 4, 8, 15, 15])
    rests.note('a', fine)
    rests.note('a', says('429'))
    clock.ms += 60_000
    expect(rests.isRateLimited('a')).toBe(false)
    expect(rests.isRateLimited('b')).toBe(false)
  })

  test('rests as long as it said, an hour at most', () => {
    const { rests, clock } = atMs()
    rests.note('a', says('retry after 5 s'))
    clock.ms = 4_999
    expect(rests.isRateLimited('a')).toBe(true)
    clock.ms = 5_000
    expect(rests.isRateLimited('a')).toBe(false)
    rests.note('a', says('retry after 99999999 hours'))
    clock.ms += 3_600_000
    expect(rests.isRateLimited('a')).toBe(false)
  })
})

describe('a server that fails', () => {
  test('three times of five rests for a minute', () => {
    const { rests, clock } = atMs()
    for (const end of [lost, fine, lost, fine]) rests.note('a', end)
    expect(rests.isFailing('a')).toBe(false)
    rests.note('a', lost)
    expect(rests.isFailing('a')).toBe(true)
    clock.ms = 60_000
    expect(rests.isFailing('a')).toBe(false)
  })

  test('is not one whose callers are wrong, or whose tools answer errors', () => {
    const { rests } = atMs()
    const ends: readonly CallEnd[] = [
      says('no such file'),
      { error: new CallAbortedError('a:b') },
      { error: new BadArgumentsError('a:b', []) },
      { error: new UpstreamRpcError('a', -32_602, 'Invalid params', undefined) },
      { error: new UpstreamError('a', 'auth', 'sign in.', '') },
    ]
    for (const end of ends) rests.note('a', end)
    expect(rests.isFailing('a')).toBe(false)
  })
})
