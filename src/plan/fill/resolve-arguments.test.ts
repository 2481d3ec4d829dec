import { describe, expect, it } from 'vitest'
import { createStaticEmbedder } from '../../embed/static-embedder.js'
import { type ArgumentHabit, type Experience, noExperience } from '../../model/experience.js'
import type { JsonObject } from '../../model/json.js'
import type { FieldLink, PlanEdge } from '../../model/plan.js'
import type { Tool } from '../../model/tool.js'
import { findLiterals } from '../read/find-literals.js'
import { readIntent } from '../read/read-intent.js'
import { listOf, number, objectOf, said, text, tool, whole } from '../test-planner.contract.js'
import type { Assigned } from '../wire/assign-literals.js'
import { createToolShapes } from '../wire/describe-tool.js'
import { type OpenTask, type Resolved, resolveArguments } from './resolve-arguments.js'

const shapes = createToolShapes(createStaticEmbedder())

interface Step {
  readonly tool: Tool
  readonly says?: string
  /** Values of the request, by the path they go to. */
  readonly literals?: Readonly<Record<string, string>>
  /** `from.output` by input. */
  readonly fed?: Readonly<Record<string, string>>
  readonly givesEach?: boolean
  readonly isDone?: boolean
  readonly isList?: boolean
}

interface Given {
  readonly given?: JsonObject
  readonly habits?: Readonly<Record<string, readonly ArgumentHabit[]>>
}

/** Tasks are called like their tools. */
async function resolve(steps: readonly Step[], { given = {}, habits = {} }: Given = {}): Promise<Resolved> {
  const all = await shapes.of(
    steps.map((step) => step.tool),
    () => undefined,
  )
  const tasks = steps.map((step, at): OpenTask => {
    const shape = all[at]!
    return {
      id: step.tool.name,
      shape,
      clause: readIntent(step.says ?? 'do it').clauses[0]!,
      literals: Object.entries(step.literals ?? {}).map(
        ([path, words]): Assigned => ({
          tool: at,
          field: shape.inputs.find((field) => field.path === path)!,
          literals: findLiterals(`take ${words} here`),
          score: 0.8,
        }),
      ),
      givesEach: step.givesEach ?? false,
      isDone: step.isDone ?? false,
      isList: step.isList ?? false,
    }
  })
  const experience: Experience = { ...noExperience, habits: (id) => habits[id] ?? [] }
  return resolveArguments({ tasks, edges: steps.flatMap(edgesInto), given, experience })
}

function edgesInto({ tool: to, fed = {} }: Step): readonly PlanEdge[] {
  const links = Object.entries(fed).map(([input, source]): readonly [string, FieldLink] => {
    const [from, ...path] = source.split('.')
    return [from!, { input, output: path.join('.'), score: 0.9 }]
  })
  return [...new Set(links.map(([from]) => from))].map((from) => ({
    from,
    to: to.name,
    probability: 0.95,
    parts: {},
    fields: links.filter(([one]) => one === from).map(([, link]) => link),
    why: '',
  }))
}

const argsOf = ({ tasks }: Resolved, id: string): JsonObject =>
  tasks.find((task) => task.id === id)!.arguments
const sourceOf = ({ origins }: Resolved, argument: string): string | undefined =>
  origins.find((one) => one.argument === argument)?.source

const make = tool('s:make', 'Makes', objectOf({ content: text }), objectOf({ content: text }))
const use = tool(
  's:use',
  'Uses',
  objectOf({ value: said('What to use', { type: 'string', default: 'the default' }) }),
)
const always = (value: string): ArgumentHabit => ({
  argument: 'value',
  how: { kind: 'constant', value },
  count: 3,
  of: 3,
})

