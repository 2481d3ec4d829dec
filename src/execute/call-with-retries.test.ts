import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../errors.js'
import type { ToolResult } from '../model/tool-call.js'
import { callWithRetries, type RetryOptions } from './call-with-retries.js'

const answer: ToolResult = { content: [] }
const away = (kind: UpstreamError['kind'] = 'offline') => new UpstreamError('s', kind, 'gone', 'Wait.')

async function attempt(call: () => Promise<ToolResult>, options: Partial<RetryOptions> = {}) {
  const told: string[] = []
  let calls = 0
  const outcome = callWithRetries(
    () => {
      calls++
      return call()
    },
    {
      retries: 2,
      signal: new AbortController().signal,
      sleep: async () => {},
      onRetry: ({ code }, inMs) => void told.push(`${code} ${inMs}`),
      ...options,
    },
  )
  const result = await outcome.then(
    () => 'answered',
    (error: Error) => error.message,
  )
  return { result, calls, told }
}

const failing = (times: number, error: unknown) => {
  let calls = 0
  return async () => {
    if (++calls <= times) throw error
    return answer
  }
}

describe('callWithRetries', () => {
  it.each([
    'offline',
    'exit',
  ] as const)('calls again what was lost on its way (%s), waiting longer each time', async (kind) => {
    expect(await attempt(failing(2, away(kind)))).toEqual({
      result: 'answered',
      calls: 3,
      told: [`${away(kind).code} 250`, `${away(kind).code} 500`],
    })
  })

  it('gives up with the last error', async () => {
    expect(await attempt(failing(9, away()))).toMatchObject({ result: 'Server "s": gone', calls: 3 })
  })

  it.each([
    ['a timeout', away('timeout')],
    ['what needs a login', away('auth')],
    ['an error of its own', new Error('bug')],
    ['what is no error', 'boom'],
  ])('does not call again after %s', async (_, error) => {
    expect(await attempt(failing(9, error))).toMatchObject({ calls: 1, told: [] })
  })

  it('calls once where that is all that is allowed', async () => {
    expect(await attempt(failing(9, away()), { retries: 0 })).toMatchObject({ calls: 1, told: [] })
  })

  it('takes an error that the tool answered for an answer', async () => {
    expect(await attempt(async () => ({ content: [], isError: true }))).toMatchObject({
      result: 'answered',
      calls: 1,
    })
  })

  it('stops when it is told to: while it calls, while it waits, and before it begins', async () => {
    for (const when of ['calling', 'waiting', 'before']) {
      const stop = new AbortController()
      const reason = new Error('stopped')
      if (when === 'before') stop.abort(reason)
      const call = async () => {
        if (when === 'calling') setImmediate(() => stop.abort(reason))
        if (when === 'waiting') throw away()
        return new Promise<ToolResult>(() => {})
      }
      const sleep = async (_: number, signal: AbortSignal) => {
        stop.abort(reason)
        signal.throwIfAborted()
      }
      const { result, calls } = await attempt(call, { signal: stop.signal, sleep })
      expect([when, result]).toEqual([when, 'stopped'])
      expect(calls).toBeLessThanOrEqual(1)
    }
  })
})
