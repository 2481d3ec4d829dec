import { expect, it } from 'vitest'
import type { DataflowTemplate } from '../../../model/dataflow-template.js'
import type { Json, JsonObject } from '../../../model/json.js'
import { seededRandom } from '../../../model/seeded-random.js'
import type { ToolId } from '../../../model/tool.js'
import type { Templates } from './create-templates.js'
import { rowName } from './template-rows.js'
import {
  find,
  follow,
  learn,
  openTemplates,
  propose,
  type TestCall,
  type TestSession,
} from './test-sessions.contract.js'

/** Sessions of a few tools that take from one another, and of some that come once. */
function randomSession(random: () => number, at: number): TestSession {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const ids = Array.from({ length: 5 }, (_, n) => `id_${at}${n}${n}`)
  const calls: TestCall[] = [
    ['s:search', { q: pick(['a', 'b', 'c']), page: 1 }, { hits: ids.map((id) => ({ id, n: id.length })) }],
  ]
  while (random() < 0.85)
    calls.push(
      pick<TestCall>([
        [
          's:get',
          { id: pick(ids) },
          { owner: pick(['ann', 'bo']), day: `202${Math.floor(random() * 5)}-05-01` },
        ],
        ['s:get', { id: pick(ids), deep: random() < 0.5 }],
        ['s:list', { page: Math.floor(random() * 3) }, `[FILE] ${pick(ids)}.md\n[FILE] x.md`],
        ['s:day', { day: `2024-05-0${Math.floor(random() * 9)}`, limit: pick<Json>([10, '10', 20]) }, {}],
        [`s:rare${Math.floor(random() * 400)}`, { [pick(['a', '__proto__', 'é'])]: random() }, {}],
        ['s:ping', {}, 'pong'],
      ]),
    )
  return { request: `look at ${pick(ids)} on May 7`, calls }
}

const byName = (rows: readonly DataflowTemplate[]): ReadonlyMap<string, DataflowTemplate> =>
  new Map(rows.map((row) => [rowName(row), row]))

function apply(stored: Map<string, DataflowTemplate>, templates: Templates): void {
  const { changed, removed } = templates.changes()
  for (const row of changed) stored.set(rowName(row), row)
  for (const row of removed) stored.delete(rowName(row))
}

const sorted = (rows: Iterable<DataflowTemplate>): readonly DataflowTemplate[] =>
  [...rows].sort((a, b) => (rowName(a) < rowName(b) ? -1 : 1))

it.each([1, 2, 3])('whoever applies all changes has what there is (seed %i)', (seed) => {
  const random = seededRandom(seed)
  const templates = openTemplates()
  const stored = new Map<string, DataflowTemplate>()
  for (let at = 0; at < 150; at++) {
    learn(templates, randomSession(random, at))
    if (random() < 0.3) apply(stored, templates)
  }
  apply(stored, templates)
  expect(stored.size).toBeGreaterThan(500)
  expect(sorted(stored.values())).toEqual(sorted(byName(templates.all()).values()))
  expect(templates.changes()).toEqual({ changed: [], removed: [] })
})

it.each([1, 2, 3])('what is stored, in any order and as JSON, and loaded says the same (seed %i)', (seed) => {
  const random = seededRandom(seed)
  const templates = openTemplates()
  for (let at = 0; at < 60; at++) learn(templates, randomSession(random, at))
  const loaded = openTemplates()
  learn(loaded, { calls: [['s:other', { a: 'gone' }, {}]] })
  const rows = JSON.parse(JSON.stringify(templates.all())) as DataflowTemplate[]
  loaded.load(rows.toSorted(() => random() - 0.5))
  expect(loaded.size).toBe(templates.size)
  expect(sorted(loaded.all())).toEqual(sorted(templates.all()))
  expect(loaded.changes()).toEqual({ changed: [], removed: [] })
  const session = follow(randomSession(random, 1_000))
  for (const tool of ['s:search', 's:get', 's:list', 's:day', 's:ping', 's:other'])
    expect(rounded(loaded, tool, session)).toEqual(rounded(templates, tool, session))
})

function rounded(templates: Templates, tool: string, session: ReturnType<typeof follow>): readonly Json[] {
  return propose(templates, tool, session)
    .map(({ arguments: args, weakest, evidence }) => [
      JSON.stringify(args),
      weakest,
      [...evidence].map((value) => Number(value.toFixed(9))),
    ])
    .sort()
}

it('what is loaded and goes on learning tells of what it forgets', () => {
  const templates = openTemplates()
  for (let at = 0; at < 40; at++) learn(templates, { calls: [['s:get', { id: `first-${at}` }, {}]] })
  const loaded = openTemplates()
  loaded.load(templates.all())
  const stored = new Map(byName(templates.all()))
  for (let at = 0; at < 200; at++) learn(loaded, { calls: [['s:get', { id: `later-${at}` }, {}]] })
  apply(stored, loaded)
  expect(sorted(stored.values())).toEqual(sorted(loaded.all()))
})

const good: DataflowTemplate = {
  tool: 's:get' as ToolId,
  parameter: 'id',
  after: '',
  source: 'constant',
  value: 'x-1',
  count: 3,
  hits: 2,
  lastAt: 5,
}

