import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../model/json.js'
import { fitFields, fitTypes } from './fit-fields.js'
import { shapeTools } from './shape-tools.contract.js'

const text = { type: 'string' }
const number = { type: 'number' }
const integer = { type: 'integer' }
const flag = { type: 'boolean' }
const list = (items: JsonObject): JsonObject => ({ type: 'array', items })

async function pair(output: string, given: JsonObject, input: string, wanted: JsonObject) {
  const [from, to] = await shapeTools(
    { id: 'x:get', gives: { type: 'object', properties: { [output]: given } } },
    { id: 'x:put', takes: { [input]: wanted } },
  )
  return [from!.outputs[0]!, to!.inputs[0]!] as const
}
const rate = async (...given: Parameters<typeof pair>) => fitFields(...(await pair(...given)), new Set())

describe('fitTypes', () => {
  it.each<[JsonObject, JsonObject, number]>([
    [text, text, 1],
    [integer, number, 1],
    [number, integer, 0.9],
    [number, text, 0.9],
    [text, number, 0.5],
    [list(text), list(text), 1],
    [text, list(text), 0.85],
    [list(text), text, 0.8],
    [list(number), number, 0.7],
    [{}, text, 0.8],
    [text, {}, 0.8],
    [flag, flag, 0.5],
    [flag, number, 0],
    [number, flag, 0],
    [{ type: ['null', 'string'] }, text, 1],
    [{ type: 'constructor' }, text, 0.8],
    [text, { type: 'constructor' }, 0],
  ])('of %j for %j', async (given, wanted, expected) => {
    expect(fitTypes(...(await pair('a', given, 'b', wanted)))).toBeCloseTo(expected)
  })
})

describe('fitFields', () => {
  it('is 1 for the same name and type', async () => {
    expect(await rate('user_id', text, 'userId', text)).toMatchObject({ score: 1, type: 1, words: 1 })
  })

  it('is 0 where the types cannot meet, whatever the names', async () => {
    expect(await rate('count', flag, 'count', number)).toEqual({ score: 0, type: 0, words: 0, meaning: 0 })
  })

  it.each([
    ['city', 'city_name', 'price'],
    ['temperature', 'temperature_celsius', 'user_name'],
    ['joke', 'text', 'phone_number'],
    ['summary', 'message', 'id'],
  ])('gives %s to %s rather than to %s', async (output, better, worse) => {
    const [good, bad] = [await rate(output, text, better, text), await rate(output, text, worse, text)]
    expect(good.score).toBeGreaterThan(bad.score)
  })

  it('takes a bare id for that of what the producer is about', async () => {
    const fields = await pair('id', text, 'issue_id', text)
    const [own, others] = [fitFields(...fields, new Set(['issu'])), fitFields(...fields, new Set(['user']))]
    expect(own.words).toBe(1)
    expect(own.score).toBeGreaterThan(others.score)
  })

  it('finds the output in what the input says of itself', async () => {
    const described = { type: 'string', description: 'The content of the observation' }
    const [with_, without] = [
      await rate('content', text, 'observation', described),
      await rate('content', text, 'observation', text),
    ]
    expect(with_.score).toBeGreaterThan(without.score)
  })

  it('gives a finite number in [0, 1] whatever the fields are', async () => {
    const odd: JsonObject[] = [
      {},
      { type: 'constructor' },
      { type: [] },
      { type: '__proto__' },
      list({}),
      { enum: [null, 1] },
    ]
    for (const given of odd)
      for (const wanted of odd) {
        const { score } = await rate('', given, '__proto__', wanted)
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
      }
  })
})
