/** What every Store promises of what was learned: traces, edges, vectors. */
import { expect, it } from 'vitest'
import { StoreError } from '../errors.js'
import type { Edge } from '../model/edge.js'
import type { Json } from '../model/json.js'
import { newId } from '../model/new-id.js'
import { formatToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import type { Row } from './database.js'
import { testOutputSchemas } from './output-schema.contract.js'
import type { Baseline, Store, StoredTrace, ToolEmbedding } from './store.js'

export interface LearnedContract {
  store(): Store
  reopen(): Promise<void>
  /** SQL as a person would write it. */
  asPerson(sql: string): Promise<readonly Row[]>
  readonly strings: readonly string[]
}

export function testLearned(contract: LearnedContract): void {
  const { store, reopen, asPerson, strings } = contract

  testOutputSchemas(contract)

  it('knows nothing learned at first, and nothing more after saving nothing', async () => {
    expect(await store().saveLearned({ traces: [], edges: [] })).toBe(true)
    expect(await store().replaceEdges([], 0)).toBe(true)
    await store().saveEmbeddings('m', [])
    expect(await store().loadEdges()).toEqual([])
    expect(await store().loadBaseline()).toEqual(aBaseline([]))
    expect(await allTraces(store())).toEqual([])
    expect(await store().loadEmbeddings('m')).toEqual([])
    expect(await store().foldTraces(aBaseline([]), 100)).toBe(0)
    expect(await store().dropEmbeddings([])).toBe(0)
  })

  it('gives back traces, edges and vectors as they were saved, also after a reopen', async () => {
    const root: Trace = {
      ...aTrace(),
      intent: 'copy the "notes"',
      success: false,
      endedAt: 1_700_000_000_456,
    }
    const call: Trace = {
      ...aTrace(),
      parentId: root.id,
      runId: root.id,
      tool: formatToolId('fs', 'read'),
      taskId: 'a',
      arguments: { z: 1, a: [null, true, 1e21, { deep: [] }] },
      result: null,
      errorCode: 'TOOL_ANSWERED',
      dependsOn: [newId(), newId()],
      links: [{ from: newId(), resultPath: 'items[0]["odd key"]', argumentPath: 'a[3].deep' }],
      promoted: [{ from: formatToolId('a', 'x'), to: formatToolId('b', 'y'), type: 'provides' }],
    }
    const edges: Edge[] = [
      anEdge('a', 'b'),
      { ...aTemplate('a', 'b'), type: 'provides' },
      { ...anEdge('b', 'a'), failures: 3, lastSeen: 1_700_000_000_123 },
    ]
    const embeddings = [
      anEmbedding('a', [0.1, -0.25, 3e-9, 0, Number.NaN]),
      anEmbedding('b', []),
      anEmbedding('c', [1]),
      anEmbedding('d', [2]),
    ]
    expect(await store().saveLearned({ traces: [root, call], edges })).toBe(true)
    await store().saveEmbeddings('m1', embeddings)
    for (const _ of ['before', 'after']) {
      expect(await store().loadEdges()).toStrictEqual(edges)
      expect((await allTraces(store())).map(({ trace }) => trace)).toStrictEqual([root, call])
      expect(await store().loadEmbeddings('m1')).toStrictEqual(embeddings)
      await reopen()
    }
  })

  it('counts add up, times widen, a source is never lowered, and types stay apart', async () => {
    const sequence: Edge = { ...anEdge('a', 'b'), type: 'sequence' }
    const first: Edge = { ...anEdge('a', 'b'), source: 'inferred', firstSeen: 500, lastSeen: 600 }
    await store().saveLearned({ traces: [], edges: [first, sequence] })
    const later: Edge = { ...first, count: 3, successes: 1, failures: 2, firstSeen: 400, lastSeen: 550 }
    await store().saveLearned({ traces: [], edges: [later] })
    const sum: Edge = { ...first, count: 5, successes: 3, failures: 2, firstSeen: 400 }
    expect(await store().loadEdges()).toStrictEqual([sum, sequence])
    await store().saveLearned({ traces: [], edges: [{ ...later, source: 'observed' }] })
    await store().saveLearned({ traces: [], edges: [{ ...first, lastSeen: 700 }] })
    await store().saveLearned({ traces: [], edges: [aTemplate('a', 'b')] })
    const all: Edge = { ...sum, source: 'observed', count: 10, successes: 6, failures: 4, lastSeen: 700 }
    expect(await store().loadEdges()).toStrictEqual([all, sequence])
  })

  it('a template is written where there is no such edge, counted in when it is seen, and removed only unseen', async () => {
    const [seen, unseen] = [aTemplate('a', 'b'), aTemplate('b', 'c')]
    await store().saveLearned({ traces: [], edges: [seen, unseen] })
    await store().saveLearned({ traces: [], edges: [{ ...anEdge('a', 'b'), source: 'inferred' }, unseen] })
    const counted: Edge = { ...anEdge('a', 'b'), source: 'inferred' }
    expect(await store().loadEdges()).toStrictEqual([counted, unseen])
    const strangers = [anEdge('x', 'y'), { ...unseen, type: 'contains' } as const]
    await store().saveLearned({ traces: [], edges: [], removed: [seen, unseen, ...strangers] })
    expect(await store().loadEdges()).toStrictEqual([counted])
  })

  it('more templates than one message holds are removed as a whole', async () => {
    const templates = Array.from({ length: 12_001 }, (_, at) => aTemplate('a', `t${at}`))
    await store().saveLearned({ traces: [], edges: [...templates, anEdge('a', 'b')] })
    await store().saveLearned({ traces: [], edges: [], removed: templates })
    expect(await store().loadEdges()).toStrictEqual([anEdge('a', 'b')])
  })

  it('writers who know nothing of one another lose no run', async () => {
    const seenAt = (at: number): Edge => ({
      ...anEdge('a', 'b'),
      ...{
        source: at === 4 ? 'observed' : 'inferred',
        count: 1,
        firstSeen: 1_000 + at,
        lastSeen: 1_000 + at,
      },
      ...(at % 2 === 0 ? { successes: 1, failures: 0 } : { successes: 0, failures: 1 }),
    })
    const lessons = Array.from({ length: 10 }, (_, at) => ({ traces: [aTrace()], edges: [seenAt(at)] }))
    await Promise.all(lessons.map((lesson) => store().saveLearned(lesson)))
    const sum = { count: 10, successes: 5, failures: 5, firstSeen: 1_000, lastSeen: 1_009 }
    expect(await store().loadEdges()).toStrictEqual([{ ...anEdge('a', 'b'), ...sum }])
  })

  it('the whole graph is replaced, unless there are traces that it does not know', async () => {
    await store().saveLearned({ traces: [aTrace(), aTrace()], edges: [anEdge('a', 'b')] })
    const [first, second] = await allTraces(store())
    expect(await store().replaceEdges([anEdge('c', 'd')], first!.position)).toBe(false)
    expect(await store().loadEdges()).toStrictEqual([anEdge('a', 'b')])
    expect(await store().replaceEdges([anEdge('c', 'd')], second!.position)).toBe(true)
    expect(await store().loadEdges()).toStrictEqual([anEdge('c', 'd')])
  })

  it('what was learned is saved as a whole or not at all', async () => {
    await store().saveLearned({ traces: [aTrace()], edges: [anEdge('a', 'b')] })
    const [stored] = await allTraces(store())
    const tooMany = { ...anEdge('z', 'z'), count: 2 ** 40 }
    const failed = store().saveLearned({ traces: [aTrace()], edges: [anEdge('c', 'd'), tooMany] })
    await expect(failed).rejects.toBeInstanceOf(StoreError)
    let deep: Json = []
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    const tooDeep = store().saveLearned({
      traces: [{ ...aTrace(), result: deep }],
      edges: [anEdge('c', 'd')],
    })
    await expect(tooDeep).rejects.toBeInstanceOf(StoreError)
    const replaced = store().replaceEdges([anEdge('e', 'f'), tooMany], stored!.position)
    await expect(replaced).rejects.toBeInstanceOf(StoreError)
    const folded = store().foldTraces(aBaseline([anEdge('e', 'f'), tooMany]), stored!.position)
    await expect(folded).rejects.toBeInstanceOf(StoreError)
    expect(await store().loadEdges()).toStrictEqual([anEdge('a', 'b')])
    expect(await store().loadBaseline()).toEqual(aBaseline([]))
    expect(await allTraces(store())).toStrictEqual([stored])
  })

  it('the same traces are learned from once', async () => {
    const [first, second] = [aTrace(), aTrace()]
    expect(await store().saveLearned({ traces: [first], edges: [anEdge('a', 'b')] })).toBe(true)
    expect(await store().saveLearned({ traces: [second, first], edges: [anEdge('c', 'd')] })).toBe(false)
    expect((await allTraces(store())).map(({ trace }) => trace.id)).toEqual([first.id])
    expect(await store().loadEdges()).toStrictEqual([anEdge('a', 'b')])
  })

  it('traces come in the order of learning, whatever their times and ids, each lesson in one piece', async () => {
    const lessons = Array.from({ length: 40 }, (_, lesson) =>
      Array.from({ length: 30 }, (_, at) => ({ ...aTrace(`run-${lesson}`), startedAt: 5_000 - lesson - at })),
    )
    await Promise.all(lessons.map((traces) => store().saveLearned({ traces, edges: [] })))
    const batches: (readonly StoredTrace[])[] = []
    for await (const batch of store().loadTraces()) batches.push(batch)
    expect(batches.length).toBeGreaterThan(1)
    const stored = batches.flat()
    expect(stored.map(({ position }) => position)).toEqual(
      stored.map(({ position }) => position).toSorted((a, b) => a - b),
    )
    const ids = stored.map(({ trace }) => trace.id)
    for (const traces of lessons) {
      const start = ids.indexOf(traces[0]!.id)
      expect(ids.slice(start, start + traces.length)).toEqual(traces.map(({ id }) => id))
    }
  })

  it('folded traces are gone, their edges stand in the baseline, and positions are never used twice', async () => {
    for (let lesson = 0; lesson < 3; lesson++) await store().saveLearned({ traces: [aTrace()], edges: [] })
    const [, second, third] = await allTraces(store())
    expect(await store().foldTraces(aBaseline([anEdge('a', 'b')]), second!.position)).toBe(2)
    const edges = [anEdge('a', 'b'), anEdge('b', 'c')]
    expect(await store().foldTraces(aBaseline(edges), third!.position)).toBe(1)
    // As another gateway would that has begun before.
    expect(await store().foldTraces(aBaseline([anEdge('a', 'b')]), second!.position)).toBe(0)
    expect(await store().loadBaseline()).toStrictEqual(aBaseline(edges))
    await reopen()
    await store().saveLearned({ traces: [aTrace()], edges: [] })
    expect((await allTraces(store()))[0]!.position).toBeGreaterThan(third!.position)
    expect(await store().loadEdges()).toEqual([])
  })

  it('vectors belong to their model, and those of others can be dropped', async () => {
    await store().saveEmbeddings('m1', [anEmbedding('a', [1, 2])])
    await store().saveEmbeddings('m2', [anEmbedding('a', [3])])
    await store().saveEmbeddings('m1', [
      { ...anEmbedding('a', [4]), textHash: 'newer' },
      anEmbedding('b', [5]),
    ])
    expect(await store().loadEmbeddings('m1')).toStrictEqual([
      { ...anEmbedding('a', [4]), textHash: 'newer' },
      anEmbedding('b', [5]),
    ])
    expect(await store().dropEmbeddings(['m2', 'm3'])).toBe(2)
    expect(await store().loadEmbeddings('m1')).toEqual([])
    expect(await store().loadEmbeddings('m2')).toStrictEqual([anEmbedding('a', [3])])
  })

  it('keeps every string of what was learned, also names longer than an index entry', async () => {
    const long = Array.from({ length: 3000 }, (_, at) =>
      String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)),
    )
    const names = [...strings.map((text, at) => `${at}${text}`), `${long.join('')}1`, `${long.join('')}2`]
    const traces = strings.map(
      (text, at): Trace => ({
        ...aTrace(),
        tool: formatToolId('fs', text),
        taskId: text,
        intent: text,
        arguments: { [text]: text },
        result: [text],
        errorCode: text,
        links: [{ from: String(at), resultPath: text, argumentPath: text }],
      }),
    )
    const edges = names.map((name, at) => anEdge(name, names[(at + 1) % names.length]!))
    const embeddings = names.map((name) => anEmbedding(name, [1]))
    await store().saveLearned({ traces, edges })
    await store().saveLearned({ traces: [], edges })
    await store().saveEmbeddings('\u0000', embeddings)
    await store().saveEmbeddings('\u0000', embeddings)
    expect(sorted(await store().loadEdges(), ({ from }) => from)).toStrictEqual(
      sorted(edges, ({ from }) => from).map((edge) => ({ ...edge, count: 4, successes: 4 })),
    )
    expect((await allTraces(store())).map(({ trace }) => trace)).toStrictEqual(traces)
    expect(sorted(await store().loadEmbeddings('\u0000'), ({ tool }) => tool)).toStrictEqual(
      sorted(embeddings, ({ tool }) => tool),
    )
    const [counted] = await asPerson(
      'select count(arguments::jsonb || result::jsonb || links::jsonb)::integer as traces from trace',
    )
    expect(counted).toEqual({ traces: strings.length })
  })

  it('edges can be asked for in plain SQL', async () => {
    await store().saveLearned({ traces: [], edges: [anEdge('a', 'b')] })
    expect(
      await asPerson(`select from_id, to_id, type, count from tool_dependency where to_id = 'fs:b'`),
    ).toEqual([{ from_id: 'fs:a', to_id: 'fs:b', type: 'dependency', count: 2 }])
  })

  it('fifty thousand edges load in well under a second', async () => {
    const edges = Array.from({ length: 50_000 }, (_, at) => anEdge(`tool_${at % 1000}`, `other_${at}`))
    await store().replaceEdges(edges, 0)
    await reopen()
    const begin = performance.now()
    const loaded = await store().loadEdges()
    const ms = performance.now() - begin
    expect(loaded).toHaveLength(50_000)
    // Measured: 360 ms embedded, 500 ms on PostgreSQL, on two busy cores.
    expect(ms).toBeLessThan(1_500)
  })
}

