import { describe, expect, it } from 'vitest'
import type { Embedder } from './embedder.js'
import { createStaticEmbedder } from './static-embedder.js'
import { measureYardstick, nearnessOf } from './yardstick.js'

const { signal } = new AbortController()

/** Every vector is its place's own direction, but for `shared` that all have in common. */
function lopsided(shared: number): Pick<Embedder, 'embed'> {
  return {
    embed: async (texts) =>
      texts.map((_, at) => {
        const vector = new Float32Array(texts.length + 1)
        vector[at] = Math.sqrt(1 - shared)
        vector[texts.length] = Math.sqrt(shared)
        return vector
      }),
  }
}

describe('measureYardstick', () => {
  it('gives the mean cosine of a request with its tool, and with all others', async () => {
    const plain = await measureYardstick(lopsided(0), signal)
    expect(plain.related).toBeCloseTo(1, 6)
    expect(plain.unrelated).toBeCloseTo(0, 6)
    const narrow = await measureYardstick(lopsided(0.6), signal)
    expect(narrow.related).toBeCloseTo(1, 6)
    expect(narrow.unrelated).toBeCloseTo(0.6, 6)
  })

  it('asks for requests as queries and for tools as tools, as many of the one as of the other', async () => {
    const asked: [string, number][] = []
    const embedder = lopsided(0)
    await measureYardstick(
      {
        embed(texts, kind, stop) {
          asked.push([kind, texts.length])
          return embedder.embed(texts, kind, stop)
        },
      },
      signal,
    )
    expect(asked).toEqual([
      ['query', 12],
      ['tool', 12],
    ])
  })

  it('the model that comes with us tells a request’s own tool from the others', async () => {
    const { related, unrelated } = await measureYardstick(createStaticEmbedder(), signal)
    expect(unrelated).toBeLessThan(0.05)
    expect(related - unrelated).toBeGreaterThan(0.1)
  })

  it('passes on why the model failed', async () => {
    const failing = { embed: () => Promise.reject(new Error('down')) }
    await expect(measureYardstick(failing, signal)).rejects.toThrow('down')
  })
})

describe('nearnessOf', () => {
  const yardstick = { unrelated: 0.6, related: 0.8 }

  it('is 0 for what is unrelated, 1 for what is as near as a request is to its tool, straight in between', () => {
    expect(nearnessOf(0.6, yardstick)).toBe(0)
    expect(nearnessOf(0.7, yardstick)).toBeCloseTo(0.5)
    expect(nearnessOf(0.8, yardstick)).toBeCloseTo(1)
    expect(nearnessOf(0.9, yardstick)).toBeCloseTo(1.5)
  })

  it('is never below 0', () => {
    expect(nearnessOf(-1, yardstick)).toBe(0)
  })

  it.each([
    ['cannot tell the two apart', { unrelated: 0.6, related: 0.61 }],
    ['has them the wrong way round', { unrelated: 0.6, related: 0.3 }],
    ['gives no numbers', { unrelated: Number.NaN, related: Number.NaN }],
  ])('of a model that %s is always 0', (_, odd) => {
    expect(nearnessOf(1, odd)).toBe(0)
  })
})
