import { describe, expect, it } from 'vitest'
import { isTelling, isTellingWord } from '../model/is-telling.js'
import type { Json, JsonObject } from '../model/json.js'
import { type CallValues, findValueLinks } from './find-value-links.js'

let clock = 0

/** Calls one after the other, unless times are given. */
function call(id: string, args: JsonObject, result?: Json, times: Partial<CallValues> = {}): CallValues {
  const startedAt = ++clock
  return {
    id,
    arguments: args,
    ...(result !== undefined && { result }),
    startedAt,
    endedAt: startedAt,
    explained: [],
    ...times,
  }
}

function linksOf(...calls: CallValues[]): readonly string[] {
  return [...findValueLinks(calls)].flatMap(([to, links]) =>
    links.map(({ from, resultPath, argumentPath }) => `${from}.${resultPath} -> ${to}.${argumentPath}`),
  )
}

describe('values that reappear', () => {
  it('are found by their path, however deep', () => {
    const found = linksOf(
      call('list', {}, { items: [{ id: 'r-17', 'odd key': { name: 'casys' } }] }),
      call('read', { repo: { id: 'r-17' }, names: ['x', 'casys'] }),
    )
    expect(found).toEqual([
      'list.items[0].id -> read.repo.id',
      'list.items[0]["odd key"].name -> read.names[1]',
    ])
  })

  it('are the same as number and as text', () => {
    expect(linksOf(call('a', {}, { n: 1042 }), call('b', { n: '1042' }))).toEqual(['a.n -> b.n'])
  })

  it('are found in prose where they look like an id, a path or a number', () => {
    const text = 'Created issue #1042 (see https://x.org/i/1042): "fix the login" by ann@x.org in src/a.ts.'
    const found = linksOf(
      call('create', {}, text),
      call('next', {
        issue: 1042,
        word: 'login',
        who: 'ann@x.org',
        file: 'src/a.ts',
        by: 'https://x.org/i/1042',
      }),
    )
    expect(found).toEqual([
      'create. -> next.issue',
      'create. -> next.who',
      'create. -> next.file',
      'create. -> next.by',
    ])
  })

  it('come from the producer that ended last', () => {
    const found = linksOf(
      call('a', {}, ['r-17']),
      call('b', {}, ['x', 'r-17', 'r-17']),
      call('c', { id: 'r-17' }),
    )
    expect(found).toEqual(['b.[1] -> c.id'])
  })

  it('do not come from a result that repeats what its call was given', () => {
    const found = linksOf(
      call('create', {}, { id: 'r-17' }),
      call('get', { id: 'r-17' }, { id: 'r-17', owner: 'ann-lee' }),
      call('list', { repo: 'r-17', owner: 'ann-lee' }),
    )
    expect(found).toEqual(['create.id -> get.id', 'create.id -> list.repo', 'get.owner -> list.owner'])
  })

  it('do not come from a call that had not ended', () => {
    const found = linksOf(
      call('slow', {}, ['r-17'], { startedAt: 100, endedAt: 200 }),
      call('beside', { id: 'r-17' }, null, { startedAt: 150, endedAt: 160 }),
      call('after', { id: 'r-17' }, null, { startedAt: 200, endedAt: 201 }),
    )
    expect(found).toEqual(['slow.[0] -> after.id'])
  })

  it('are not looked for where the plan says where they came from', () => {
    const found = linksOf(
      call('a', {}, ['r-17', 'r-18']),
      call('b', { id: { x: 'r-17' }, idea: 'r-18' }, null, { explained: ['id'] }),
    )
    expect(found).toEqual(['a.[1] -> b.idea'])
    // All of its arguments are one reference.
    expect(linksOf(call('a', {}, ['r-17']), call('b', { id: 'r-17' }, null, { explained: [''] }))).toEqual([])
  })

  it('are no evidence where they are met everywhere', () => {
    for (const value of [
      0,
      3,
      -9,
      10,
      100,
      5000,
      '',
      '  ',
      'abc',
      'true',
      'Open',
      '3',
      '100',
      'utf-8',
      Number.NaN,
    ])
      expect(isTelling(value), String(value)).toBe(false)
    for (const value of [17, -42, 1042, 0.125 * 100, 'casys', 'v2', '1042', 'x yz', 'ä1'])
      expect(isTelling(value), String(value)).toBe(true)
    for (const word of ['login', 'created', 'r-1', 'https'] as const) expect(isTellingWord(word)).toBe(false)
    for (const word of ['PR-118', 'a_b_c', 'x.org', 'ann@x', '1042']) expect(isTellingWord(word)).toBe(true)
  })
})

describe('bounds', () => {
  it('one argument has a handful of links, however long its list', () => {
    const ids = Array.from({ length: 100 }, (_, at) => `r-${at}`)
    expect(linksOf(call('a', {}, ids), call('b', { ids, 'other ids': [ids] }))).toHaveLength(16)
  })

  it('a result without end, or without bottom, costs milliseconds', () => {
    let deep: Json = 'r-17'
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    const wide = Array.from({ length: 1_000_000 }, (_, at) => `r-${at}`)
    const text = 'no id in here '.repeat(500_000)
    const begin = performance.now()
    expect(linksOf(call('a', {}, [deep, wide, text]), call('b', { id: 'r-17', late: 'r-999999' }))).toEqual([
      'a.[1][17] -> b.id',
    ])
    expect(performance.now() - begin).toBeLessThan(1_000)
  })

  it('a thousand calls with full results take no more than a moment', () => {
    const calls = Array.from({ length: 1000 }, (_, at) =>
      call(
        `c${at}`,
        { id: `r-${at - 1}-7` },
        { rows: Array.from({ length: 500 }, (_, row) => `r-${at}-${row}`) },
      ),
    )
    const begin = performance.now()
    expect(linksOf(...calls)).toHaveLength(999)
    expect(performance.now() - begin).toBeLessThan(3_000)
  })

  it('keys with names of the language are keys like any other', () => {
    const result = JSON.parse('{"__proto__": {"id": "r-17"}, "constructor": "r-18"}') as Json
    expect(linksOf(call('a', {}, result), call('b', { x: 'r-17', y: 'r-18' }))).toEqual([
      'a.__proto__.id -> b.x',
      'a.constructor -> b.y',
    ])
  })
})
