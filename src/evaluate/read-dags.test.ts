import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../errors.js'
import { readDags } from './read-dags.js'
import { nodes, openTestSet, type TestSet } from './test-set.contract.js'

let set: TestSet
beforeEach(async () => {
  set = await openTestSet()
})
afterEach(() => set.remove())

const read = async (row: object) => {
  await set.write('dags', { id: 'd', query: 'do it', ...row })
  return (await readDags(set.folder))[0]!
}

describe('links', () => {
  it('by nid, by tool and by level are links between tools', async () => {
    const abc = nodes('a', 'b', 'c')
    expect(await read({ nodes: abc, edges: [['n0', 'n2']] })).toEqual({
      id: 'd',
      query: 'do it',
      tools: ['a', 'b', 'c'],
      edges: [['a', 'c']],
      fields: undefined,
      stages: undefined,
      split: undefined,
    })
    expect((await read({ nodes: abc, edges_by_tool: [['b', 'a']], split: 'test' })).edges).toEqual([
      ['b', 'a'],
    ])
    const levels = await read({ nodes: abc, levels: [['n1'], ['n0', 'n2']] })
    expect(levels.edges).toEqual([
      ['b', 'a'],
      ['b', 'c'],
    ])
    expect(levels.stages).toEqual([['b'], ['a', 'c']])
  })

  it('of a tool that is called twice are said once, and none leads to itself', async () => {
    const dag = await read({
      nodes: nodes('a', 'a', 'b'),
      edges: [
        ['n0', 'n1'],
        ['n0', 'n2'],
        ['n1', 'n2'],
      ],
    })
    expect(dag).toMatchObject({ tools: ['a', 'b'], edges: [['a', 'b']] })
    const levels = await read({ nodes: nodes('a', 'b', 'a'), levels: [['n0'], ['n1'], ['n2']] })
    expect(levels.stages).toEqual([['a'], ['b']])
  })

  it('of a nid that is there twice mean the later node', async () => {
    const dag = await read({
      nodes: [
        { nid: 1, tool: 'a' },
        { nid: 2, tool: 'b' },
        { nid: 2, tool: 'c' },
      ],
      edges: [
        [1, 2],
        [2, 2],
      ],
    })
    expect(dag).toMatchObject({ tools: ['a', 'b', 'c'], edges: [['a', 'c']] })
  })

  it('say which field feeds which parameter, the parameter by its first name', async () => {
    const dag = await read({
      nodes: nodes('a', 'b'),
      edges: [['n0', 'n1']],
      edge_fields: [
        ['n0', 'n1', 'items[0].id', 'repo.id'],
        ['n0', 'n1', '', 'due date'],
        ['n0', 'n1', '["total sum"]', 'entities[0].name'],
        ['n0', 'n1', 'x', 'repo'],
        ['n0', 'n1', 'x', 'repo.name'],
      ],
    })
    expect(dag.fields).toEqual([
      ['a', 'b', 'items[0].id', 'repo'],
      ['a', 'b', '', 'due date'],
      ['a', 'b', 'total sum', 'entities'],
      ['a', 'b', 'x', 'repo'],
    ])
  })
})

it.each([
  ['no nodes', {}, '"nodes", a list of {nid, tool}'],
  ['a node without tool', { nodes: [{ nid: 'n0' }] }, '"nodes", a list of {nid, tool}'],
  ['no links of any kind', { nodes: nodes('a') }, '"edges", "edges_by_tool" or "levels"'],
  ['a link that is no pair', { nodes: nodes('a'), edges: [['n0']] }, '"edges", a list of [nid, nid]'],
  ['a link to nowhere', { nodes: nodes('a'), edges: [['n0', 'n7']] }, '"n7" among the nids of "nodes"'],
  [
    'a tool that is no node',
    { nodes: nodes('a'), edges_by_tool: [['a', 'z']] },
    '"z" of "edges_by_tool" among the tools of "nodes"',
  ],
  ['levels that are no lists', { nodes: nodes('a'), levels: ['n0'] }, '"levels", a list of lists of nids'],
  [
    'fields of three parts',
    { nodes: nodes('a', 'b'), edges: [], edge_fields: [['n0', 'n1', 'x']] },
    '"edge_fields", a list of [nid, nid, output, input]',
  ],
])('a row with %s is refused by its line', async (_, row, expected) => {
  await set.write('dags', { id: 'ok', query: 'x', nodes: [], edges: [] }, { id: 'd', query: 'x', ...row })
  const error = await readDags(set.folder).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(UsageError)
  expect(String(error)).toContain(`dags.jsonl:2: expected ${expected}.`)
})
