import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../model/json.js'
import { cpuMs } from '../read/cpu-ms.contract.js'
import { joinKey, schemaFields } from './schema-fields.js'

const text = { type: 'string' }
const object = (properties: Json, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})
const list = (items: Json): JsonObject => ({ type: 'array', items })
const paths = (schema: unknown) => schemaFields(schema).map(({ path }) => path)
const field = (property: Json, more: JsonObject = {}) => schemaFields(object({ x: property }, more))[0]!

describe('schemaFields', () => {
  it.each<[string, Json, string[]]>([
    [
      'objects and lists within one another',
      object({ repo: object({ id: text }), files: list(object({ name: text })) }),
      ['repo', 'repo.id', 'files', 'files[*]', 'files[*].name'],
    ],
    ['a list of plain values', object({ tags: list(text) }), ['tags']],
    [
      'a list of lists of objects',
      object({ rows: list(list(object({ a: text }))) }),
      ['rows', 'rows[*]', 'rows[*][*]', 'rows[*][*].a'],
    ],
    ['a list at the top', list(object({ a: text })), ['[*]', '[*].a']],
    ['a plain value at the top', text, ['']],
    [
      'a reference',
      { ...object({ a: { $ref: '#/$defs/A' } }), $defs: { A: object({ b: text }) } },
      ['a', 'a.b'],
    ],
    [
      'a reference to nowhere',
      object({ a: { $ref: '#/$defs/None' }, b: { $ref: 'https://x.y/z' } }),
      ['a', 'b'],
    ],
    [
      'variants',
      {
        allOf: [object({ a: text })],
        anyOf: [object({ b: text })],
        oneOf: [object({ c: text })],
        ...object({ d: text }),
      },
      ['d', 'a', 'b', 'c'],
    ],
    [
      'a tuple, each of its places by number',
      object({ pair: { prefixItems: [object({ a: text }), object({ b: text })], items: false } }),
      ['pair', 'pair[0]', 'pair[0].a', 'pair[1]', 'pair[1].b'],
    ],
    ['an older tuple', object({ pair: { items: [object({ a: text })] } }), ['pair', 'pair[0]', 'pair[0].a']],
    [
      'what may be anything, and what may not be',
      object({ a: true, b: false, c: {}, d: null, e: 7 }),
      ['a', 'c'],
    ],
    ['what can only be null', object({ a: { type: 'null' }, b: { const: null }, c: text }), ['c']],
    ['no schema at all', null, []],
    ['true', true, []],
    ['nothing', {}, ['']],
    ['properties that are none', { properties: 'a', required: 'a', items: 3, allOf: {}, type: 4 }, ['']],
  ])('lists the fields of %s', (_, schema, expected) => {
    expect(paths(schema)).toEqual(expected)
  })

  it.each<[string, Json, string[]]>([
    ['a text', text, ['string']],
    ['a text or null', { type: ['string', 'null'] }, ['string']],
    ['a text or a number', { type: ['string', 'number'] }, ['string', 'number']],
    ['a text or null, as variants', { anyOf: [text, { type: 'null' }] }, ['string']],
    ['something without a type', {}, []],
    ['something that has items', { items: text }, ['array']],
    ['something that has properties', { properties: {} }, ['object']],
    ['a choice', { enum: ['a', 2, null, [1]] }, ['string', 'number', 'array']],
    ['a type that nobody knows', { type: 'file' }, ['file']],
  ])('knows the types of %s', (_, property, expected) => {
    expect([...field(property).types]).toEqual(expected)
  })

  it.each<[string, Json, Json[] | undefined]>([
    ['an enum', { enum: ['a', 'b'] }, ['a', 'b']],
    ['a constant', { const: 5 }, [5]],
    ['constants as variants', { anyOf: [{ const: 'a' }, { const: 'b' }] }, ['a', 'b']],
    ['an enum or null', { anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] }, ['a', 'b']],
    ['an enum or any text', { anyOf: [{ enum: ['a', 'b'] }, text] }, undefined],
    ['an enum or anything', { anyOf: [{ enum: ['a', 'b'] }, true] }, undefined],
    [
      'fifty constants',
      { oneOf: Array.from({ length: 50 }, (_, at) => ({ const: at })) },
      Array.from({ length: 50 }, (_, at) => at),
    ],
    [
      'more constants than are looked at',
      { oneOf: Array.from({ length: 500 }, (_, at) => ({ const: at })) },
      undefined,
    ],
  ])('knows the choices of %s', (_, property, expected) => {
    expect(field(property).choices).toEqual(expected)
  })

  it.each<[string, Json, string[]]>([
    ['what is required itself', object({ a: text, b: text }, { required: ['a', 5] }), ['a']],
    [
      'what one of allOf requires',
      { allOf: [object({ a: text, b: text }, { required: ['a'] }), { required: ['b'] }] },
      ['a', 'b'],
    ],
    [
      'what every variant requires',
      {
        anyOf: [
          object({ a: text, b: text }, { required: ['a', 'b'] }),
          object({ a: text }, { required: ['a'] }),
        ],
      },
      ['a'],
    ],
    ['what a variant may do without', { anyOf: [object({ a: text }, { required: ['a'] }), true] }, []],
    [
      'what is there unless all is null',
      { oneOf: [object({ a: text }, { required: ['a'] }), { type: 'null' }] },
      ['a'],
    ],
    [
      'what a reference requires',
      { $ref: '#/$defs/A', $defs: { A: object({ a: text }, { required: ['a'] }) } },
      ['a'],
    ],
  ])('takes for required %s', (_, schema, expected) => {
    expect(
      schemaFields(schema)
        .filter(({ isRequired }) => isRequired)
        .map(({ path }) => path),
    ).toEqual(expected)
  })

  it('tells what is always required from what is required where its holder is', () => {
    const inner = object({ id: text }, { required: ['id'] })
    const [, id] = schemaFields(object({ repo: inner }))
    expect(id).toMatchObject({ path: 'repo.id', isRequired: false, isRequiredHere: true })
    const [, sure] = schemaFields(object({ repo: inner }, { required: ['repo'] }))
    expect(sure).toMatchObject({ path: 'repo.id', isRequired: true, isRequiredHere: true })
  })

  it('keeps what a schema says of a field', () => {
    const schema = { type: 'string', description: 'When', format: 'date', default: '2024-01-01' }
    expect(field(schema)).toMatchObject({
      name: 'x',
      words: ['x'],
      description: 'When',
      format: 'date',
      default: '2024-01-01',
    })
    expect(field({ $ref: '#/$defs/D', description: 'Mine' }, { $defs: { D: schema } })).toMatchObject({
      description: 'Mine',
      format: 'date',
    })
    expect(field({ title: 'Title' }).description).toBe('Title')
    expect(field({ description: 7, format: [], title: {} }).description).toBe('')
    expect(field(list({ enum: ['a', 'b'] }))).toMatchObject({
      itemTypes: new Set(['string']),
      itemChoices: ['a', 'b'],
    })
  })

  it('counts the lists that a field stands in', () => {
    const fields = schemaFields(object({ a: list(object({ b: list(object({ c: text })) })) }))
    expect(fields.at(-1)).toMatchObject({ path: 'a[*].b[*].c', lists: 2 })
  })

  it('ends where a schema leads back to itself', () => {
    const tree = object({ value: text, children: list({ $ref: '#' }) }, { required: ['value'] })
    expect(paths(tree)).toEqual(['value', 'children'])
    // Nothing within it is listed, so it is one value.
    expect(schemaFields(tree)[1]).toMatchObject({
      isContainer: false,
      types: new Set(['array']),
      itemTypes: new Set(['object']),
    })
    const $defs = {
      Egg: object({ size: text, hen: { $ref: '#/$defs/Hen' } }),
      Hen: object({ name: text, egg: { $ref: '#/$defs/Egg' } }),
    }
    expect(paths({ ...object({ first: { $ref: '#/$defs/Egg' } }), $defs })).toEqual([
      'first',
      'first.size',
      'first.hen',
      'first.hen.name',
      'first.hen.egg',
    ])
    expect(
      paths({ $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } }),
    ).toEqual([''])
    expect(paths({ allOf: [{ $ref: '#' }], ...object({ a: text }) })).toEqual(['a'])
  })

  it.each([
    '__proto__',
    'constructor',
    'a.b',
    'a[0]',
    'a"b',
    "a'b",
    'a b',
    '',
    '*',
    '字',
    '\n',
  ])('takes %j for a name like any other', (name) => {
    const schema = JSON.parse(
      `{"type":"object","required":[${JSON.stringify(name)}],"properties":{${JSON.stringify(name)}:{"type":"string"}}}`,
    ) as Json
    const [only, ...others] = schemaFields(schema)
    expect(only).toMatchObject({
      name,
      path: joinKey('', name),
      isRequired: true,
      types: new Set(['string']),
    })
    expect(others).toEqual([])
  })

  it.each<[string, () => Json, number]>([
    [
      'of 1,000 properties',
      () => object(Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`p${at}`, text]))),
      200,
    ],
    ['1,000 deep', () => deep(1_000, (inner) => object({ a: inner })), 7],
    ['of lists 1,000 deep', () => object({ a: deep(1_000, (inner) => list(inner)) }), 1],
    ['of variants 1,000 deep', () => deep(1_000, (inner) => ({ anyOf: [inner, { type: 'null' }] })), 1],
    ['that doubles with every reference', () => doubling('allOf', 60), 1],
    ['that doubles with every variant', () => doubling('anyOf', 60), 1],
    ['that doubles with every property', () => doublingProperties(60), 200],
    ['of tuples within tuples', () => tuples(text), 1],
    ['of tuples within tuples of objects', () => tuples(object({ a: text })), 200],
    ['of 100,000 variants', () => ({ anyOf: Array.from({ length: 100_000 }, () => text) }), 1],
    ['where everything is a variant of everything', () => tangle(100), 200],
    ['with a name of 1,000,000 characters', () => object({ ['a'.repeat(1_000_000)]: text }), 1],
  ])('reads a schema %s in bounded time', (_, make, most) => {
    const schema = make()
    let count = 0
    expect(cpuMs(() => (count = schemaFields(schema).length))).toBeLessThan(250)
    expect(count).toBeGreaterThan(0)
    expect(count).toBeLessThanOrEqual(most)
  })
})