function sorted<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

async function allTraces(store: Store): Promise<readonly StoredTrace[]> {
  const all: StoredTrace[] = []
  for await (const batch of store.loadTraces()) all.push(...batch)
  return all
}

function aTrace(runId = newId()): Trace {
  return {
    id: newId(),
    runId,
    success: true,
    startedAt: 1_700_000_000_000,
    endedAt: 1_700_000_000_100,
    dependsOn: [],
    links: [],
  }
}

function anEdge(from: string, to: string): Edge {
  return {
    from: formatToolId('fs', from),
    to: formatToolId('fs', to),
    type: 'dependency',
    source: 'observed',
    count: 2,
    successes: 2,
    failures: 0,
    firstSeen: 1_600_000_000_000,
    lastSeen: 1_700_000_000_000,
  }
}

function aBaseline(edges: readonly Edge[]): Baseline {
  return { edges, outputSchemas: [], betaStates: [] }
}

function aTemplate(from: string, to: string): Edge {
  const { firstSeen: _, lastSeen: __, ...edge } = anEdge(from, to)
  return { ...edge, source: 'template', count: 0, successes: 0 }
}

function anEmbedding(name: string, vector: readonly number[]): ToolEmbedding {
  return {
    tool: formatToolId('fs', name),
    textHash: `hash of ${name.slice(0, 20)}`,
    vector: Float32Array.from(vector),
  }
}
