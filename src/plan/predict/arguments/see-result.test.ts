import { expect, it } from 'vitest'
import type { Json } from '../../../model/json.js'
import { seeResult } from './see-result.js'

const values = (result: Json, path: string): readonly Json[] =>
  seeResult(result)
    .once(path)
    .map(({ value }) => value)
const total = (result: Json): number =>
  [...seeResult(result).lists.values()].reduce((sum, list) => sum + list.length, 0)

/** Ten times what it takes here on a busy day. */
function within(ms: number, act: () => void): void {
  const start = performance.now()
  act()
  expect(performance.now() - start).toBeLessThan(ms)
}

it('places in lists and keys that are data are the same path', () => {
  const result = { hits: [{ id: 1 }, { id: 2 }], payments: { card_4711: { sum: 5 }, card_4712: { sum: 6 } } }
  expect(values(result, 'hits[*].id')).toEqual([1, 2])
  expect(values(result, 'payments{*}')).toEqual(['card_4711', 'card_4712'])
  expect(values(result, 'payments{*}.sum')).toEqual([5, 6])
})

it('each value stands once, and a row has all fields of its object', () => {
  const seen = seeResult([{ a: 'x', b: { c: 1 } }, { a: 'x', b: { c: 2 } }, { a: 'y' }])
  expect(seen.once('[*].a').map(({ key }) => key)).toEqual(['x', 'y'])
  expect(seen.rows(['[*].a', '[*].b.c']).map((row) => row.values)).toEqual([
    ['x', 1],
    ['x', 2],
  ])
})

it('JSON within a text, and within that, is read', () => {
  const inner = JSON.stringify({ id: 'deep-42' })
  expect(values({ content: JSON.stringify({ text: inner }) }, 'content.text.id')).toEqual(['deep-42'])
  expect(values('{broken', '')).toEqual(['{broken'])
})

it('entries of a listing are told apart by what marks them', () => {
  const listing = '[DIR] src\n[FILE] a.md\n[FILE] b c.md'
  expect(values(listing, '#FILE')).toEqual(['a.md', 'b c.md'])
  expect(values(listing, '#DIR')).toEqual(['src'])
})

it('cells of a table have their heading, in tables of text as well', () => {
  expect(values('| id | name |\n|:--|--:|\n| 7 | Ann |\n| 8 | Bo |', '#table.name')).toEqual(['Ann', 'Bo'])
  expect(values('id\tname\n7\tAnn', '#table.id')).toEqual(['7'])
})

it('addresses, paths and ids are found in prose, plain words are not', () => {
  const text = 'The run of build-77 wrote /var/log/x.txt, see https://ci.example.org/runs/77.'
  expect(values(text, '#url')).toEqual(['https://ci.example.org/runs/77'])
  expect(values(text, '#path').map((path) => String(path).replace(/,$/, ''))).toEqual(['/var/log/x.txt'])
  expect(values(text, '#id')).toEqual(['build-77'])
})

it('letters of every script and half of a pair break nothing', () => {
  const odd = ['日本語', '\ud800', '\u0000', '🙂🙂', '\u202eabc', 'é́', ' ']
  for (const text of odd)
    expect(() => seeResult({ [text]: text, list: [`${text}\n${text} a-1`] })).not.toThrow()
  expect(values({ 名: '東京' }, '名')).toEqual(['東京'])
})

it('keys that objects are made of are keys', () => {
  const result = JSON.parse('{"__proto__": {"id": "p-1"}, "constructor": "c-1"}') as Json
  expect(values(result, '__proto__.id')).toEqual(['p-1'])
  expect(values(result, 'constructor')).toEqual(['c-1'])
  expect(({} as Record<string, unknown>).id).toBeUndefined()
})

it('10,000 elements give the first 400 values', () => {
  const result = Array.from({ length: 10_000 }, (_, id) => ({ id }))
  expect(values(result, '[*].id')).toHaveLength(400)
})

it('what is nested too deep is left out', () => {
  let deep: Json = 'bottom-1'
  for (let at = 0; at < 5_000; at++) deep = at % 2 === 0 ? [deep] : { a: deep }
  within(100, () => expect(total(deep)).toBe(0))
})

it.each<readonly [string, () => Json]>([
  ['one line of 10 MB', () => 'x1'.repeat(5_000_000)],
  ['10 MB of lines', () => 'abc-12 def\n'.repeat(1_000_000)],
  ['10 MB of spaces and a bracket', () => `{${' '.repeat(10_000_000)}x`],
  [
    '10 MB of JSON in a text',
    () => JSON.stringify(Array.from({ length: 500_000 }, (_, id) => ({ id, a: 'b' }))),
  ],
  ['a million times nothing', () => Array<null>(1_000_000).fill(null)],
  ['a million empty lists', () => Array.from({ length: 1_000_000 }, () => [])],
  ['200,000 keys', () => Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`k${at}`, at]))],
  [
    'keys of a megabyte',
    () => ({ ['k'.repeat(1_000_000)]: { a: 1, b: { c: 2 } }, [`${'9'.repeat(1_000_000)}`]: 1 }),
  ],
  ['brackets that never close', () => '['.repeat(1_000_000)],
])('%s is seen in bounded time and space', (_, make) => {
  const result = make()
  within(1_000, () => expect(total(result)).toBeLessThanOrEqual(400))
  const [longest] = [...seeResult(result).lists.keys()].map(({ length }) => length).sort((a, b) => b - a)
  expect(longest ?? 0).toBeLessThan(2_000)
})
