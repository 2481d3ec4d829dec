import { describe, expect, it } from 'vitest'
import { ReferenceSyntaxError } from '../errors.js'
import type { Json } from './json.js'
import { collectReferences, isReference, parseReference, readPath } from './reference.js'

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
  }

  it.each<[string, unknown]>([
    ['t', value],
    ['t.items[1].id', 2],
    ['t.items.1.id', 2],
    ['t["items"][0]', { id: 1 }],
    ['t.items[*].id', [1, 2]],
    ['t.matrix[*][*].n', [[1], [2, 3]]],
    ['t.nothing', null],
  ])('finds %s', (reference, expected) => {
    expect(read(value, reference)).toEqual({ found: true, value: expected })
  })

  it.each<[string, string, string]>([
    ['t.rows', '', 'an object with items, text, nothing, matrix'],
    ['t.items[7].id', '.items', 'an array of 2'],
    ['t.items[0].name', '.items[0]', 'an object with id'],
    ['t.items[*].name', '.items[0]', 'an object with id'],
    ['t.text.length', '.text', 'text'],
    ['t.items.length', '.items', 'an array of 2'],
    ['t.text[*]', '.text', 'text'],
    ['t.nothing.x', '.nothing', 'null'],
    ['t.constructor', '', 'an object with items, text, nothing, matrix'],
    ['t.__proto__', '', 'an object with items, text, nothing, matrix'],
    ['t.items.map', '.items', 'an array of 2'],
  ])('says where %s ends and what is there', (reference, at, there) => {
    expect(read(value, reference)).toEqual({ found: false, at, there })
  })

  it('lists a dozen keys of a large object, not all', () => {
    const large = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key${i}`, i]))
    expect(read(large, 't.x')).toMatchObject({ there: expect.stringMatching(/key11 and 488 more$/) })
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

  it('refuses a $from that is not text', () => {
    expect(() => collectReferences({ a: { $from: 5 } })).toThrow(ReferenceSyntaxError)
  })

  it('costs no stack on a value 200,000 levels deep', () => {
    let deep: Json = { $from: 'x' }
    for (let i = 0; i < 200_000; i++) deep = [deep]
    expect(collectReferences(deep)).toHaveLength(1)
  })
})
