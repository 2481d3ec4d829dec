import { expect, it } from 'vitest'
import { dayMs, edge, graphOf, id, noon } from '../graph/test-graph.contract.js'
import type { Edge } from '../model/edge.js'
import type { IntentPlan, PlanEdge } from '../model/plan.js'
import { type ExplainPlanDeps, explainPlan } from './explain-plan.js'

const names = ['search', 'read', 'note'] as const

function planEdge(from: string, to: string, rest: Partial<PlanEdge> = {}): PlanEdge {
  const parts = { fields: 1.5, order: 1 }
  return { from, to, probability: 0.924, parts, fields: [], why: 'its output fits path', ...rest }
}

function planOf(rest: Partial<IntentPlan> = {}, tasks: readonly string[] = names): IntentPlan {
  return {
    intent: 'search, read and note',
    plan: {
      tasks: tasks.map((name) => ({
        id: name,
        tool: id(name),
        arguments: {},
        dependsOn: [],
        onError: 'fail',
      })),
    },
    layers: tasks.map((name) => [name]),
    tools: tasks.map((name) => ({ task: name, tool: id(name), score: 0.81, serves: name, by: 'intent' })),
    edges: [planEdge('search', 'read'), planEdge('read', 'note', { probability: 0.7, why: 'then' })],
    dropped: [],
    arguments: [],
    missing: [],
    confidence: 0.8,
    unserved: [],
    notes: [],
    pastRuns: [],
    ...rest,
  }
}

function depsOf(edges: readonly Edge[], ranks: Readonly<Record<string, number>> = {}): ExplainPlanDeps {
  return { graph: graphOf(edges), pageRank: (tool) => ranks[tool] }
}

it('an edge shows what runs have shown of its pair, each type with its counts and when it was last seen', () => {
  const lastSeen = noon - 3 * dayMs
  const { edges, text } = explainPlan(
    planOf(),
    depsOf([
      edge('search', 'read', 'provides', { count: 5, failures: 1, successes: 4, lastSeen }),
      edge('search', 'read', 'sequence', { count: 2 }),
      edge('read', 'search', 'sequence', { count: 9 }),
    ]),
  )
  expect(edges[0]).toMatchObject({
    from: 'search',
    fromTool: 's:search',
    toTool: 's:read',
    probability: 0.924,
    parts: { fields: 1.5, order: 1 },
    direct: [
      { type: 'provides', source: 'observed', count: 5, failures: 1, lastSeen },
      { type: 'sequence', count: 2 },
    ],
  })
  expect(edges[0]).not.toHaveProperty('path')
  expect(text).toContain('search -> read .92: its output fits path; provides seen 5 times, last 2026-01-12')
})

it('a way over other tools of at most three hops is shown where no direct one is cheaper', () => {
  const deps = depsOf([
    edge('search', 'stat', 'dependency'),
    edge('stat', 'read', 'dependency'),
    edge('read', 'x', 'sequence'),
    edge('x', 'y', 'sequence'),
    edge('y', 'z', 'sequence'),
    edge('z', 'note', 'sequence'),
  ])
  const { edges, text } = explainPlan(planOf(), deps)
  expect(edges[0]!.path!.map(({ from, to }) => `${from} ${to}`)).toEqual(['s:search s:stat', 's:stat s:read'])
  expect(text).toContain('known way: s:search -> s:stat -> s:read')
  expect(edges[1]).toMatchObject({ direct: [] })
  expect(edges[1]).not.toHaveProperty('path')
})

it('what was never seen is said to come from the schemas', () => {
  const {
    firstSeen: _,
    lastSeen: __,
    ...template
  } = edge('search', 'read', 'provides', { source: 'template' })
  const { edges, text } = explainPlan(planOf(), depsOf([{ ...template, count: 0, successes: 0 }]))
  expect(edges[0]!.direct[0]).not.toHaveProperty('lastSeen')
  expect(text).toContain('the schemas suggest it')
})

it('tools carry their rank, and none where nothing is known', () => {
  const { tools } = explainPlan(planOf(), depsOf([], { 's:read': 0.25 }))
  expect(tools.map(({ pageRank }) => pageRank)).toEqual([undefined, 0.25, undefined])
})

it('past runs, where arguments come from, and what would have closed a circle are told', () => {
  const origin = { task: 'read', argument: 'path', why: 'the word "data"' } as const
  const { text, pastRuns, dropped } = explainPlan(
    planOf({
      pastRuns: ['run-1', 'run-2', 'run-3'],
      dropped: [planEdge('note', 'search', { probability: 0.55, why: 'names' })],
      arguments: [
        { ...origin, source: 'literal', confidence: 0.6 },
        { ...origin, argument: 'head', source: 'default', confidence: 1 },
        { ...origin, task: 'note', source: 'literal', confidence: 0.9 },
      ],
    }),
    depsOf([]),
  )
  expect(text.split('\n')).toEqual([
    'search: s:search serves "search", score .81',
    'read: s:read serves "read", score .81',
    'note: s:note serves "note", score .81',
    'read -> note .70: then',
    'search -> read .92: its output fits path',
    'note -> search .55: names; left out, it would close a circle',
    'arguments: 2 literal, 1 default',
    'least sure: read.path, literal .60: the word "data"',
    'leans on 3 past runs: run-1, run-2',
  ])
  expect(pastRuns).toHaveLength(3)
  expect(dropped).toHaveLength(1)
})

it('stays a dozen short lines however large the plan is, and keeps all of it as data', () => {
  const tasks = Array.from({ length: 200 }, (_, i) => `t${i}`)
  const edges = tasks.slice(1).map((to, i) => planEdge(`t${i}`, to, { why: 'long '.repeat(100) }))
  const explained = explainPlan(planOf({ edges }, tasks), depsOf([]))
  const lines = explained.text.split('\n')
  expect(lines.length).toBeLessThanOrEqual(12)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(160)
  expect(explained.text).toContain('and 197 more tools')
  expect(explained.edges).toHaveLength(199)
})

it('an edge that says nothing of itself shows what weighed most', () => {
  const parts = { bias: -0.5, order: 1.25, fields: 2, verbs: 0.1 }
  const { text } = explainPlan(
    planOf({ edges: [planEdge('search', 'read', { why: '', parts })] }),
    depsOf([]),
  )
  expect(text).toContain('search -> read .92: fields 2.0, order 1.3, bias -0.5')
})

it('a plan without tasks, the same tool twice, and edges to nowhere are explained without a fault', () => {
  const deps = depsOf([edge('read', 'note', 'provides')])
  expect(explainPlan(planOf({ edges: [], tools: [] }, []), deps).text).toBe('')
  const twice = planOf({ edges: [planEdge('read', 'again'), planEdge('read', 'gone')] }, ['read'])
  const tasks = [...twice.plan.tasks, { ...twice.plan.tasks[0]!, id: 'again' }]
  const { edges } = explainPlan({ ...twice, plan: { tasks } }, deps)
  expect(edges.map(({ to, direct }) => [to, direct])).toEqual([['again', []]])
})
