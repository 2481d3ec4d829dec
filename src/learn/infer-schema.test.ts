import { describe, expect, it } from 'vitest'
import { canonicalJson, type Json, type JsonObject } from '../model/json.js'
import { seededRandom } from '../model/seeded-random.js'
import { inferSchema, mergeSchemas } from './infer-schema.js'

function mergeAll(values: readonly Json[]): JsonObject {
  return values.map(inferSchema).reduce(mergeSchemas)
}

describe('one result', () => {
  it('gives its types and fields, all of them required', () => {
    expect(inferSchema({ total: 2, ratio: 0.5, ok: true, next: null, items: [{ id: 1 }] })).toEqual({
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
        },
        next: { type: 'null' },
        ok: { type: 'boolean' },
        ratio: { type: 'number' },
        total: { type: 'integer' },
      },
      required: ['items', 'next', 'ok', 'ratio', 'total'],
    })
  })

  it('the rows of a list are one, with what each of them has as required', () => {
    expect(inferSchema([{ id: 1, name: 'a' }, { id: 1.5, name: null }, { id: 2 }])).toEqual({
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'number' }, name: { type: ['string', 'null'] } },
        required: ['id'],
      },
    })
  })

  it('says nothing of what a list without elements holds, or an object without fields', () => {
    expect(inferSchema([])).toEqual({ type: 'array', items: {} })
    expect(inferSchema({})).toEqual({ type: 'object', properties: {} })
    expect(mergeAll([[], ['a'], [{}, 3]])).toEqual({
      type: 'array',
      items: { type: ['object', 'string', 'integer'], properties: {} },
    })
  })

  it('keys that are data make a map, by their look or by their number', () => {
    const map = { type: 'object', additionalProperties: { type: 'integer' } }
    const days = { '2024-01-01': 1, '2024-01-02': 2 }
    const files = { 'src/a.ts': 1, 'src/b.ts': 2 }
    const issues = { 'PROJ-118': 1, 'PROJ-119': 2, total: 3 }
    const ids = { '0191f0a2-7c1e-7aaa-8bbb-123456789abc': 1, '550e8400-e29b-41d4-a716-446655440000': 1 }
    for (const value of [days, files, issues, ids, { 17: 1 }]) expect(inferSchema(value)).toEqual(map)
    const words = Object.fromEntries(
      Array.from({ length: 61 }, (_, at) => [`word${'abcdefgh'[at % 8]}${at}x`, at]),
    )
    expect(inferSchema(words)).toEqual(map)
    expect(inferSchema({ id: 1, sha256: 2, address_1: 3, line2: 4 })).toHaveProperty('properties')
  })

  it.each([
    ['src/a.ts\nsrc/b.ts\n', 'paths'],
    ['/home/ann/My Notes/a.txt\r\n/home/ann/b.txt', 'paths with spaces'],
    ['https://a.example/x?y=(1)\nhttps://b.example/', 'addresses'],
    ['PROJ-1\nPROJ-2\n\nPROJ-3', 'ids'],
    ['Ann Smith\nBob Jones', 'names'],
  ])('a text with one thing on each line is said to be lines: %j (%s)', (text) => {
    expect(inferSchema(text)).toEqual({ type: 'string', format: 'lines' })
  })

  it.each([
    'Dear Ann,\n\nthe build is broken.',
    'We went home\nand slept well',
    'const a = 1\nconst b = 2',
    'id,name\n1,Ann',
    '- milk\n- bread',
    '# Title\nintro',
    'HOST=a\nPORT=1',
    '// a comment\n// and another',
    '{\n"a": 1\n}',
    'name: x\nversion: 2',
  ])('a text that is something else is none: %j', (text) => {
    expect(inferSchema(text)).toEqual({ type: 'string', contentMediaType: 'text/plain' })
  })

  it('a field may have any name', () => {
    const schema = inferSchema(JSON.parse('{"__proto__": 1, "constructor": "x", "...": null}'))
    expect(Object.keys(schema.properties as JsonObject)).toEqual(['...', '__proto__', 'constructor'])
    expect(mergeSchemas(schema, schema)).toEqual(schema)
  })
})