function deep(levels: number, wrap: (inner: Json) => Json): Json {
  let schema: Json = text
  for (let level = 0; level < levels; level++) schema = wrap(schema)
  return schema
}

function doubling(keyword: string, levels: number): Json {
  const next = (level: number) => ({ $ref: `#/$defs/L${level + 1}` })
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [`L${level}`, { [keyword]: [next(level), next(level)] }]),
  )
  return { $ref: '#/$defs/L0', $defs: { ...$defs, [`L${levels}`]: text } }
}

function doublingProperties(levels: number): Json {
  const next = (level: number) => ({ $ref: `#/$defs/L${level + 1}` })
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      `L${level}`,
      object({ a: next(level), b: list(next(level)) }),
    ]),
  )
  return { $ref: '#/$defs/L0', $defs: { ...$defs, [`L${levels}`]: text } }
}

function tuples(innermost: Json): Json {
  const next = (level: number) => ({ $ref: `#/$defs/L${level + 1}` })
  const $defs = Object.fromEntries(
    Array.from({ length: 5 }, (_, level) => [
      `L${level}`,
      { prefixItems: Array.from({ length: 100 }, () => next(level)) },
    ]),
  )
  return { $ref: '#/$defs/L0', $defs: { ...$defs, L5: innermost } }
}

function tangle(count: number): Json {
  const all = Array.from({ length: count }, (_, at) => ({ $ref: `#/$defs/T${at}` }))
  const $defs = Object.fromEntries(
    all.map((_, at) => [
      `T${at}`,
      { anyOf: all, oneOf: all, allOf: all, ...object({ [`p${at}`]: { anyOf: all } }) },
    ]),
  )
  return { $ref: '#/$defs/T0', $defs }
}
