import { describe, expect, it } from 'vitest'
import { makePlan } from './expect-run.contract.js'
import { readModified } from './read-modified.js'

const { tasks } = makePlan([
  { id: 'a', tool: 'x' },
  { id: 'b', tool: 'x' },
  {
    id: 'c',
    tool: 'x',
    arguments: { v: { $from: 'a[*].v' }, w: { $from: 'b' } },
    dependsOn: ['b'],
    each: ['a[*].v'],
    inTurn: true,
    onError: 'skip',
    requireApproval: true,
    timeoutMs: 5,
  },
  { id: 'd', tool: 'x', dependsOn: ['a'], arguments: { v: 1 } },
  { id: 'e', tool: 'x' },
])
const [, , c, d] = tasks

describe('readModified', () => {
  it('keeps all of a task but its arguments and what follows from them', () => {
    expect(readModified(c!, { v: { $from: 'a[*].v' }, other: 1 }, tasks)).toEqual({
      ...c,
      arguments: { v: { $from: 'a[*].v' }, other: 1 },
      dependsOn: ['a'],
    })
  })

  it('is one call where no reference is left that it was done for', () => {
    const { each, inTurn, ...rest } = readModified(c!, { v: 7 }, tasks)
    expect([each, inTurn, rest.dependsOn, rest.onError]).toEqual([undefined, undefined, [], 'skip'])
  })

  it('keeps a dependency that was only an order, and adds what is referred to', () => {
    expect(readModified(d!, { v: { $from: 'b.x' } }, tasks).dependsOn).toEqual(['a', 'b'])
  })

  it.each([
    [{ v: { $from: 'nobody.x' } }, 'The reference "nobody.x" names no task of this workflow.'],
    [{ v: { $from: 'd' } }, 'The reference "d" names a task that does not come before "d".'],
    [{ deep: [{ $from: 'e.x' }] }, 'The reference "e.x" names a task that does not come before "d".'],
    [{ v: { $from: 'a..x' } }, '"a..x" is not a reference.'],
  ])('says what is wrong with %j', (args, message) => {
    expect(() => readModified(d!, args, tasks)).toThrow(message)
  })
})
