import { expect, it } from 'vitest'
import { listOf, objectOf, text } from '../test-planner.contract.js'
import { schemaFields } from '../wire/schema-fields.js'
import { firstPlace, givenName } from './given-name.js'

const fields = schemaFields(objectOf({ path: text, entities: listOf(objectOf({ name: text })) }))
const field = (path: string) => fields.find((one) => one.path === path)!

it('the caller names an argument by task, by path or by its own name, the most special first', () => {
  const name = field('entities[*].name')
  const ways = [
    'make.entities[0].name',
    'make.entities[*].name',
    'make.name',
    'entities[0].name',
    'entities[*].name',
    'name',
  ]
  for (const [at, way] of ways.entries()) {
    const given = Object.fromEntries(ways.slice(at).map((one) => [one, 'x']))
    expect(givenName(given, 'make', name)).toBe(way)
  }
})

it('another task, another argument, and what every object has are not meant', () => {
  expect(givenName({ 'other.path': 'x', paths: 'x' }, 'make', field('path'))).toBeUndefined()
  const odd = schemaFields(objectOf({ constructor: text })).find(({ path }) => path === 'constructor')!
  expect(givenName({}, 'make', odd)).toBeUndefined()
})

it('a list has one place in the arguments: the first', () => {
  expect(firstPlace('a[*].b[*]')).toBe('a[0].b[0]')
})