describe('each source wins over those after it, and is named', () => {
  const sources = {
    given: { value: 'given' },
    fed: { value: 'make.content' },
    literals: { value: '"literal"' },
    habits: { 's:use': [always('learned')] },
  }
  const producer: Step = { tool: make, literals: { content: '"x"' } }
  const cases: readonly (readonly [string, unknown, Step, Given])[] = [
    [
      'given',
      'given',
      { tool: use, fed: sources.fed, literals: sources.literals },
      { given: sources.given, habits: sources.habits },
    ],
    [
      'wired',
      { $from: 'make.content' },
      { tool: use, fed: sources.fed, literals: sources.literals },
      { habits: sources.habits },
    ],
    ['literal', 'literal', { tool: use, literals: sources.literals }, { habits: sources.habits }],
    ['learned', 'learned', { tool: use }, { habits: sources.habits }],
    ['default', 'the default', { tool: use }, {}],
  ]
  for (const [source, value, step, given] of cases)
    it(source, async () => {
      const resolved = await resolve([producer, step], given)
      expect(argsOf(resolved, 'use')).toEqual({ value })
      const origin = resolved.origins.find(({ task }) => task === 'use')!
      expect(origin).toMatchObject({ argument: 'value', source })
      expect(origin.why).not.toBe('')
      expect(origin.confidence).toBeGreaterThan(0)
      expect(origin.confidence).toBeLessThanOrEqual(1)
      expect(resolved.missing).toEqual([])
    })

  it('nothing at all: it is missing', async () => {
    const bare = tool('s:use', '', objectOf({ value: said('What to use') }))
    const resolved = await resolve([{ tool: bare }])
    expect(resolved.tasks).toEqual([{ id: 'use', arguments: {} }])
    expect(resolved.missing).toEqual([
      { task: 'use', argument: 'value', description: 'What to use', type: 'string' },
    ])
  })
})

describe('what the caller gives', () => {
  it('is made to fit where that is safe, and says so', async () => {
    const typed = tool('s:use', '', objectOf({ count: whole, tags: listOf(text), name: text }))
    const resolved = await resolve([{ tool: typed }], { given: { count: '5', tags: 'one', name: 7 } })
    expect(argsOf(resolved, 'use')).toEqual({ count: 5, tags: ['one'], name: '7' })
    expect(resolved.origins.map(({ coerced }) => coerced)).toEqual([
      '"5" as the number 5',
      'a single value as a list of one',
      '7 as text',
    ])
  })

  it('may be a whole object, and then nothing within it is looked for', async () => {
    const nested = tool('s:use', '', objectOf({ options: objectOf({ user: text, password: text }) }))
    const resolved = await resolve([{ tool: nested }], { given: { options: { user: 'ann' } } })
    expect(argsOf(resolved, 'use')).toEqual({ options: { user: 'ann' } })
    expect(resolved.missing).toEqual([])
  })

  it('and nobody takes, is named', async () => {
    const { unused } = await resolve([{ tool: use }], { given: { value: 'x', colour: 'red', 'use.size': 1 } })
    expect(unused).toEqual(['colour', 'use.size'])
  })

  it('for one task does not go to another', async () => {
    const other = tool('s:other', '', objectOf({ value: text }))
    const resolved = await resolve([{ tool: use }, { tool: other }], { given: { 'other.value': 'x' } })
    expect(argsOf(resolved, 'use')).toEqual({ value: 'the default' })
    expect(argsOf(resolved, 'other')).toEqual({ value: 'x' })
  })
})

describe('what stands in the request', () => {
  it('is made to fit: a number, a list, a choice', async () => {
    const typed = tool(
      's:use',
      '',
      objectOf({ count: whole, tags: listOf(text), level: { type: 'string', enum: ['Low', 'High'] } }),
    )
    const resolved = await resolve([
      { tool: typed, literals: { count: '"5"', tags: '"one"', level: '"high"' } },
    ])
    expect(argsOf(resolved, 'use')).toEqual({ count: 5, tags: ['one'], level: 'High' })
    expect(resolved.origins.map(({ why }) => why)).toEqual([
      '"5" in the request',
      '"one" in the request',
      '"high" in the request',
    ])
  })

  it('and does not fit is not taken', async () => {
    const typed = tool('s:use', '', objectOf({ count: whole }))
    const resolved = await resolve([{ tool: typed, literals: { count: '5.5' } }])
    expect(argsOf(resolved, 'use')).toEqual({})
    expect(resolved.missing.map(({ argument }) => argument)).toEqual(['count'])
  })
})

