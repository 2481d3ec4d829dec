import { describe, expect, it } from 'vitest'
import type { Json } from '../../model/json.js'
import { joinKey } from '../wire/schema-fields.js'
import { setAt } from './set-at.js'

const made = (...puts: readonly [string, Json][]) => {
  const root: Record<string, Json> = {}
  for (const [path, value] of puts) setAt(root, path, value)
  return root
}

describe('setAt', () => {
  it.each<[string, unknown]>([
    ['a', { a: 1 }],
    ['a.b.c', { a: { b: { c: 1 } } }],
    ['a[0]', { a: [1] }],
    ['a[0].b', { a: [{ b: 1 }] }],
    ['a[0][1]', { a: [[undefined, 1]] }],
    ['a["b c"][0]', { a: { 'b c': [1] } }],
    ['["x.y"].z', { 'x.y': { z: 1 } }],
    ['["a\\"]b"]', { 'a"]b': 1 }],
    ['[""]', { '': 1 }],
  ])('puts a value at %s', (path, expected) => {
    expect(made([path, 1])).toEqual(expected)
  })

  it('adds to what is there', () => {
    expect(made(['a[0].b', 1], ['a[0].c', 2], ['a[1].b', 3], ['d', 4])).toEqual({
      a: [{ b: 1, c: 2 }, { b: 3 }],
      d: 4,
    })
  })

  it('replaces what can hold nothing', () => {
    expect(made(['a', 1], ['a.b', 2])).toEqual({ a: { b: 2 } })
    expect(made(['a', null], ['a[0]', 2])).toEqual({ a: [2] })
  })

  it.each([
    '__proto__',
    'constructor',
    'toString',
    'a.b',
    'a"b',
    'a]b',
    '\n',
    '\\',
  ])('keeps %j a field like any other', (key) => {
    const root = made([joinKey(joinKey('', key), 'polluted'), true])
    expect(Object.keys(root)).toEqual([key])
    expect(Object.getPrototypeOf(root)).toBe(Object.prototype)
    expect(JSON.stringify(root)).toBe(`{${JSON.stringify(key)}:{"polluted":true}}`)
    expect('polluted' in {}).toBe(false)
  })
})
