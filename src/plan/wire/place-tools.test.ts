import { describe, expect, it } from 'vitest'
import { createStaticEmbedder } from '../../embed/static-embedder.js'
import { readIntent } from '../read/read-intent.js'
import { cosine, placeTools } from './place-tools.js'
import { shapeTools, type ToolSketch } from './shape-tools.contract.js'

const text = { type: 'string' }
const joke: ToolSketch = { id: 'fun:get_joke', description: 'Gives a random joke' }
const translate: ToolSketch = {
  id: 'lang:translate_text',
  description: 'Translates a text',
  takes: { text, language: text },
}
const sms: ToolSketch = {
  id: 'phone:send_sms',
  description: 'Sends a message to a phone',
  takes: { number: text, message: text },
}

async function place(said: string, ...sketches: readonly ToolSketch[]) {
  const intent = readIntent(said)
  const shapes = await shapeTools(...sketches)
  const texts = intent.clauses.map((clause) => clause.text)
  const vectors = await createStaticEmbedder().embed(texts, 'query', new AbortController().signal)
  return placeTools(intent, shapes, { vectors })
}

describe('placeTools', () => {
  const said = 'get a random joke, translate it to Spanish and send it to 555-1234'

  it('gives each tool the clause that speaks of it', async () => {
    const places = await place(said, joke, translate, sms)
    expect(places.map(({ clause }) => clause)).toEqual([0, 1, 2])
    expect(places.map(({ at }) => said.slice(at, at + 4))).toEqual(['get ', 'tran', 'send'])
  })

  it('does so in whatever order they come', async () => {
    const sketches = [joke, translate, sms]
    const places = await place(said, ...sketches)
    for (const order of [
      [2, 1, 0],
      [1, 2, 0],
      [2, 0, 1],
    ]) {
      const again = await place(said, ...order.map((at) => sketches[at]!))
      expect(again).toEqual(order.map((at) => places[at]))
    }
  })

  it('does so where nothing tells two apart', async () => {
    const [a, b] = ['x:thing', 'y:thing'].map((id): ToolSketch => ({ id }))
    const one = await place('alpha beta gamma. delta epsilon zeta', a!, b!)
    const other = await place('alpha beta gamma. delta epsilon zeta', b!, a!)
    expect(other.toReversed()).toEqual(one)
  })

  it('lets two share a clause where it speaks of both', async () => {
    const table: ToolSketch = { id: 'food:book_table', description: 'Books a table' }
    const find: ToolSketch = { id: 'food:find_restaurant', description: 'Finds a restaurant' }
    const places = await place('book a table at a good restaurant', find, table)
    expect(places.map(({ clause }) => clause)).toEqual([0, 0])
  })

  it('says how probable each clause is', async () => {
    for (const { clause, chances } of await place(said, joke, translate, sms)) {
      expect(chances.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1)
      expect(chances[clause]).toBe(Math.max(...chances))
    }
  })

  it('finds no place in a text that says nothing', async () => {
    expect(await place('', joke)).toMatchObject([{ clause: -1, score: 0, chances: [] }])
    expect(await place(said)).toEqual([])
  })
})

describe('cosine', () => {
  it('is 1 for the same direction and 0 for another', () => {
    expect(cosine(new Float32Array([1, 0]), new Float32Array([1, 0]))).toBe(1)
    expect(cosine(new Float32Array([1, 0]), new Float32Array([0, 1]))).toBe(0)
  })
})
