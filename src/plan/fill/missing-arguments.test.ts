import { expect, it } from 'vitest'
import type { JsonObject } from '../../model/json.js'
import { shapeTools, type ToolSketch } from '../wire/shape-tools.contract.js'
import { missingArguments } from './missing-arguments.js'

const text = { type: 'string' }
const saying = (description: string): JsonObject => ({ ...text, description })
const holding = (
  properties: Readonly<Record<string, JsonObject>>,
  required: readonly string[] = [],
): JsonObject => ({
  type: 'object',
  properties,
  required,
})

async function missing(takes: NonNullable<ToolSketch['takes']>, found: readonly string[] = []) {
  const [shape] = await shapeTools({ id: 's:make', takes })
  const has = new Set(shape!.inputs.filter(({ path }) => found.includes(path)))
  expect(has.size).toBe(found.length)
  return missingArguments({ id: 'make', shape: shape! }, has)
}

const namesOf = (all: readonly { readonly argument: string }[]): readonly string[] =>
  all.map(({ argument }) => argument)

it('what is required is named, with what the schema says of it', async () => {
  expect(await missing({ title: saying('What it is called'), 'note?': text })).toEqual([
    { task: 'make', argument: 'title', description: 'What it is called', type: 'string' },
  ])
})

it('where the schema says nothing, there are words all the same', async () => {
  expect(
    (await missing({ title: text, size: { type: ['number', 'string'] } })).map(({ description, type }) => [
      description,
      type,
    ]),
  ).toEqual([
    ['what make works on', 'string'],
    ['size of make', 'number or string'],
  ])
})

it('what is within is named by its first place', async () => {
  const entities = { type: 'array', items: holding({ name: text, kind: text }, ['name', 'kind']) }
  expect(namesOf(await missing({ entities }))).toEqual(['entities[0].name', 'entities[0].kind'])
  expect(namesOf(await missing({ entities }, ['entities[*].name']))).toEqual(['entities[0].kind'])
  expect(namesOf(await missing({ entities }, ['entities']))).toEqual([])
})

it('what need not be there needs nothing, until a part of it is there', async () => {
  const login = holding({ user: text, password: text, note: text }, ['user', 'password'])
  expect(namesOf(await missing({ 'login?': login }))).toEqual([])
  expect(namesOf(await missing({ 'login?': login }, ['login.user']))).toEqual(['login.password'])
  const nested = holding({ proxy: login, timeout: text }, ['proxy'])
  expect(namesOf(await missing({ 'options?': nested }, ['options.timeout']))).toEqual([
    'options.proxy.user',
    'options.proxy.password',
  ])
})

it('a container that must be there and needs nothing within is named itself', async () => {
  const filter = holding({ from: text, to: text })
  expect(await missing({ filter: { ...filter, description: 'Which ones' } })).toEqual([
    { task: 'make', argument: 'filter', description: 'Which ones', type: 'object' },
  ])
  expect(namesOf(await missing({ filter }, ['filter.from']))).toEqual([])
  expect(namesOf(await missing({ rows: { type: 'array', items: filter } }))).toEqual(['rows'])
})

it('a list of what holds itself is named, and does not go on for ever', async () => {
  const tree: JsonObject = { type: 'array', items: { $ref: '#' } }
  const all = await missing({ children: tree })
  expect(namesOf(all)).toEqual(['children'])
})
