import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createStaticEmbedder } from '../embed/static-embedder.js'
import type { IntentPlan, PlanEdge } from '../model/plan.js'
import type { Tool } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import { type BenchPlanOptions, benchPlan, type PlanPrediction } from './bench-plan.js'
import { openPlanner } from './open-planner.js'
import type { Planner } from './planner.js'
import { nodes, openTestSet, type TestSet } from './test-set.contract.js'

let set: TestSet
let other: TestSet
beforeEach(async () => {
  set = await openTestSet()
  other = await openTestSet()
  const object = (...names: readonly string[]) => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  })
  await set.write(
    'tools',
    { id: 'a', server: 's', name: 'open_door', outputSchema: object('id') },
    { id: 'b', server: 's', name: 'paint_wall', inputSchema: object('id') },
    { id: 'c', server: 's', name: 'ring_bell' },
  )
  await set.write('dags', ...rows)
})
afterEach(() => Promise.all([set.remove(), other.remove()]))

const rows = [
  {
    id: 'fields',
    query: 'open the door and paint the wall',
    nodes: nodes('a', 'b'),
    edges: [['n0', 'n1']],
    edge_fields: [['n0', 'n1', 'id', 'id']],
  },
  {
    id: 'chain',
    query: 'paint the wall, open the door, ring the bell',
    nodes: nodes('c', 'b', 'a'),
    edges_by_tool: [
      ['a', 'b'],
      ['b', 'c'],
    ],
  },
  {
    id: 'levels',
    query: 'open the door, paint the wall, ring the bell',
    nodes: nodes('a', 'b', 'c'),
    levels: [['n0'], ['n1', 'n2']],
  },
  { id: 'none', query: 'ring the bell, open the door', nodes: nodes('a', 'c'), edges: [] },
  { id: 'one tool', query: 'open and open', nodes: nodes('a', 'a'), edges: [['n0', 'n1']] },
  { id: 'unknown', query: 'open and go', nodes: nodes('a', 'gone'), edges: [['n0', 'n1']] },
]

const edge = (from: string, to: string): PlanEdge => ({
  from,
  to,
  probability: 1,
  parts: {},
  fields: [
    { output: 'id', input: 'id.value', score: 1 },
    { output: 'id', input: 'name', score: 1 },
  ],
  why: '',
})

/** Chains what it is given in the order of the alphabet. */
function chainByName(seen: { asked: string[]; learned: (readonly Trace[])[]; closed: number }): Planner {
  return {
    async wire(_, tools) {
      seen.asked.push(tools.map(({ name }) => name).join(' '))
      const order = tools.map(({ name }, at) => ({ name, at })).sort((x, y) => (x.name < y.name ? -1 : 1))
      return { edges: order.slice(1).map(({ at }, before) => edge(String(order[before]!.at), String(at))) }
    },
    plan: () => Promise.reject(new Error('the tools were to be given')),
    learn: (traces) => void seen.learned.push(traces),
    async close() {
      seen.closed += 1
    },
  }
}

async function bench(given: Partial<BenchPlanOptions> = {}) {
  const seen = { asked: [] as string[], learned: [] as (readonly Trace[])[], closed: 0 }
  const predictions: PlanPrediction[] = []
  const report = await benchPlan({
    set: set.folder,
    train: undefined,
    fromIntent: false,
    seed: 42,
    embedder: undefined,
    openPlanner: async () => chainByName(seen),
    onPrediction: (prediction) => void predictions.push(prediction),
    ...given,
  })
  return { report, predictions, ...seen }
}

describe('gold tools given', () => {
  it('four samples and their floors, computed by hand', async () => {
    const { report, closed } = await bench()
    const near = (value: number) => expect.closeTo(value, 10)
    expect(report).toEqual({
      samples: 4,
      // fields and chain are right, levels half so, and none should have no link.
      link_precision: near((1 + 1 + 1 / 2 + 0) / 4),
      link_recall: near((1 + 1 + 1 / 2 + 0) / 4),
      link_f1: near((1 + 1 + 1 / 2 + 0) / 4),
      exact_graph: 2 / 4,
      field_f1: near(2 / 3),
      exact_stages: 0,
      link_f1_interval: [expect.any(Number), expect.any(Number)],
      exact_graph_interval: [expect.any(Number), expect.any(Number)],
      p50_ms: expect.any(Number),
      p95_ms: expect.any(Number),
      learned_plans: 0,
      without_links: 1,
      unknown_tools: ['gone'],
      left_out: 1,
      floors: {
        all_pairs: {
          link_precision: near((1 / 2 + 2 / 6 + 2 / 6 + 0) / 4),
          link_recall: near(3 / 4),
          link_f1: near((2 / 3 + 1 / 2 + 1 / 2 + 0) / 4),
          exact_graph: 0,
        },
        // Only a gives what b takes.
        identical_names: {
          link_precision: 1,
          link_recall: near((1 + 1 / 2 + 1 / 2 + 1) / 4),
          link_f1: near((1 + 2 / 3 + 2 / 3 + 1) / 4),
          exact_graph: 2 / 4,
        },
        order_of_mention: {
          link_precision: near((1 + 0 + 1 / 2 + 0) / 4),
          link_recall: near((1 + 0 + 1 / 2 + 0) / 4),
          link_f1: near((1 + 0 + 1 / 2 + 0) / 4),
          exact_graph: 1 / 4,
        },
      },
    })
    expect(closed).toBe(1)
  })

  it('predictions are by the ids of the set, of samples that do not count too', async () => {
    const { predictions } = await bench()
    expect(predictions.map(({ id }) => id)).toEqual(['fields', 'chain', 'levels', 'none', 'unknown'])
    expect(predictions[0]).toEqual({
      id: 'fields',
      edges: [['a', 'b']],
      fields: [
        ['a', 'b', 'id', 'id'],
        ['a', 'b', 'id', 'name'],
      ],
      stages: [['a'], ['b']],
    })
    expect(predictions[4]!.edges).toEqual([['gone', 'a']])
  })

  it('the order in which tools are given hangs on seed and id, not on the file', async () => {
    const { asked } = await bench()
    expect((await bench()).asked).toEqual(asked)
    const orders = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => bench({ seed })))
    for (const at of asked.keys()) expect(new Set(orders.map((one) => one.asked[at])).size).toBeGreaterThan(1)
  })
})