describe('what past runs did', () => {
  it('is followed where it was the rule', async () => {
    const rare: ArgumentHabit = { ...always('rare'), count: 1, of: 5 }
    const bare = tool('s:use', '', objectOf({ value: text }))
    expect(argsOf(await resolve([{ tool: bare }], { habits: { 's:use': [rare] } }), 'use')).toEqual({})
    const often = await resolve([{ tool: bare }], { habits: { 's:use': [{ ...rare, count: 4 }] } })
    expect(argsOf(often, 'use')).toEqual({ value: 'rare' })
    expect(often.origins[0]).toMatchObject({
      source: 'learned',
      why: 'it was this in 4 of 5 past runs',
      confidence: 5 / 7,
    })
  })

  it('may be to take it from another task, which must be there', async () => {
    const wired: ArgumentHabit = {
      argument: 'value',
      how: { kind: 'wired', from: make.id, path: 'content' },
      count: 2,
      of: 2,
    }
    const bare = tool('s:use', '', objectOf({ value: text }))
    const habits = { 's:use': [wired] }
    expect(argsOf(await resolve([{ tool: make }, { tool: bare }], { habits }), 'use')).toEqual({
      value: { $from: 'make.content' },
    })
    expect(argsOf(await resolve([{ tool: bare }, { tool: make }], { habits }), 'use')).toEqual({})
  })

  it('finds its place within lists', async () => {
    const nested = tool('s:use', '', objectOf({ entities: listOf(objectOf({ entityType: text })) }))
    const habit: ArgumentHabit = {
      argument: 'entities[].entityType',
      how: { kind: 'constant', value: 'file' },
      count: 2,
      of: 2,
    }
    const once = { ...habit, count: 1, of: 1 }
    const unsure = await resolve([{ tool: nested }], { habits: { 's:use': [once] } })
    expect(argsOf(unsure, 'use')).toEqual({})
    const resolved = await resolve([{ tool: nested }], { habits: { 's:use': [habit] } })
    expect(argsOf(resolved, 'use')).toEqual({ entities: [{ entityType: 'file' }] })
    expect(resolved.origins[0]!.argument).toBe('entities[0].entityType')
  })
})