describe('several results', () => {
  it('a list of lines that is sometimes a single line or a short answer stays lines, among prose it does not', () => {
    const lines = { type: 'string', format: 'lines' }
    expect(mergeAll(['a.ts\nb.ts', 'a.ts', 'No matches found', ''])).toEqual(lines)
    expect(mergeAll(['a.ts\nb.ts', 'Dear Ann,\nhello.', 'a.ts\nb.ts'])).toEqual({
      type: 'string',
      contentMediaType: 'text/plain',
    })
  })

  it('what is sometimes a text and sometimes an object keeps both', () => {
    expect(mergeAll([{ id: 1 }, 'no such issue', { id: 2, url: 'x' }])).toEqual({
      type: ['object', 'string'],
      properties: { id: { type: 'integer' }, url: { type: 'string' } },
      required: ['id'],
    })
  })

  it('fields that are others each time become a map', () => {
    const word = (at: number) => `w${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}`
    const results = Array.from({ length: 40 }, (_, at) => ({ [word(at * 2)]: at, [word(at * 2 + 1)]: 'x' }))
    expect(mergeAll(results)).toEqual({
      type: 'object',
      additionalProperties: { type: ['string', 'integer'] },
    })
  })

  for (const seed of [1, 2, 3, 4])
    it(`come to the same in any order, any grouping and any number (seed ${seed})`, () => {
      const random = seededRandom(seed)
      for (let round = 0; round < 60; round++) {
        const values = Array.from({ length: 6 }, () => randomJson(random, 5))
        const schemas = values.map(inferSchema)
        const text = canonicalJson(schemas.reduce(mergeSchemas))
        const shuffled = schemas
          .map((schema) => ({ schema, at: random() }))
          .sort((a, b) => a.at - b.at)
          .map(({ schema }) => schema)
        const [a, b, c, ...rest] = shuffled
        const grouped = mergeSchemas(mergeSchemas(a!, b!), [c!, ...rest].reduce(mergeSchemas))
        expect(canonicalJson(grouped)).toBe(text)
        expect(canonicalJson([...shuffled, ...schemas].reduce(mergeSchemas))).toBe(text)
        expect(canonicalJson(mergeSchemas(grouped, grouped))).toBe(text)
      }
    })

  it('never grow without end, and what was cut is cut for all in the same way', () => {
    const random = seededRandom(9)
    let merged: JsonObject = {}
    for (let round = 0; round < 200; round++) merged = mergeSchemas(merged, inferSchema(bushy(random, 7)))
    expect(nodesOf(merged)).toBeLessThanOrEqual(400)
    expect(nodesOf(merged)).toBeGreaterThan(1)
    const wide = Array.from({ length: 5 }, () => inferSchema(bushy(random, 7)))
    const texts = [wide, wide.toReversed(), [wide[3]!, ...wide]].map((order) =>
      canonicalJson(order.reduce(mergeSchemas)),
    )
    expect(new Set(texts).size).toBe(1)
  })
})

it('looks no further into a result than it needs to', () => {
  let deep: Json = 'bottom'
  for (let depth = 0; depth < 100_000; depth++) deep = depth % 2 ? [deep] : { deep }
  const rows = (levels: number): Json =>
    levels === 0 ? 1 : Array.from({ length: 60 }, () => rows(levels - 1))
  const keys = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key ${at}`, at]))
  const shared = rows(3)
  const begin = performance.now()
  for (const value of [deep, [shared, [shared, [shared, shared]]], keys, 'a\n'.repeat(5_000_000)])
    expect(nodesOf(inferSchema(value))).toBeLessThanOrEqual(400)
  expect(performance.now() - begin).toBeLessThan(1_000)
})

function nodesOf(schema: JsonObject): number {
  const inner = [
    ...Object.values((schema.properties ?? {}) as JsonObject),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(schema.additionalProperties === undefined ? [] : [schema.additionalProperties]),
  ]
  return inner.reduce<number>((sum, one) => sum + nodesOf(one as JsonObject), 1)
}

/** Few names, so that results meet in them. */
function randomJson(random: () => number, levels: number): Json {
  const below = (limit: number): number => Math.floor(random() * limit)
  const leaves: Json[] = [null, true, 3, 2.5, 'one line', 'a.ts\nb.ts', 'Dear Ann,\nhi.', '']
  if (levels === 0 || random() < 0.4) return leaves[below(leaves.length)]!
  if (random() < 0.4) return Array.from({ length: below(4) }, () => randomJson(random, levels - 1))
  const names =
    random() < 0.15 ? ['2024-01-01', '2024-01-02', 'PROJ-118'] : ['id', 'name', 'items', 'url', 'by']
  return Object.fromEntries(
    names.filter(() => random() < 0.5).map((name) => [name, randomJson(random, levels - 1)]),
  )
}

function bushy(random: () => number, levels: number): Json {
  if (levels === 0) return random() < 0.5 ? 1 : 'x'
  const names = ['one', 'two', 'three', 'four', 'five', 'six'].filter(() => random() < 0.6)
  return Object.fromEntries(names.map((name) => [name, bushy(random, levels - 1)]))
}

it('a field whose name was a secret is left out', () => {
  expect(inferSchema({ id: 1, '[redacted]': 2 })).toEqual({
    type: 'object',
    properties: { id: { type: 'integer' } },
    required: ['id'],
  })
})
