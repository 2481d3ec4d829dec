import { existsSync } from 'node:fs'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { builtUrl } from '../model/built-url.js'
import { createTokenCounter, type TokenCounter } from './token-counter.js'

const built = existsSync(builtUrl('./token-worker.js', new URL('./token-counter.ts', import.meta.url).href))

describe.skipIf(!built)('the token counter (skipped until `npm run build` has made dist/)', () => {
  let counter: TokenCounter
  afterEach(() => counter.close())

  it('counts as o200k does', async () => {
    counter = createTokenCounter()
    const texts = [
      '',
      'hello world',
      '{"name":"read_file","inputSchema":{}}',
      'naïve 🎉 模型',
      '<|endoftext|>',
    ]
    const counts = texts.map((text) => encode(text, { disallowedSpecial: new Set() }).length)
    expect(await counter.count(texts)).toEqual(counts)
  })

  it('answers several askers, and nothing is asked of it for nothing', async () => {
    counter = createTokenCounter()
    const [a, b, none] = await Promise.all([
      counter.count(['a b c']),
      counter.count(['a']),
      counter.count([]),
    ])
    expect([a, b, none]).toEqual([[3], [1], []])
  })

  it('a text that would take the tokenizer long is counted by its start', async () => {
    counter = createTokenCounter()
    const started = performance.now()
    const [tokens] = await counter.count(['a'.repeat(5_000_000)])
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(tokens).toBeGreaterThan(500_000)
  })

  it('those who wait when it closes are told', async () => {
    counter = createTokenCounter()
    const waiting = counter.count(['a'])
    const told = expect(waiting).rejects.toThrow()
    await counter.close()
    await told
    await expect(counter.count(['a'])).rejects.toThrow('closed')
  })
})

it('a worker that cannot start is an error of the count, not of the process', async () => {
  const counter = createTokenCounter(new URL('file:///no/such/worker.js'))
  await expect(counter.count(['a'])).rejects.toThrow()
  await counter.close()
})

it('a count that is asked for while the resting worker ends is counted by the next one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const worker = `import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ id, texts }) => parentPort.postMessage({ id, counts: texts.map((text) => text.length) }))`
  const counter = createTokenCounter(new URL(`data:text/javascript,${encodeURIComponent(worker)}`))
  try {
    expect(await counter.count(['a'])).toEqual([1])
    vi.advanceTimersByTime(2_000)
    expect(await counter.count(['ab'])).toEqual([2])
  } finally {
    vi.useRealTimers()
    await counter.close()
  }
})
