import { afterEach, beforeEach, expect, it } from 'vitest'
import { readCalls } from './read-calls.js'
import { openTestSet, type TestSet } from './test-set.contract.js'

let set: TestSet
beforeEach(async () => {
  set = await openTestSet()
})
afterEach(() => set.remove())

const call = { tool: 'get_user', arguments: { id: 1 }, result: 'x', turn: 0 }

it('results are what the gateway would keep: JSON where a text is that, the text where it is not', async () => {
  const results = ['{"a": 1}', '[1]', '{broken', '42', { b: 2 }, null]
  await set.write('calls', { id: 's', group: 7, calls: results.map((result) => ({ ...call, result })) })
  const { sessions } = await readCalls(set.folder)
  expect(sessions[0]).toMatchObject({ id: 's', group: '7', query: undefined })
  expect(sessions[0]!.calls.map(({ result }) => result)).toEqual([
    { a: 1 },
    [1],
    '{broken',
    '42',
    { b: 2 },
    undefined,
  ])
})

it('a result that is nested too deep to be looked into stays a text', async () => {
  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
  await set.write('calls', { id: 's', calls: [{ ...call, result: deep }] })
  const { sessions } = await readCalls(set.folder)
  expect(sessions[0]!.calls[0]!.result).toBe(deep)
})

it('calls without a turn are decided on one by one', async () => {
  const { turn: _, ...without } = call
  await set.write('calls', { id: 's', calls: [without, without] })
  const { sessions } = await readCalls(set.folder)
  expect(sessions[0]!.calls.map(({ turn }) => turn)).toEqual([0, 1])
})

it('without a tools.jsonl the words of a name tell what only reads', async () => {
  const tools = ['get_user', 'search_flights', 'list_all_airports', 'find_order', 'get_order_details']
  const others = ['calculate', 'think', 'book_flight', 'update_order', 'cancel_order', 'transfer_to_human']
  await set.write('calls', { id: 's', calls: [...tools, ...others].map((tool) => ({ ...call, tool })) })
  const { sessions, isRead, idOf } = await readCalls(set.folder)
  const reads = sessions[0]!.calls.filter(({ tool }) => isRead(tool)).map(({ tool }) => idOf(tool))
  expect(reads).toEqual(tools)
})

it('annotations tell it where there are any, and words that act are stronger', async () => {
  await set.write(
    'tools',
    { id: 'a', name: 'lookup', server: 's', annotations: { readOnlyHint: true } },
    { id: 'b', name: 'get_thing', server: 's', annotations: { readOnlyHint: false } },
    { id: 'c', name: 'send_mail', server: 's', annotations: { readOnlyHint: true } },
    { id: 'd', name: 'get_page', server: 's', annotations: null },
  )
  await set.write('calls', { id: 's', calls: ['a', 'b', 'c', 'd'].map((tool) => ({ ...call, tool })) })
  const { sessions, isRead, idOf } = await readCalls(set.folder)
  expect(sessions[0]!.calls.filter(({ tool }) => isRead(tool)).map(({ tool }) => idOf(tool))).toEqual([
    'a',
    'd',
  ])
})

it.each([
  [{ id: 'x' }, '"calls", a list'],
  [{ calls: [] }, '"id", a text'],
  [{ id: 'x', calls: [call, 3] }, 'in "calls", place 1, an object'],
  [{ id: 'x', calls: [{ ...call, tool: '' }] }, 'in "calls", place 0, "tool", a text'],
  [{ id: 'x', calls: [{ ...call, arguments: [1] }] }, 'in "calls", place 0, "arguments", an object'],
  [{ id: 'x', calls: [{ ...call, turn: 'one' }] }, 'in "calls", place 0, "turn", a whole number'],
  [{ id: 'x', calls: [], query: 3 }, '"query", a text'],
])('%j is told with its line', async (row, expected) => {
  await set.write('calls', { id: 'good', calls: [] }, row)
  await expect(readCalls(set.folder)).rejects.toThrow(`calls.jsonl:2: expected ${expected}`)
})
