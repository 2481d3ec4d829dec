import { afterEach, beforeEach, expect, it } from 'vitest'
import { readSeqs } from './read-seqs.js'
import { splitByGroup } from './split-by-group.js'
import { openTestSet, type TestSet } from './test-set.contract.js'

let set: TestSet
beforeEach(async () => {
  set = await openTestSet()
})
afterEach(() => set.remove())

it('a session has its task as group, or is one by itself', async () => {
  await set.write(
    'seqs',
    { id: 1, query: 'do it', steps: ['a', 'b'], turns: [['a'], ['b']], ok: true, group: 7 },
    { id: 'two', steps: [] },
  )
  const { sequences } = await readSeqs(set.folder)
  expect(sequences).toEqual([
    { id: '1', group: '7', query: 'do it', steps: ['a', 'b'] },
    { id: 'two', group: 'two', query: undefined, steps: [] },
  ])
})

it('tools have the server of tools.jsonl, or that of their name, or all the same', async () => {
  await set.write('seqs', { id: 'x', steps: [] })
  const bare = await readSeqs(set.folder)
  expect(['cat', 'git:log', 'git__log', '__odd'].map(bare.toolOf)).toEqual([
    'set:cat',
    'git:log',
    'set:git__log#2',
    'set:__odd',
  ])
  await set.write('tools', { id: 'cat', name: 'cat', server: 'files' })
  const named = await readSeqs(set.folder)
  expect(['cat', 'dog'].map(named.toolOf)).toEqual(['files:cat', 'set:dog'])
  expect(named.idOf(named.toolOf('cat'))).toBe('cat')
})

it.each([
  [{ id: 'x', steps: 'a' }, '"steps", a list of tool ids'],
  [{ id: 'x', steps: [{}] }, '"steps", a list of tool ids'],
  [{ steps: [] }, '"id", a text'],
  [{ id: 'x', steps: [], group: {} }, '"group", a text'],
  [{ id: 'x', steps: [], query: 3 }, '"query", a text'],
])('%j is told with its line', async (row, expected) => {
  await set.write('seqs', { id: 'good', steps: [] }, row)
  await expect(readSeqs(set.folder)).rejects.toThrow(`seqs.jsonl:2: expected ${expected}`)
})

it('a broken tools.jsonl is told, and not taken for a missing one', async () => {
  await set.write('seqs', { id: 'x', steps: [] })
  await set.write('tools', 'no object')
  await expect(readSeqs(set.folder)).rejects.toThrow('tools.jsonl:1')
})

it('sessions of one task are on one side of a split, a fifth of the tasks on the asked one', () => {
  const rows = Array.from({ length: 400 }, (_, at) => ({
    id: `${at}`,
    group: `g${at % 100}`,
    query: undefined,
    steps: [],
  }))
  const { learned, asked } = splitByGroup(rows, 42)
  const groups = new Set(asked.map(({ group }) => group))
  expect(learned.some(({ group }) => groups.has(group))).toBe(false)
  expect(asked).toHaveLength(80)
  expect(learned).toHaveLength(320)
  expect(new Set(splitByGroup(rows.toReversed(), 42).asked.map(({ group }) => group))).toEqual(groups)
})
