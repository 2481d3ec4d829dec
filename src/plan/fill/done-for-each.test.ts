import { expect, it } from 'vitest'
import type { JsonObject } from '../../model/json.js'
import { planTasks } from '../plan-tasks.js'
import { listOf, objectOf, text, tool } from '../test-planner.contract.js'
import { isDoneForEach, untangleLists } from './done-for-each.js'

const use = tool('s:use', '', objectOf({ one: text, many: listOf(text), anything: {} }))
const each = { $from: 'list.names[*]' }

/** What planTasks makes of it. */
const planned = (args: JsonObject) => {
  const list = tool('s:list', '', objectOf({}))
  const tasks = [
    { id: 'list', tool: 's:list' },
    { id: 'use', tool: 's:use', arguments: args },
  ]
  return planTasks(tasks, { resolve: (name) => (name === 's:use' ? use : list) }).tasks[1]!
}

const cases: readonly (readonly [string, JsonObject, boolean])[] = [
  ['a list where one value is wanted', { one: each }, true],
  ['a list where a list is wanted', { many: each }, false],
  ['a list that is asked for as one', { one: { ...each, $as: 'list' } }, false],
  ['a list where the schema does not say', { anything: each }, false],
  ['a list within a list', { many: [each] }, true],
  ['a single value', { one: { $from: 'list.name' } }, false],
]
for (const [title, args, isEach] of cases)
  it(`${title}: ${isEach ? 'one call for each' : 'one call'}, as planTasks has it`, () => {
    expect(isDoneForEach(args, use)).toBe(isEach)
    expect(planned(args).each !== undefined).toBe(isEach)
  })

it('the same list for one value and for a list: each, in a list of its own', () => {
  const args = { one: each, many: each }
  expect(() => planned(args)).toThrow(/stands where one value is wanted and where a list is/)
  const untangled = untangleLists(args, use)
  expect(untangled).toEqual({ one: each, many: [each] })
  expect(args).toEqual({ one: each, many: each })
  expect(planned(untangled).each).toEqual(['list.names[*]'])
})

it('what is not tangled stays as it is', () => {
  for (const [, args] of cases) expect(untangleLists(args, use)).toBe(args)
})
