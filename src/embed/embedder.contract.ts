/** What every Embedder promises, whatever it stands on. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PmlError } from '../errors.js'
import type { Embedder } from './embedder.js'

export interface EmbedderPlace {
  open(): Promise<Embedder>
}

export function testEmbedder(name: string, { open }: EmbedderPlace): void {
  describe(`${name} as an Embedder`, () => {
    const { signal } = new AbortController()
    let embedder: Embedder

    beforeEach(async () => {
      embedder = await open()
    })
    afterEach(() => embedder.close())

    const embed = (...texts: string[]) => embedder.embed(texts, 'tool', signal)

    it('has an id that stays the same from one opening to the next', async () => {
      const again = await open()
      expect(again.id).toBe(embedder.id)
      expect(embedder.id.trim()).not.toBe('')
      await again.close()
    })

    it('gives one vector of unit length per text, in order, all of the same dimension', async () => {
      const texts = ['create an issue', 'delete a file', 'send a message', 'list all branches']
      const vectors = await embed(...texts)
      expect(vectors.map(lengthOf)).toEqual(texts.map(() => expect.closeTo(1, 4)))
      expect(new Set(vectors.map((vector) => vector.length)).size).toBe(1)
      for (const [index, text] of texts.entries()) {
        const [alone] = await embed(text)
        const closest = vectors.map((vector) => cosine(vector, alone!))
        expect(closest.indexOf(Math.max(...closest)), text).toBe(index)
        expect(closest[index]).toBeCloseTo(1, 4)
      }
    })

    it('the same text gives the same vector, whatever stands beside it', async () => {
      const [alone] = await embed('read a file')
      const [, beside] = await embed('', 'read a file', 'something else that is quite a bit longer')
      expect(beside).toEqual(alone)
      const [later] = await (await reopened()).embed(['read a file'], 'tool', signal)
      expect(later).toEqual(alone)
    })

    it('a text that says nothing is all zeros', async () => {
      const vectors = await embed('', '   \n\t ', '\u00a0\u3000')
      for (const vector of vectors) expect(vector.every((value) => value === 0)).toBe(true)
      const [full] = await embed('a file')
      expect(vectors.map((vector) => vector.length)).toEqual([full!.length, full!.length, full!.length])
    })

    it.each([
      ['100 KB', 'all work and no play makes a dull tool. '.repeat(2560)],
      ['100 KB without a space', 'x'.repeat(102_400)],
      ['emoji', '🚀 deploy 👩‍👩‍👧‍👦 the 🏳️‍🌈 thing'],
      ['CJK', '東京の天気を調べる 查询天气 날씨를 조회'],
      ['half a pair', 'read \ud83d a \udc00 file'],
      ['control characters', 'read\u0000 a\u001b[31m file\u202e'],
    ])('takes %s', async (_, text) => {
      const [vector] = await embed(text)
      expect(lengthOf(vector!)).toBeCloseTo(1, 4)
      expect(vector!.every(Number.isFinite)).toBe(true)
    })

    it.each([0, 1, 1000])('takes a batch of %d', async (count) => {
      const texts = Array.from({ length: count }, (_, index) => `tool number ${index}`)
      const vectors = await embed(...texts)
      expect(vectors.length).toBe(count)
      if (count === 0) return
      expect(vectors.at(-1)).toEqual((await embed(texts.at(-1)!))[0])
    })

    it('takes many requests at once', async () => {
      const asked = Array.from({ length: 20 }, (_, index) => embed(`tool number ${index}`, 'another'))
      const answers = await Promise.all(asked)
      expect(answers[7]![0]).toEqual((await embed('tool number 7'))[0])
    })

    it('takes both kinds of text', async () => {
      for (const kind of ['query', 'tool'] as const) {
        const [vector] = await embedder.embed(['create an issue'], kind, signal)
        expect(lengthOf(vector!)).toBeCloseTo(1, 4)
      }
    })

    it('a signal that has aborted stops it with its reason, and it goes on afterwards', async () => {
      const reason = new Error('no longer wanted')
      await expect(embedder.embed(['a text'], 'tool', AbortSignal.abort(reason))).rejects.toBe(reason)
      const controller = new AbortController()
      const texts = Array.from({ length: 5000 }, (_, index) => `tool number ${index} reads a file`)
      const stopped = embedder.embed(texts, 'tool', controller.signal)
      setImmediate(() => controller.abort(reason))
      await expect(stopped).rejects.toBe(reason)
      expect((await embed('a text')).length).toBe(1)
    })

    it('closes more than once, and then answers with an error that is ours', async () => {
      await embedder.close()
      await embedder.close()
      await expect(embed('a text')).rejects.toBeInstanceOf(PmlError)
    })

    async function reopened(): Promise<Embedder> {
      await embedder.close()
      embedder = await open()
      return embedder
    }
  })
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(cosine(vector, vector))
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * b[index]!, 0)
}
