import { expect, it } from 'vitest'
import { seededRandom } from '../model/seeded-random.js'
import { bootstrapInterval } from './bootstrap-interval.js'
import { planFigures } from './plan-figures.js'
import type { FieldPair, Pair } from './read-dags.js'
import { stagesOf } from './stages-of.js'

const random = seededRandom(1)
const plan = (tools: string, edges: string, fields?: readonly FieldPair[]) => {
  const ids = [...tools]
  const pairs = edges
    .split(' ')
    .filter(Boolean)
    .map((pair): Pair => [pair[0]!, pair[1]!])
  return { tools: ids, edges: pairs, fields, stages: stagesOf(ids, pairs) }
}
const answer = (tools: string, edges: string, fields: readonly FieldPair[] = []) => ({
  ...plan(tools, edges),
  fields,
})

it('four plans, computed by hand', () => {
  const figures = planFigures(
    [
      // All right; of the fields one of two is right, one of one was found.
      {
        wanted: plan('ab', 'ab', [['a', 'b', 'id', 'key']]),
        given: answer('ba', 'ab', [
          ['a', 'b', 'id', 'key'],
          ['a', 'b', 'id', 'name'],
        ]),
      },
      // One of two links is right, of three one was found; the stages are a, b, c instead of a, (b c).
      { wanted: plan('abc', 'ab ac'), given: answer('abc', 'ab bc') },
      { wanted: { ...plan('abcd', 'ab ac ad'), stages: undefined }, given: answer('abcd', 'ab bc') },
      // Another tool was chosen.
      { wanted: { ...plan('ab', 'ab'), stages: undefined }, given: answer('ac', 'ac') },
    ],
    { random },
  )
  expect(figures).toEqual({
    samples: 4,
    link_precision: (1 + 1 / 2 + 1 / 2 + 0) / 4,
    link_recall: expect.closeTo((1 + 1 / 2 + 1 / 3 + 0) / 4, 10),
    link_f1: expect.closeTo((1 + 1 / 2 + 2 / 5 + 0) / 4, 10),
    exact_graph: 1 / 4,
    field_f1: expect.closeTo(2 / 3, 10),
    exact_stages: 1 / 2,
    node_f1: (1 + 1 + 1 + 1 / 2) / 4,
    link_f1_interval: [expect.any(Number), expect.any(Number)],
    exact_graph_interval: [0, expect.any(Number)],
  })
})

it('where no link is wanted none is right, and any is wrong', () => {
  const none = { wanted: plan('ab', ''), given: answer('ab', '') }
  const some = { wanted: plan('ab', ''), given: answer('ab', 'ab') }
  expect(planFigures([none], { random })).toMatchObject({
    link_precision: 1,
    link_recall: 1,
    link_f1: 1,
    exact_graph: 1,
  })
  expect(planFigures([some], { random })).toMatchObject({
    link_precision: 0,
    link_recall: 0,
    link_f1: 0,
    exact_graph: 0,
  })
})

it('what no plan says is not measured', () => {
  const silent = { ...plan('ab', 'ab'), stages: undefined }
  expect(planFigures([{ wanted: silent, given: answer('ab', 'ab') }], { random })).toMatchObject({
    field_f1: null,
    exact_stages: null,
  })
})

it('the right links without all of the tools are not the graph', () => {
  const judged = { wanted: plan('abc', 'ab'), given: answer('ab', 'ab') }
  expect(planFigures([judged], { random })).toMatchObject({ link_f1: 1, exact_graph: 0, node_f1: 4 / 5 })
})

it('an interval holds the mean, narrows with more values, and is the same for the same seed', () => {
  const values = (count: number) => Array.from({ length: count }, (_, at) => at % 2)
  const [low, high] = bootstrapInterval(values(100), seededRandom(7))
  // A normal approximation gives .5 ± 1.96 * .05.
  expect(low).toBeCloseTo(0.402, 1)
  expect(high).toBeCloseTo(0.598, 1)
  const [lower, higher] = bootstrapInterval(values(10_000), seededRandom(7))
  expect(higher - lower).toBeLessThan((high - low) / 5)
  expect(bootstrapInterval(values(100), seededRandom(7))).toEqual([low, high])
  expect(bootstrapInterval([1, 1, 1], seededRandom(7))).toEqual([1, 1])
  expect(bootstrapInterval([], seededRandom(7))).toEqual([0, 0])
})

it('a tool stands one stage after the last that it waits for; a circle is one stage', () => {
  const stages = (tools: string, edges: string) => plan(tools, edges).stages.map((stage) => stage.join(''))
  expect(stages('dcba', 'ab bd ad')).toEqual(['ca', 'b', 'd'])
  expect(stages('abc', '')).toEqual(['abc'])
  expect(stages('abcd', 'ab bc cb cd')).toEqual(['a', 'bcd'])
})