describe('learning first', () => {
  const intents = (learned: readonly (readonly Trace[])[]) => learned.map(([root]) => root!.intent)

  it('from the set itself learns from what is not its test, and asks for that', async () => {
    await set.write('dags', ...rows.map((row) => ({ ...row, split: row.id === 'levels' ? 'test' : 'train' })))
    const { report, learned } = await bench({ train: `${set.folder}/.` })
    expect(report).toMatchObject({ samples: 1, learned_plans: 5 })
    expect(intents(learned)).not.toContain(rows[2]!.query)
    expect(learned[0]!.map(({ tool }) => tool)).toEqual([undefined, 's:open_door', 's:paint_wall'])
  })

  it('from another set learns from all of it, and asks for all of this one', async () => {
    await other.write('tools', { id: 1, server: 't', name: 'x' }, { id: 2, server: 't', name: 'y' })
    await other.write('dags', {
      id: 'o',
      query: 'x y',
      nodes: nodes('1', '2'),
      edges: [['n0', 'n1']],
      split: 'test',
    })
    const { report, learned } = await bench({ train: other.folder })
    expect(report).toMatchObject({ samples: 4, learned_plans: 1 })
    expect(learned[0]!.map(({ tool }) => tool)).toEqual([undefined, 't:x', 't:y'])
  })
})

describe('from the intent', () => {
  const chosen = (tasks: readonly (readonly [id: string, tool: string])[], edges: readonly PlanEdge[]) =>
    ({
      plan: {
        tasks: tasks.map(([id, tool]) => ({ id, tool, arguments: {}, dependsOn: [], onError: 'fail' })),
      },
      edges,
    }) as unknown as IntentPlan

  it('tools that were chosen are compared too, those called twice once', async () => {
    await set.write('dags', rows[0], rows[1])
    const { report, predictions } = await bench({
      fromIntent: true,
      openPlanner: async () => ({
        ...chainByName({ asked: [], learned: [], closed: 0 }),
        wire: () => Promise.reject(new Error('the tools were to be chosen')),
        plan: async () =>
          chosen(
            [
              ['x', 's:open_door'],
              ['y', 's:paint_wall'],
              ['z', 's:open_door'],
            ],
            [edge('x', 'y'), edge('x', 'z')],
          ),
      }),
    })
    expect(report).toMatchObject({
      samples: 2,
      link_f1: expect.closeTo((1 + 2 / 3) / 2, 10),
      exact_graph: 1 / 2,
      node_f1: expect.closeTo((1 + 4 / 5) / 2, 10),
    })
    expect(predictions[1]).toMatchObject({ edges: [['a', 'b']], stages: [['a'], ['b']] })
  })
})

describe('trouble', () => {
  it('a set where nothing can be asked says what it needs', async () => {
    await set.write('dags', rows[4], rows[5])
    await expect(bench()).rejects.toThrow(`No plan in ${set.folder} can be asked for.`)
  })

  it('a set without plans is named', async () => {
    await other.write('tools')
    await expect(bench({ set: other.folder })).rejects.toThrow('dags.jsonl cannot be read: ENOENT')
    await expect(bench({ train: other.folder })).rejects.toThrow('dags.jsonl cannot be read: ENOENT')
  })

  it('a planner that links what it was not given is at fault, and is closed all the same', async () => {
    const seen = { asked: [], learned: [], closed: 0 }
    const openPlanner = async () => ({
      ...chainByName(seen),
      wire: async () => ({ edges: [edge('0', '9')] }),
    })
    await expect(bench({ openPlanner })).rejects.toThrow('linked 0 to 9')
    expect(seen.closed).toBe(1)
  })
})

describe('the planner of the gateway', () => {
  it('links the same tools alike, in whatever order they come', async () => {
    const plain = (seed: number) => bench({ seed, embedder: createStaticEmbedder(), openPlanner })
    const [first, second] = [await plain(1), await plain(2)]
    const sorted = (predictions: readonly PlanPrediction[]) =>
      predictions.map(({ id, edges }) => [id, edges.map(String).sort()])
    expect(sorted(second.predictions)).toEqual(sorted(first.predictions))
  })

  it('learns from plans that are replayed', async () => {
    const planner = await openPlanner({ tools: [] as readonly Tool[], embedder: undefined })
    const { learned } = await bench({ train: set.folder })
    for (const traces of learned) planner.learn(traces)
    expect(planner.graph.edges().length).toBeGreaterThan(0)
    await planner.close()
  })
})
