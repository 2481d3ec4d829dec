import { expect, it } from 'vitest'
import { makeIntentPlan } from '../test-plan.contract.js'
import { drawPlan, drawValue } from './draw-plan.js'

it('shows what runs together, what waits for what, and where values come from', () => {
  const plan = makeIntentPlan([
    { id: 'a', tool: 's:list', arguments: { path: 'data', deep: { list: [1, true, null] } } },
    { id: 'b', tool: 's:list' },
    { id: 'c', tool: 's:read', arguments: { path: { $from: 'a.names[*]' } }, each: ['a.names[*]'] },
    { id: 'd', tool: 's:sum', arguments: { of: [{ $from: 'c[0].n', $as: 'number' }], by: { $from: 'b' } } },
  ])
  const layers = [['a', 'b'], ['c'], ['d']]
  // The planner was not asked about `b`: the reference alone says that it comes first.
  const edges = plan.edges.filter(({ from }) => from !== 'b')
  expect(drawPlan({ ...plan, layers, edges })).toEqual([
    '1 a: s:list(path: "data", deep: {list: [1, true, null]})',
    '1 b: s:list()',
    '2 c: s:read(path: a.names[*]) for each of a.names[*], after a .93',
    '3 d: s:sum(of: [c[0].n as number], by: b), after c .93, b',
  ])
})

it('stays short, whatever is in it', () => {
  const args = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`argument_${i}`, 'x'.repeat(10_000)]))
  const tasks = Array.from({ length: 200 }, (_, i) => ({ id: `t${i}`, tool: 's:t', arguments: args }))
  const lines = drawPlan(makeIntentPlan(tasks))
  expect(lines).toHaveLength(31)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(240)
  expect(lines.at(-1)).toBe('and 170 more tasks')
  const deep = JSON.parse(`${'['.repeat(5_000)}1${']'.repeat(5_000)}`)
  expect(drawValue(deep)).toBe('[[[[...]]]]')
})
