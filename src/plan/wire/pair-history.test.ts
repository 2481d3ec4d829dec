import { describe, expect, it } from 'vitest'
import { createStaticEmbedder } from '../../embed/static-embedder.js'
import { edge, graphOf, id } from '../../graph/test-graph.contract.js'
import type { Edge } from '../../model/edge.js'
import { noExperience, type PastRun } from '../../model/experience.js'
import type { ToolId } from '../../model/tool.js'
import { pastRun } from '../test-planner.contract.js'
import { createPairHistories, type PairHistory } from './pair-history.js'

const [a, b, c] = ['a', 'b', 'c'].map((name) => id(name) as ToolId) as [ToolId, ToolId, ToolId]
const embedder = createStaticEmbedder()

interface Given {
  readonly runs?: readonly PastRun[]
  readonly edges?: readonly Edge[]
  readonly steps?: { readonly total: number; readonly linked: number }
  readonly intent?: string
  readonly tools?: readonly ToolId[]
}

async function historyOf({
  runs = [],
  edges = [],
  steps,
  intent = 'do it',
  tools = [a, b, c],
}: Given): Promise<PairHistory> {
  const experience = { ...noExperience, runsAmong: () => runs, ...(steps && { steps: () => steps }) }
  const histories = createPairHistories({ graph: graphOf(edges), experience, embedder })
  const [vector] = await embedder.embed([intent], 'query', new AbortController().signal)
  return histories.of(tools, vector!)
}

const run = (name: string, first: ToolId, second: ToolId, intent = 'do it'): PastRun =>
  pastRun(name, intent, [
    ['x', first],
    ['y', second, {}, ['x']],
  ])
const runs = (
  count: number,
  first: ToolId,
  second: ToolId,
  intent = 'do it',
  name = 'r',
): readonly PastRun[] => Array.from({ length: count }, (_, at) => run(`${name}${at}`, first, second, intent))

describe('direction', () => {
  it('is 0 where nothing is known', async () => {
    const history = await historyOf({})
    expect([history.direction(a, b), history.count(a, b), history.path(a, b), history.base]).toEqual([
      0, 0, 0, 0,
    ])
    expect(history.runs(a, b)).toEqual([])
  })

  it('grows with the runs that went that way, and is the opposite the other way', async () => {
    const [one, ten] = [await historyOf({ runs: runs(1, a, b) }), await historyOf({ runs: runs(10, a, b) })]
    expect(one.direction(a, b)).toBeCloseTo(Math.log(3))
    expect(ten.direction(a, b)).toBeCloseTo(Math.log(21))
    expect(ten.direction(b, a)).toBeCloseTo(-ten.direction(a, b))
    expect(ten.count(a, b)).toBe(10)
    expect(ten.count(b, a)).toBe(10)
  })

  it('is even where as many went either way', async () => {
    const history = await historyOf({ runs: [...runs(5, a, b), ...runs(5, b, a, 'do it', 'back')] })
    expect(history.direction(a, b)).toBe(0)
    expect(history.count(a, b)).toBe(10)
  })

  it('leans to the runs whose intent is like this one', async () => {
    const said = 'translate the report into French'
    const history = await historyOf({
      intent: said,
      runs: [...runs(2, a, b, said), ...runs(20, b, a, 'restart the database server', 'other')],
    })
    expect(history.direction(a, b)).toBeGreaterThan(0)
  })

  it('a pair that is linked twice in one run is one run', async () => {
    const twice = pastRun('r', 'do it', [
      ['x', a],
      ['x2', a],
      ['y', b, {}, ['x', 'x2']],
      ['y2', b, {}, ['x2']],
    ])
    const history = await historyOf({ runs: [twice] })
    expect(history.count(a, b)).toBe(1)
    expect(history.runs(a, b)).toEqual(['r'])
  })

  it('two that only stood side by side say nothing', async () => {
    const beside = pastRun('r', 'do it', [
      ['x', a],
      ['y', b],
    ])
    expect((await historyOf({ runs: [beside] })).direction(a, b)).toBe(0)
  })

  it('is what the graph counted, where no run is remembered; sequences count half', async () => {
    const depends = await historyOf({ edges: [edge('a', 'b', 'dependency', { count: 10 })] })
    expect(depends.direction(a, b)).toBeCloseTo(Math.log(21))
    expect(depends.count(a, b)).toBe(10)
    const follows = await historyOf({ edges: [edge('a', 'b', 'sequence', { count: 10 })] })
    expect(follows.direction(a, b)).toBeCloseTo(Math.log(11))
  })
})

describe('path', () => {
  it('leads over a third tool, and is none between neighbours', async () => {
    const over = await historyOf({ edges: [edge('a', 'c', 'dependency'), edge('c', 'b', 'dependency')] })
    expect(over.path(a, b)).toBeGreaterThan(0.3)
    expect(over.path(a, b)).toBeLessThanOrEqual(0.5)
    expect(over.path(a, c)).toBe(0)
    expect(over.path(b, a)).toBe(0)
  })

  it('is not looked for among many tools', async () => {
    const tools = Array.from({ length: 13 }, (_, at) => id(`t${at}`) as ToolId)
    const history = await historyOf({
      tools: [a, b, ...tools],
      edges: [edge('a', 'c', 'dependency'), edge('c', 'b', 'dependency')],
    })
    expect(history.path(a, b)).toBe(0)
  })
})

describe('base', () => {
  it('is above 0 where tasks needed one another more often than usual, and below where less', async () => {
    expect((await historyOf({ steps: { total: 1_000, linked: 950 } })).base).toBeGreaterThan(1)
    expect((await historyOf({ steps: { total: 1_000, linked: 100 } })).base).toBe(-1)
    expect((await historyOf({ steps: { total: 1_000_000, linked: 1_000_000 } })).base).toBeLessThanOrEqual(
      4.3,
    )
  })
})

it('runs for a direction come the likest intent first', async () => {
  const said = 'translate the report into French'
  const history = await historyOf({
    intent: said,
    runs: [run('far', a, b, 'restart the database'), run('near', a, b, said)],
  })
  expect(history.runs(a, b)).toEqual(['near', 'far'])
})

it('more runs than vectors are kept for are all counted by their own intents', async () => {
  const said = 'translate the report into French'
  const many = [...runs(1_600, b, a, 'restart the database server', 'other'), ...runs(1_600, a, b, said)]
  const history = await historyOf({ intent: said, runs: many })
  expect(history.count(a, b)).toBe(3_200)
  expect(history.direction(a, b)).toBeGreaterThan(5)
})
