import { describe, expect, it } from 'vitest'
import { learnDependencies, type NestedCall } from './learn-dependencies.js'
import { capId, dependency, noon, toolId } from './test-shelf.contract.js'

const call = (
  id: string,
  name: string,
  from: number,
  to: number,
  changes: Partial<NestedCall> = {},
): NestedCall => ({
  id,
  tool: name.includes(':') ? toolId(name) : capId(name),
  success: true,
  startedAt: noon + from,
  endedAt: noon + to,
  ...changes,
})
const learn = (...calls: readonly NestedCall[]) => learnDependencies(calls, noon)

describe('the calls of a run show', () => {
  it('that a capability holds and needs what it called, tools between them or not', () => {
    expect(
      learn(
        call('1', 'outer', 0, 9),
        call('2', 'pml:execute_code', 1, 8, { parent: '1' }),
        call('3', 'inner', 2, 3, { parent: '2' }),
        call('4', 'inner', 2, 3, { parent: '2', success: false }),
        call('5', 'fs:read', 4, 5, { parent: '1' }),
      ),
    ).toEqual([
      dependency('outer', 'inner', 'contains', { count: 2, successes: 1 }),
      dependency('outer', 'inner', 'dependency', { count: 2, successes: 1 }),
    ])
  })

  it('of three levels each pair that touches', () => {
    const nested = learn(
      call('1', 'a', 0, 9),
      call('2', 'b', 1, 8, { parent: '1' }),
      call('3', 'c', 2, 7, { parent: '2' }),
    )
    expect(nested.map(({ from, to, type }) => [from, to, type])).toEqual([
      [capId('a'), capId('b'), 'contains'],
      [capId('a'), capId('b'), 'dependency'],
      [capId('b'), capId('c'), 'contains'],
      [capId('b'), capId('c'), 'dependency'],
    ])
  })

  it('what comes right behind what, of one parent; tools between them are no matter', () => {
    expect(
      learn(
        call('1', 'a', 0, 1),
        call('2', 'fs:read', 2, 3),
        call('3', 'b', 4, 5, { success: false }),
        call('4', 'c', 6, 7),
        call('5', 'c', 6, 7, { parent: 'elsewhere' }),
      ),
    ).toEqual([
      dependency('a', 'b', 'sequence', { successes: 0 }),
      dependency('b', 'c', 'sequence', { successes: 0 }),
    ])
  })

  it('no order among those side by side; both come before what waited for both', () => {
    expect(learn(call('1', 'a', 0, 5), call('2', 'b', 1, 3), call('3', 'c', 6, 7))).toEqual([
      dependency('a', 'c', 'sequence'),
      dependency('b', 'c', 'sequence'),
    ])
  })

  it('nothing of one that goes with itself, nor of tools', () => {
    expect(
      learn(
        call('1', 'a', 0, 9),
        call('2', 'a', 1, 2, { parent: '1' }),
        call('3', 'a', 10, 11),
        call('4', 'x:y', 12, 13),
      ),
    ).toEqual([])
  })

  it('the same in whatever order they are told, and nothing endless of parents in a circle', () => {
    const calls = [
      call('1', 'a', 0, 5, { parent: '3' }),
      call('2', 'b', 6, 7, { parent: '1' }),
      call('3', 'x:y', 8, 9, { parent: '1' }),
      call('4', 'c', 8, 9, { parent: '1' }),
    ]
    expect(learn(...[...calls].reverse())).toEqual(learn(...calls))
    expect(learn(...calls).length).toBeGreaterThan(0)
  })
})