it.each<readonly [string, Partial<DataflowTemplate>]>([
  ['a source of a later version', { source: '["teleport","x"]' }],
  ['a source that is nothing', { source: '' }],
  ['no tool', { tool: '' as ToolId }],
  ['a count that is none', { count: Number.NaN }],
  ['less than none', { hits: -1 }],
  ['more hits than there were', { hits: 4 }],
  ['an endless count', { count: Number.POSITIVE_INFINITY }],
  ['a set that is no list', { source: 'arguments', value: 'id' }],
  ['a set of no names', { source: 'arguments', value: [1] }],
])('a row with %s is passed over', (_, damage) => {
  const templates = openTemplates()
  templates.load([
    { ...good, ...damage },
    { ...good, after: 's:before' as ToolId, ...damage },
    { ...good, value: 'x-2' },
  ])
  expect(templates.ways('s:get' as ToolId, 'id').map(({ way }) => way)).toEqual([
    { kind: 'constant', value: 'x-2' },
  ])
})

it('a row after a tool without the row of its way is passed over', () => {
  const templates = openTemplates()
  templates.load([{ ...good, after: 's:before' as ToolId }])
  expect(templates.size).toBe(0)
})

it('a constant that redaction changes is not kept, nor a path that holds a secret', () => {
  const templates = openTemplates('hunter2')
  learn(templates, {
    calls: [
      ['s:login', { password: 'hunter2', name: 'ann' }, { plain: 'key-1', 'for hunter2': { id: 'key-2' } }],
      ['s:use', { key: 'key-2' }, {}],
    ],
  })
  expect(JSON.stringify(templates.all())).not.toContain('hunter2')
  expect(JSON.stringify(templates.all())).toContain('ann')
})

it('a text of more than 500 characters is no constant', () => {
  const templates = openTemplates()
  learn(templates, { calls: [['s:write', { content: 'secret plan '.repeat(60) }, {}]] })
  expect(JSON.stringify(templates.all())).not.toContain('secret plan')
})

it('nothing of a result or a request is kept, only where it stood', () => {
  const templates = openTemplates()
  learn(templates, {
    request: 'my pin is 987123',
    calls: [
      ['s:find', {}, { rows: [{ id: 'id_555', note: 'private-note-77' }], text: 'call +49-30-1234' }],
      ['s:get', { id: 'id_555' }, { owner: 'someone@example.org' }],
    ],
  })
  const kept = JSON.stringify(templates.all())
  for (const value of ['987123', 'private-note-77', '1234', 'someone@example.org'])
    expect(kept).not.toContain(value)
})

it('a habit that changes is followed', () => {
  const templates = openTemplates()
  const calls = (args: JsonObject, count: number) => {
    for (let at = 0; at < count; at++) learn(templates, { calls: [['s:list', args, {}]] })
  }
  const first = () => propose(templates, 's:list', follow({ calls: [] }))[0]?.arguments
  calls({ sort: 'name' }, 100)
  expect(first()).toEqual({ sort: 'name' })
  calls({ sort: 'date' }, 60)
  expect(first()).toEqual({ sort: 'date' })
})

it('days follow the year that was given last', () => {
  const templates = openTemplates()
  for (const year of ['2024', '2024', '2024', '2025'])
    learn(templates, { request: 'on May 7', calls: [['s:day', { day: `${year}-05-07` }, {}]] })
  const proposed = propose(templates, 's:day', follow({ request: 'on June 9', calls: [] }))
  expect(find(proposed, { day: '2025-06-09' })).toBeDefined()
})

it('what tools were called before tells ways apart', () => {
  const templates = openTemplates()
  const session = (before: string, units: string): TestSession => ({
    calls: [
      [before, {}, {}],
      ['s:weather', { units }, {}],
    ],
  })
  for (let at = 0; at < 10; at++) {
    learn(templates, session('s:london', 'metric'))
    learn(templates, session('s:boston', 'imperial'))
  }
  const after = (tool: string) =>
    propose(templates, 's:weather', follow({ calls: [[tool, {}, {}]] }))[0]?.arguments
  expect(after('s:london')).toEqual({ units: 'metric' })
  expect(after('s:boston')).toEqual({ units: 'imperial' })
})

it('who gives names of things for names of arguments is not followed there', () => {
  const templates = openTemplates()
  for (let at = 0; at < 500; at++) learn(templates, { calls: [['s:set', { [`key ${at}`]: at }, {}]] })
  expect(templates.size).toBeLessThanOrEqual(80)
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, at]))
  learn(templates, { calls: [['s:many', many, {}]] })
  expect(templates.ways('s:many' as ToolId, 'k1')).toEqual([])
})

it('tools that were not called for longest are forgotten first', () => {
  const templates = openTemplates()
  const args = (at: number): JsonObject =>
    Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`a${n}`, `v${at}-${n}`]))
  for (let at = 0; at < 1_500; at++) learn(templates, { calls: [[`s:tool${at}`, args(at), {}]] })
  expect(templates.size).toBeLessThanOrEqual(40_000)
  expect(templates.argumentSets('s:tool0' as ToolId)).toEqual([])
  expect(templates.argumentSets('s:tool1499' as ToolId)).toHaveLength(1)
})
