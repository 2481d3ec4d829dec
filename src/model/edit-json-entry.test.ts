import { describe, expect, it } from 'vitest'
import { cutJsonEntry, insertJsonEntry } from './edit-json-entry.js'
import { type JsonTreeObject, parseJsonTree, treeValue } from './json-tree.js'

const cut = (text: string, index: number): string =>
  cutJsonEntry(text, parseJsonTree(text) as JsonTreeObject, index)
const insert = (text: string): string =>
  insertJsonEntry(text, parseJsonTree(text) as JsonTreeObject, 'new', { a: 1 }, 1)

describe('cutting', () => {
  it.each([
    ['{"a": 1, "b": 2}', 0, '{ "b": 2}'],
    ['{"a": 1, "b": 2}', 1, '{"a": 1}'],
    ['{\n  "a": 1,\n  "b": 2\n}', 0, '{\n  "b": 2\n}'],
    ['{\n  "a": 1,\n  "b": 2\n}', 1, '{\n  "a": 1\n}'],
    ['{\n  "a": 1, // one, two\n  "b": 2 // three, four\n}', 1, '{\n  "a": 1 // one, two\n}'],
    ['{\n  "a": 1 /* x */, /* y */\n  "b": 2\n}', 1, '{\n  "a": 1 /* x */ /* y */\n}'],
    ['{\r\n\t"a": 1,\r\n\t// about b\r\n\t"b": 2,\r\n}', 1, '{\r\n\t"a": 1,\r\n\t// about b\r\n}'],
  ])('%j without entry %i is %j', (text, index, after) => {
    expect(cut(text, index)).toBe(after)
  })

  it('a comma within a comment is no comma', () => {
    const text = '{\n  "a": 1 // last, but not least\n}\n'
    expect(cut(text, 0)).toBe('{\n}\n')
  })
})

describe('inserting', () => {
  it.each([
    ['{}', '{\n  "new": {\n    "a": 1\n  }\n}'],
    ['{\r\n\t"b": 2\r\n}', '{\r\n\t"b": 2,\r\n\t"new": {\r\n\t\t"a": 1\r\n\t}\r\n}'],
    ['{\n  "b": 2, // two\n}', '{\n  "b": 2, // two\n  "new": {\n    "a": 1\n  },\n}'],
    [
      '{\n  "b": 2 // two, and no more\n}',
      '{\n  "b": 2, // two, and no more\n  "new": {\n    "a": 1\n  }\n}',
    ],
    ['\ufeff{\n  // nothing\n}', '\ufeff{\n  // nothing\n  "new": {\n    "a": 1\n  }\n}'],
  ])('into %j gives %j', (text, after) => {
    expect(insert(text)).toBe(after)
  })
})

it('whatever the spacing and the comments, exactly one entry goes or comes', () => {
  let seed = 42
  const below = (limit: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(seed / 65_536) % limit
  }
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!
  const gap = (): string =>
    one(['', ' ', '\n', '\n  ', '\r\n\t', ' // c, "x": {} \n', '/* a, b } */', '\n\n  // z\n  '])
  const scalar = (): string =>
    one(['1', 'true', '"a,b"', '"// no"', '"}"', '"\\\\"', '[1, 2,]', '{ "k": "/*" }'])
  for (let round = 0; round < 3_000; round++) {
    const count = 1 + below(4)
    const entries = Array.from({ length: count }, (_, index) => {
      const comma = index < count - 1 || below(3) === 0 ? ',' : ''
      return `${gap()}"k${index}"${gap()}:${gap()}${scalar()}${gap()}${comma}`
    })
    const text = `${one(['', '\ufeff'])}${gap()}{${entries.join('')}${gap()}}${gap()}`
    const value = treeValue(parseJsonTree(text)) as Record<string, unknown>
    const index = below(count)
    const { [`k${index}`]: _, ...rest } = value
    expect(treeValue(parseJsonTree(cut(text, index))), text).toEqual(rest)
    expect(treeValue(parseJsonTree(insert(text))), text).toEqual({ ...value, new: { a: 1 } })
  }
})
