import { expect, it } from 'vitest'
import { observeTraces } from '../learn/observe-traces.js'
import { formatToolId } from '../model/tool.js'
import type { Dag } from './read-dags.js'
import { replayPlans } from './replay-plans.js'

const now = 1_700_000_000_000
const dag = (given: Partial<Dag>): Dag => ({
  id: 'd',
  query: 'do it',
  tools: ['a', 'b', 'c'],
  edges: [],
  fields: undefined,
  stages: undefined,
  split: undefined,
  ...given,
})
const replay = (...dags: readonly Dag[]) =>
  replayPlans(dags, { toolOf: (id) => (id === 'nobody' ? undefined : formatToolId('s', id)), now })
const edgesOf = (given: Partial<Dag>) =>
  observeTraces(replay(dag(given))[0]!)
    .map(({ from, to, type, success }) => `${from} ${type} ${to}${success ? '' : ' failed'}`)
    .sort()

it('a plan teaches what a run that went well would', () => {
  expect(
    edgesOf({
      edges: [
        ['a', 'b'],
        ['a', 'c'],
      ],
      fields: [['a', 'b', 'items[*].id', 'key']],
    }),
  ).toEqual([
    's:a dependency s:b',
    's:a dependency s:c',
    's:a provides s:b',
    's:a sequence s:b',
    's:a sequence s:c',
  ])
})

it('tools without links ran at the same time: their order in the file teaches nothing', () => {
  expect(edgesOf({ edges: [] })).toEqual([])
})

it('fields are references and values, as in a run of ours', () => {
  const [run] = replay(
    dag({
      edges: [['b', 'a']],
      fields: [
        ['b', 'a', 'movies[1].title', 'text'],
        ['b', 'a', 'due date', 'day'],
        ['b', 'a', '', 'all'],
      ],
    }),
  )
  const [root, a, b] = run!
  const result = { movies: [null, { title: 'd: movies[1].title of b' }], 'due date': 'd: due date of b' }
  expect(root).toMatchObject({ intent: 'do it', success: true })
  expect(b).toMatchObject({ tool: 's:b', result, arguments: {} })
  expect(a).toMatchObject({
    tool: 's:a',
    arguments: { text: 'd: movies[1].title of b', day: 'd: due date of b', all: result },
    dependsOn: [b!.id],
    links: [
      { from: b!.id, resultPath: 'movies[1].title', argumentPath: 'text' },
      { from: b!.id, resultPath: '["due date"]', argumentPath: 'day' },
      { from: b!.id, resultPath: '', argumentPath: 'all' },
    ],
  })
})

it('unknown tools, circles and odd paths are no trouble', () => {
  expect(
    edgesOf({
      tools: ['a', 'nobody', 'b'],
      edges: [
        ['a', 'nobody'],
        ['nobody', 'b'],
        ['a', 'b'],
        ['b', 'a'],
      ],
      fields: [
        ['nobody', 'a', 'x', 'y'],
        ['a', 'b', '__proto__', 'constructor'],
        ['a', 'b', 'list[999999999]', 'far'],
      ],
    }),
  ).toEqual(['s:a dependency s:b', 's:a provides s:b', 's:b dependency s:a'])
  expect(({} as Record<string, unknown>).x).toBeUndefined()
})

it('runs follow one another, the last one just now', () => {
  const ends = replay(dag({ id: '1' }), dag({ id: '2' })).map(([root]) => root!.endedAt)
  expect(ends[0]).toBeLessThan(ends[1]!)
  expect(ends[1]).toBeLessThanOrEqual(now)
})