describe('for each', () => {
  const list = tool(
    's:list',
    '',
    objectOf({}),
    objectOf({ files: listOf(objectOf({ path: text, size: number })) }),
  )
  const read = tool('s:read', '', objectOf({ path: text }), objectOf({ content: text }))
  const save = tool('s:save', '', objectOf({ path: text, content: text }))

  it('lists that come from one another go side by side', async () => {
    const resolved = await resolve([
      { tool: list },
      { tool: read, says: 'read each', fed: { path: 'list.files[*].path' } },
      { tool: save, says: 'save each', fed: { path: 'list.files[*].path', content: 'read.content' } },
    ])
    expect(argsOf(resolved, 'read')).toEqual({ path: { $from: 'list.files[*].path' } })
    expect(argsOf(resolved, 'save')).toEqual({
      path: { $from: 'list.files[*].path' },
      content: { $from: 'read[*].content' },
    })
  })

  it('what takes the list as a whole is one call, and its result no list', async () => {
    const zip = tool('s:zip', '', objectOf({ paths: listOf(text) }), objectOf({ archive: text }))
    const resolved = await resolve([
      { tool: list },
      { tool: zip, fed: { paths: 'list.files[*].path' } },
      { tool: read, fed: { path: 'zip.archive' } },
    ])
    expect(argsOf(resolved, 'zip')).toEqual({ paths: { $from: 'list.files[*].path' } })
    expect(argsOf(resolved, 'read')).toEqual({ path: { $from: 'zip.archive' } })
  })

  it('a name that nothing fills is that of the element', async () => {
    const lines = tool('s:find', '', objectOf({}), objectOf({ content: text }))
    const note = tool('s:note', '', objectOf({ name: text, body: text }))
    const resolved = await resolve([
      { tool: lines, givesEach: true },
      { tool: read, says: 'read each', fed: { path: 'find.content' } },
      { tool: note, says: 'note each', fed: { body: 'read.content' } },
    ])
    expect(argsOf(resolved, 'note')).toEqual({
      name: { $from: 'find.content[*]' },
      body: { $from: 'read[*].content' },
    })
    expect(resolved.origins.at(-2)).toMatchObject({
      argument: 'name',
      source: 'wired',
      why: 'each of content of find',
    })
  })

  it('an element of a list of objects is not taken apart into lines', async () => {
    const note = tool('s:note', '', objectOf({ name: text, body: text }))
    const resolved = await resolve([
      { tool: list, givesEach: true },
      { tool: read, says: 'read each', fed: { path: 'list.files[*].path' } },
      { tool: note, says: 'note each', fed: { body: 'read.content' } },
    ])
    expect(argsOf(resolved, 'note')).toEqual({
      name: { $from: 'list.files[*].path' },
      body: { $from: 'read[*].content' },
    })
  })

  it('the same list for one value and for a list is each, in a list of its own', async () => {
    const label = tool('s:label', '', objectOf({ path: text, tags: listOf(text) }))
    const resolved = await resolve([
      { tool: list },
      { tool: label, says: 'label each', fed: { path: 'list.files[*].path', tags: 'list.files[*].path' } },
    ])
    expect(argsOf(resolved, 'label')).toEqual({
      path: { $from: 'list.files[*].path' },
      tags: [{ $from: 'list.files[*].path' }],
    })
  })

  it('lists of objects are passed on whole where all that is needed is in them', async () => {
    const rows = listOf(objectOf({ id: whole, name: text }))
    const query = tool('s:query', '', objectOf({}), objectOf({ rows }))
    const insert = tool('s:insert', '', objectOf({ rows }))
    const fed = { rows: 'query.rows', 'rows[*].id': 'query.rows[*].id', 'rows[*].name': 'query.rows[*].name' }
    expect(argsOf(await resolve([{ tool: query }, { tool: insert, fed }]), 'insert')).toEqual({
      rows: { $from: 'query.rows' },
    })
    const other = tool('s:insert', '', objectOf({ rows: listOf(objectOf({ id: whole, colour: text })) }))
    const apart = await resolve([
      { tool: query },
      { tool: other, fed: { rows: 'query.rows', 'rows[*].id': 'query.rows[*].id' } },
    ])
    expect(argsOf(apart, 'insert')).toEqual({ rows: [{ id: { $from: 'query.rows[*].id' } }] })
    expect(apart.missing.map(({ argument }) => argument)).toEqual(['rows[0].colour'])
  })

  it('of what is done, the result is a list where it was done for each', async () => {
    const resolved = await resolve([
      { tool: read, isDone: true, isList: true },
      { tool: use, fed: { value: 'read.content' } },
    ])
    expect(resolved.tasks.map(({ id }) => id)).toEqual(['use'])
    expect(argsOf(resolved, 'use')).toEqual({ value: { $from: 'read[*].content' } })
  })
})

it('nested fields that must be there are filled where they stand, the others named', async () => {
  const nested = tool(
    's:use',
    '',
    objectOf({ entities: listOf(objectOf({ name: text, kind: said('Its kind') })) }, { note: text }),
  )
  const resolved = await resolve([{ tool: nested, literals: { 'entities[*].name': '"Ann"' } }])
  expect(argsOf(resolved, 'use')).toEqual({ entities: [{ name: 'Ann' }] })
  expect(sourceOf(resolved, 'entities[0].name')).toBe('literal')
  expect(resolved.missing).toEqual([
    { task: 'use', argument: 'entities[0].kind', description: 'Its kind', type: 'string' },
  ])
})

it('a key called __proto__ is a key', async () => {
  const odd = tool(
    's:use',
    '',
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}'),
  )
  const given = JSON.parse('{"__proto__": "x"}') as JsonObject
  const args = argsOf(await resolve([{ tool: odd }], { given }), 'use')
  expect(JSON.stringify(args)).toBe('{"__proto__":"x"}')
  expect(Object.getPrototypeOf(args)).toBe(Object.prototype)
})
