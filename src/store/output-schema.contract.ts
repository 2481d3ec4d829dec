/** What every Store promises of output schemas, and of the traces that they come from. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { StoreError } from '../errors.js'
import { newId } from '../model/new-id.js'
import { formatToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import type { LearnedContract } from './learned.contract.js'
import type { OutputSchema } from './store.js'

export function testOutputSchemas({ store, reopen, asPerson, strings }: LearnedContract): void {
  it('gives back output schemas as they were saved, also after a reopen', async () => {
    expect(await store().loadOutputSchemas()).toEqual([])
    const schemas = [aSchema('a'), aSchema('b')]
    for (const schema of schemas) expect(await store().saveOutputSchema(schema, undefined)).toBe(true)
    for (const _ of ['before', 'after']) {
      expect(await store().loadOutputSchemas()).toStrictEqual(schemas)
      await reopen()
    }
    const grown: OutputSchema = {
      ...schemas[0]!,
      ...{ schema: { type: 'null' }, version: 2, samples: 9, updatedAt: 1_700_000_000_123 },
    }
    expect(await store().saveOutputSchema(grown, schemas[0])).toBe(true)
    expect(await store().loadOutputSchemas()).toStrictEqual([grown, schemas[1]])
  })

  it('an output schema that another gateway has written since is not overwritten', async () => {
    const [first, second] = [aSchema('a'), { ...aSchema('a'), samples: 2 }]
    expect(await store().saveOutputSchema(first, undefined)).toBe(true)
    expect(await store().saveOutputSchema(second, undefined)).toBe(false)
    expect(await store().saveOutputSchema(second, first)).toBe(true)
    expect(await store().saveOutputSchema({ ...first, samples: 3 }, first)).toBe(false)
    expect(await store().saveOutputSchema(aSchema('gone'), aSchema('gone'))).toBe(false)
    expect(await store().loadOutputSchemas()).toStrictEqual([second])
    const writers = Array.from({ length: 10 }, (_, at) =>
      store().saveOutputSchema({ ...second, version: 2, samples: 3 + at }, second),
    )
    expect((await Promise.all(writers)).filter((isWritten) => isWritten)).toHaveLength(1)
  })

  it('counting results of the same kind does not make the database grow', async () => {
    const name = (at: number): string => createHash('sha256').update(String(at)).digest('hex')
    const properties = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [name(at).repeat(2), {}]))
    let known: OutputSchema = { ...aSchema('a'), schema: { type: 'object', properties } }
    await store().saveOutputSchema(known, undefined)
    for (let samples = 2; samples <= 300; samples++) {
      const next = { ...known, samples }
      expect(await store().saveOutputSchema(next, known)).toBe(true)
      known = next
    }
    expect(await store().loadOutputSchemas()).toStrictEqual([known])
    const [size] = await asPerson(`select pg_total_relation_size('tool_output_schema')::integer as bytes`)
    // Three hundred copies would be 2 MB.
    expect(size!.bytes).toBeLessThan(300_000)
  })

  it('all output schemas are replaced, unless there are traces that they do not know', async () => {
    await store().saveOutputSchema(aSchema('a'), undefined)
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
    for (const schema of schemas) await store().saveOutputSchema(schema, undefined)
    for (const schema of schemas)
      expect(await store().saveOutputSchema({ ...schema, samples: 2 }, schema)).toBe(true)
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
