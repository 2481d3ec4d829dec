import { describe, expect, it } from 'vitest'
import { ReferenceSyntaxError } from '../errors.js'
import type { Json } from './json.js'
import {
  collectReferences,
  isReference,
  parseReference,
  placeReferences,
  readPath,
  readPlaces,
} from './reference.js'

const read = (value: Json, reference: string) => readPath(value, parseReference(reference).path)

describe('parseReference', () => {
  it('reads every form of the grammar', () => {
    expect(parseReference('t.a[0]["odd \\"key\\""][\'k.k\'][*].id')).toMatchObject({
      task: 't',
      path: [
        { kind: 'key', key: 'a' },
        { kind: 'index', index: 0 },
        { kind: 'key', key: 'odd "key"' },
        { kind: 'key', key: 'k.k' },
        { kind: 'each' },
        { kind: 'key', key: 'id' },
      ],
    })
    expect(parseReference('task')).toMatchObject({ task: 'task', path: [] })
    expect(parseReference('task-1.größe.数').path).toHaveLength(2)
  })

  it.each([
    '',
    '.a',
    '[0]',
    't.',
    't..a',
    't[',
    't[]',
    't[-1]',
    't[a]',
    't["a]',
    't["\\x"]',
    't.a b',
    ' t',
    't ',
    't]',
    't[1e3]',
  ])('refuses %j', (text) => {
    expect(() => parseReference(text)).toThrow(ReferenceSyntaxError)
  })

  it('refuses a reference of unreasonable length and quotes little of it', () => {
    const text = `t${'.a'.repeat(50_000)}`
    expect(() => parseReference(text)).toThrow(/^"t(\.a)+\.?\.\.\." is not a reference\.$/)
  })
})

describe('readPath', () => {
  const value = {
    items: [{ id: 1 }, { id: 2 }],
    text: 'x',
    nothing: null,
    matrix: [[{ n: 1 }], [{ n: 2 }, { n: 3 }]],
    lines: ' a.txt\r\n\n  b c.txt\n\t\n',
  }

  it.each<[string, unknown]>([
    ['t', value],
    ['t.items[1].id', 2],
    ['t.items.1.id', 2],
    ['t["items"][0]', { id: 1 }],
    ['t.items[*].id', [1, 2]],
    ['t.matrix[*][*].n', [[1], [2, 3]]],
    ['t.nothing', null],
    ['t.lines[*]', ['a.txt', 'b c.txt']],
    ['t.text[*]', ['x']],
  ])('finds %s', (reference, expected) => {
    expect(read(value, reference)).toEqual({ found: true, value: expected })
  })

  it.each<[string, string, string]>([
    ['t.rows', '', 'an object with items, text, nothing, matrix, lines'],
    ['t.items[7].id', '.items', 'an array of 2'],
    ['t.items[0].name', '.items[0]', 'an object with id'],
    ['t.items[*].name', '.items[0]', 'an object with id'],
    ['t.text.length', '.text', 'text'],
    ['t.items.length', '.items', 'an array of 2'],
    ['t.text[0]', '.text', 'text'],
    ['t.lines[*].x', '.lines[0]', 'text'],
    ['t.nothing[*]', '.nothing', 'null'],
    ['t.nothing.x', '.nothing', 'null'],
    ['t.constructor', '', 'an object with items, text, nothing, matrix, lines'],
    ['t.__proto__', '', 'an object with items, text, nothing, matrix, lines'],
    ['t.items.map', '.items', 'an array of 2'],
  ])('says where %s ends and what is there', (reference, at, there) => {
    expect(read(value, reference)).toEqual({ found: false, at, there })
  })

  it('lists a dozen keys of a large object, not all', () => {
    const large = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key${i}`, i]))
    expect(read(large, 't.x')).toMatchObject({ there: expect.stringMatching(/key11 and 488 more$/) })
  })
})

describe('readPlaces', () => {
  const places = (value: Json, reference: string) => readPlaces(value, parseReference(reference).path)
  const found = (...values: Json[]) => values.map((value) => ({ found: true, value }))

  it.each<[string, Json, readonly Json[]]>([
    ['t.items[*].id', { items: [{ id: 1 }, { id: 2 }] }, [1, 2]],
    ['t[*]', 'a\n\nb\n', ['a', 'b']],
    ['t[*][*].n', [[{ n: 1 }], [], [{ n: 2 }, { n: 3 }]], [1, 2, 3]],
    ['t[*]', [], []],
    ['t.items', { items: [1, 2] }, [1, 2]],
  ])('lays out %s', (reference, value, expected) => {
    expect(places(value, reference)).toEqual(found(...expected))
  })

  it('keeps the place of an item in which the path leads nowhere', () => {
    expect(places({ rows: [{ id: 1 }, {}, { id: 3 }] }, 't.rows[*].id')).toEqual([
      { found: true, value: 1 },
      { found: false, at: '.rows[1]', there: 'an object without fields' },
      { found: true, value: 3 },
    ])
    expect(places([{ tags: ['a', 'b'] }, { tags: 5 }], 't[*].tags[*]')).toEqual([
      ...found('a', 'b'),
      { found: false, at: '[1].tags', there: 'a number' },
    ])
  })

  it('says where the way to the list ends', () => {
    expect(places({ rows: 5 }, 't.rows[*].id')).toEqual({ found: false, at: '.rows', there: 'a number' })
    expect(places({ rows: 5 }, 't.items[*]')).toEqual({
      found: false,
      at: '',
      there: 'an object with rows',
    })
  })
})

describe('collectReferences', () => {
  it('finds references anywhere, in order', () => {
    const args = { a: { $from: 'x' }, list: [1, { deep: { $from: 'y.z' } }], b: { $from: 'x' } }
    expect(collectReferences(args).map((reference) => reference.text)).toEqual(['x', 'y.z', 'x'])
  })

  it('takes $from beside other keys for data', () => {
    expect(isReference({ $from: 'x', other: 1 })).toBe(false)
    expect(collectReferences({ mail: { $from: 'me@example.org', $to: 'you@example.org' } })).toEqual([])
  })

  it('says where each stands', () => {
    const args = { list: [1, { deep: { $from: 'y.z', $as: 'number' } }], b: { $from: 'x' } }
    expect(placeReferences(args)).toEqual([
      { reference: expect.objectContaining({ text: 'y.z', as: 'number' }), place: ['list', 1, 'deep'] },
      { reference: expect.objectContaining({ text: 'x' }), place: ['b'] },
    ])
  })

  it.each<[string, unknown]>([
    ['no name', 5],
    ['of another name', 'date'],
    ['named like a prototype', 'constructor'],
  ])('refuses an $as that is %s, and says which there are', (_, $as) => {
    expect(() => collectReferences({ a: { $from: 'x', $as } })).toThrow(
      expect.objectContaining({
        code: 'BAD_REFERENCE',
        hint: '"$as" is one of "text", "number", "boolean", "list".',
      }),
    )
  })

  it('refuses a $from that is not text', () => {
    expect(() => collectReferences({ a: { $from: 5 } })).toThrow(ReferenceSyntaxError)
  })

  it('costs no stack on a value 200,000 levels deep', () => {
    let deep: Json = { $from: 'x' }
    for (let i = 0; i < 200_000; i++) deep = [deep]
    expect(collectReferences(deep)).toHaveLength(1)
  })
})
