/** What every Store promises of output schemas, and of the traces that they come from. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { StoreError } from '../errors.js'
import { newId } from '../model/new-id.js'
import { formatToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import type { LearnedContract } from './learned.contract.js'
import type { OutputSchema, OutputSchemaChange } from './store.js'

export function testOutputSchemas({ store, reopen, asPerson, strings }: LearnedContract): void {
  const save = async (schema: OutputSchema, replaced: OutputSchema | undefined): Promise<boolean> =>
    (await store().saveOutputSchemas([{ schema, replaced }])).length === 0

  it('gives back output schemas as they were saved, also after a reopen', async () => {
    expect(await store().loadOutputSchemas()).toEqual([])
    const schemas = [aSchema('a'), aSchema('b')]
    for (const schema of schemas) expect(await save(schema, undefined)).toBe(true)
    for (const _ of ['before', 'after']) {
      expect(await store().loadOutputSchemas()).toStrictEqual(schemas)
      await reopen()
    }
    const grown: OutputSchema = {
      ...schemas[0]!,
      ...{ schema: { type: 'null' }, version: 2, samples: 9, updatedAt: 1_700_000_000_123 },
    }
    expect(await save(grown, schemas[0])).toBe(true)
    expect(await store().loadOutputSchemas()).toStrictEqual([grown, schemas[1]])
  })

  it('an output schema that another gateway has written since is not overwritten', async () => {
    const [first, second] = [aSchema('a'), { ...aSchema('a'), samples: 2 }]
    expect(await save(first, undefined)).toBe(true)
    expect(await save(second, undefined)).toBe(false)
    expect(await save(second, first)).toBe(true)
    expect(await save({ ...first, samples: 3 }, first)).toBe(false)
    expect(await save(aSchema('gone'), aSchema('gone'))).toBe(false)
    expect(await store().loadOutputSchemas()).toStrictEqual([second])
    const writers = Array.from({ length: 10 }, (_, at) =>
      save({ ...second, version: 2, samples: 3 + at }, second),
    )
    expect((await Promise.all(writers)).filter((isWritten) => isWritten)).toHaveLength(1)
  })

  it('of several output schemas in one save each is written or named by itself, and the last counts of one given twice', async () => {
    const [a, b, c, d, gone] = ['a', 'b', 'c', 'd', 'gone'].map(aSchema) as [OutputSchema, ...OutputSchema[]]
    expect(await store().saveOutputSchemas([])).toEqual([])
    await store().saveOutputSchemas([a, b!].map((schema) => ({ schema, replaced: undefined })))
    const later = (schema: OutputSchema): OutputSchema => ({ ...schema, samples: 2, version: 2, schema: {} })
    const refused = await store().saveOutputSchemas([
      { schema: later(a), replaced: a },
      { schema: later(b!), replaced: undefined },
      { schema: later(c!), replaced: undefined },
      { schema: later(gone!), replaced: gone },
      { schema: d!, replaced: undefined },
      { schema: later(d!), replaced: undefined },
    ])
    expect(refused).toEqual([b!.tool, gone!.tool])
    expect(await store().loadOutputSchemas()).toStrictEqual([later(a), b, later(c!), later(d!)])
    const tooMany = { schema: { ...later(a), samples: 2 ** 40 }, replaced: later(a) }
    const failed = store().saveOutputSchemas([{ schema: later(b!), replaced: b }, tooMany])
    await expect(failed).rejects.toBeInstanceOf(StoreError)
    expect((await store().loadOutputSchemas())[1]).toStrictEqual(b)
  })

  it('of those who save the same output schemas at once, in whatever order, one writes each of them', async () => {
    const race = async (changes: readonly OutputSchemaChange[]): Promise<void> => {
      const racers = Array.from({ length: 4 }, (_, at) =>
        store().saveOutputSchemas(at % 2 === 0 ? changes : changes.toReversed()),
      )
      const refused = (await Promise.all(racers)).flat()
      const times = new Map<string, number>()
      for (const tool of refused) times.set(tool, (times.get(tool) ?? 0) + 1)
      expect([...times.values()]).toEqual(changes.map(() => racers.length - 1))
    }
    for (const round of [1, 2]) {
      const tools = Array.from({ length: 2_000 }, (_, at) => aSchema(`t${round}-${at}`))
      await race(tools.map((schema) => ({ schema, replaced: undefined })))
      await race(tools.map((schema) => ({ schema: { ...schema, samples: 2 }, replaced: schema })))
    }
  })

  it('counting results of the same kind does not make the database grow', async () => {
    const name = (at: number): string => createHash('sha256').update(String(at)).digest('hex')
    const properties = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [name(at).repeat(2), {}]))
    let known: OutputSchema = { ...aSchema('a'), schema: { type: 'object', properties } }
    await save(known, undefined)
    for (let samples = 2; samples <= 300; samples++) {
      const next = { ...known, samples }
      expect(await save(next, known)).toBe(true)
      known = next
    }
    expect(await store().loadOutputSchemas()).toStrictEqual([known])
    const [size] = await asPerson(`select pg_total_relation_size('tool_output_schema')::integer as bytes`)
    // Three hundred copies would be 2 MB.
    expect(size!.bytes).toBeLessThan(300_000)
  })

  it('all output schemas are replaced, unless there are traces that they do not know', async () => {
    await save(aSchema('a'), undefined)
    await store().saveLearned({ traces: [aTrace()], edges: [] })
    expect(await store().replaceOutputSchemas([aSchema('b')], 0)).toBe(false)
    const tooMany = { ...aSchema('z'), samples: 2 ** 40 }
    const failed = store().replaceOutputSchemas([aSchema('b'), tooMany], Number.MAX_SAFE_INTEGER)
    await expect(failed).rejects.toBeInstanceOf(StoreError)
    expect(await store().loadOutputSchemas()).toStrictEqual([aSchema('a')])
    const many = Array.from({ length: 1_201 }, (_, at) => aSchema(`t${String(at).padStart(4, '0')}`))
    expect(await store().replaceOutputSchemas(many, Number.MAX_SAFE_INTEGER)).toBe(true)
    expect(await store().loadOutputSchemas()).toStrictEqual(many)
  })

  it('output schemas of folded traces stand in the baseline', async () => {
    await store().saveLearned({ traces: [aTrace()], edges: [] })
    const baseline = { edges: [], outputSchemas: [aSchema('a'), aSchema('b')], betaStates: [] }
    expect(await store().foldTraces(baseline, Number.MAX_SAFE_INTEGER)).toBe(1)
    const nothing = { edges: [], outputSchemas: [], betaStates: [] }
    expect(await store().foldTraces(nothing, Number.MAX_SAFE_INTEGER)).toBe(0)
    await reopen()
    expect(await store().loadBaseline()).toStrictEqual(baseline)
  })

  it('keeps every string of an output schema, and a person can look into it', async () => {
    const long = '名'.repeat(3_000)
    const names = [...strings.map((text, at) => `${String(at).padStart(5, '0')}${text}`), `z${long}`]
    const schemas = names.map((name, at) => ({
      ...aSchema(name),
      schema: { type: 'object', properties: { [strings[at] ?? long]: {} } },
    }))
    const grow = (samples: number) =>
      schemas.map((schema) => ({
        schema: { ...schema, samples },
        replaced: samples === 1 ? undefined : schema,
      }))
    for (const samples of [1, 2]) expect(await store().saveOutputSchemas(grow(samples))).toEqual([])
    const saved = await store().loadOutputSchemas()
    expect(saved).toStrictEqual(schemas.map((schema) => ({ ...schema, samples: 2 })))
    expect(
      await asPerson(
        `select count(*)::integer as tools from tool_output_schema where schema::jsonb ->> 'type' = 'object'`,
      ),
    ).toEqual([{ tools: names.length }])
  })

  it('the newest runs come whole and in order, without those before them', async () => {
    const lessons = Array.from({ length: 130 }, (_, at) => {
      const root = aTrace(`run-${at}`)
      return [root, ...Array.from({ length: 5 }, () => ({ ...aTrace(root.runId), parentId: root.id }))]
    })
    for (const traces of lessons) await store().saveLearned({ traces, edges: [] })
    const recent = async (runs: number): Promise<readonly string[]> => {
      const ids: string[] = []
      for await (const batch of store().loadRecentTraces({ runs }))
        ids.push(...batch.map(({ trace }) => trace.id))
      return ids
    }
    const ids = lessons.map((traces) => traces.map(({ id }) => id))
    expect(await recent(3)).toEqual(ids.slice(-3).flat())
    expect(await recent(100)).toEqual(ids.slice(-100).flat())
    expect(await recent(Number.POSITIVE_INFINITY)).toEqual(ids.flat())
    expect(await recent(0)).toEqual([])
  })
}

function aSchema(name: string): OutputSchema {
  return {
    tool: formatToolId('fs', name),
    schema: { type: ['object', 'null'], properties: { z: { type: 'string' }, a: {} }, required: ['z'] },
    version: 1,
    samples: 1,
    updatedAt: 1_700_000_000_000,
  }
}

function aTrace(runId = newId()): Trace {
  const times = { startedAt: 1_700_000_000_000, endedAt: 1_700_000_000_100 }
  return { id: newId(), runId, success: true, ...times, dependsOn: [], links: [] }
}
