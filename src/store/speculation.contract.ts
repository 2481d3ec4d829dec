/** What every Store promises of running ahead: the ledger of predictions, and the templates that they are made from. */
import { expect, it } from 'vitest'
import { StoreError } from '../errors.js'
import type { DataflowTemplate } from '../model/dataflow-template.js'
import { newId } from '../model/new-id.js'
import type { Speculation } from '../model/speculation.js'
import { formatToolId } from '../model/tool.js'
import type { LearnedContract } from './learned.contract.js'

export function testSpeculation({ store, reopen, asPerson, strings }: LearnedContract): void {
  const all = { since: 0, limit: 10_000 }

  it('knows no predictions and no templates at first, and no more after saving none', async () => {
    await store().saveSpeculations([])
    await store().saveDataflowTemplates([], [])
    await store().saveDataflowTemplates([], [aTemplate()])
    await store().replaceDataflowTemplates([])
    expect(await store().listSpeculations(all)).toEqual([])
    expect(await store().listSpeculations({ ...all, tool: read })).toEqual([])
    expect(await store().sumSpeculations(0)).toEqual([])
    expect(await store().pruneSpeculations(Date.now())).toBe(0)
    expect(await store().loadDataflowTemplates()).toEqual([])
  })

  it('gives back predictions and templates as they were saved, also after a reopen', async () => {
    const bare = aSpeculation({ predictedAt: 1_700_000_000_123 })
    const refused = aSpeculation({
      ...{ decision: 'refused', refusal: 'below cut-off', outcome: 'right', outcomeAt: 1_700_000_000_789 },
      ...{ predictedAt: 1_700_000_000_122, arguments: { z: 1, a: [null, true, 1e21, { deep: [] }] } },
    })
    const hit = aSpeculation({
      ...{ p: 1 / 3, toolP: 1 - 2 ** -53, cost: 1e-9, tookMs: 12.345_678_9, savedMs: 0.1 + 0.2 },
      ...{ source: 'row', outcome: 'hit', outcomeAt: 0, predictedAt: 1_700_000_000_121 },
    })
    const templates: DataflowTemplate[] = [
      aTemplate({ parameter: 'a', count: 1 / 3, hits: 1e-300, lastAt: 1_700_000_000_123 }),
      aTemplate({ parameter: 'b', after: read, source: 'constant', value: { z: 1, a: [null, 1e21] } }),
      aTemplate({ parameter: 'c', source: 'constant', value: null }),
      aTemplate({ parameter: 'from+to', source: 'row airline:get_user flights[*]' }),
    ]
    await store().saveSpeculations([hit, bare, refused])
    await store().saveDataflowTemplates(templates.toReversed(), [])
    for (const _ of ['before', 'after']) {
      expect(await store().listSpeculations(all)).toStrictEqual([bare, refused, hit])
      expect(await store().loadDataflowTemplates()).toStrictEqual(templates)
      await reopen()
    }
    const [loaded] = await store().listSpeculations({ since: refused.predictedAt, limit: 1 })
    expect(JSON.stringify(loaded!.arguments)).toBe(JSON.stringify(bare.arguments))
  })

  it('what becomes of a prediction is written in its place, and of one given twice the last counts', async () => {
    const started = aSpeculation()
    const hit: Speculation = { ...started, tookMs: 5, outcome: 'hit', outcomeAt: 9_000, savedMs: 80 }
    await store().saveSpeculations([started])
    await store().saveSpeculations([hit])
    expect(await store().listSpeculations(all)).toStrictEqual([hit])
    const other: Speculation = {
      ...started,
      id: newId(),
      tool: write,
      predictedAt: 1,
      p: 0.25,
      source: 'same',
    }
    await store().saveSpeculations([started, other, { ...other, decision: 'shadow' }, hit, started])
    expect(await store().listSpeculations(all)).toStrictEqual([started, { ...other, decision: 'shadow' }])
    await store().saveSpeculations([{ ...other, tool: read, predictedAt: 2_000_000_000_000, session: 'x' }])
    expect((await store().listSpeculations({ ...all, tool: read })).map(({ session }) => session)).toEqual([
      'x',
      's',
    ])
  })

  it('predictions come newest first, of one tool where it is named, from their time on and up to the limit', async () => {
    const rows = Array.from({ length: 60 }, (_, at) =>
      aSpeculation({ predictedAt: 1_000 + (at % 20), tool: at % 3 === 0 ? write : read }),
    )
    await store().saveSpeculations(rows)
    const newest = rows.toSorted((a, b) => b.predictedAt - a.predictedAt || (a.id < b.id ? 1 : -1))
    const list = (fields: object) => store().listSpeculations({ ...all, ...fields })
    expect(await list({ limit: Number.POSITIVE_INFINITY })).toStrictEqual(newest)
    expect(await list({ limit: 7 })).toStrictEqual(newest.slice(0, 7))
    expect(await list({ limit: 0 })).toEqual([])
    expect(await list({ since: 1_015 })).toStrictEqual(newest.filter((one) => one.predictedAt >= 1_015))
    const ofWrite = newest.filter(({ tool }) => tool === write)
    expect(await list({ tool: write })).toStrictEqual(ofWrite)
    expect(await list({ tool: write, since: 1_003, limit: 4 })).toStrictEqual(ofWrite.slice(0, 4))
    expect(await list({ tool: formatToolId('fs', 'other') })).toEqual([])
  })

  it('sums up the ledger by tool, from a time on, and forgets what is older', async () => {
    const rows = [
      aSpeculation({ predictedAt: 1, outcome: 'hit', savedMs: 1_000, cost: 1 }),
      aSpeculation({ predictedAt: 10, outcome: 'hit', savedMs: 0.25, cost: 0.5 }),
      aSpeculation({ predictedAt: 11, outcome: 'hit', savedMs: 100, cost: 0.25 }),
      aSpeculation({ predictedAt: 12, outcome: 'joined', savedMs: 50 }),
      aSpeculation({ predictedAt: 13, outcome: 'wasted', cost: 2 }),
      aSpeculation({ predictedAt: 14 }),
      aSpeculation({ predictedAt: 15, decision: 'shadow', outcome: 'right' }),
      aSpeculation({ predictedAt: 16, decision: 'refused', refusal: 'off', outcome: 'wrong' }),
      aSpeculation({ predictedAt: 17, decision: 'refused', refusal: 'cost', outcome: 'right' }),
      aSpeculation({ predictedAt: 18, decision: 'refused', refusal: 'cost' }),
      aSpeculation({ predictedAt: 19, tool: write, decision: 'refused', refusal: 'not safe' }),
      aSpeculation({ predictedAt: 10, tool: longTool }),
    ]
    await store().saveSpeculations(rows)
    const none = { predicted: 1, started: 0, hits: 0, joined: 0, wasted: 0, refused: 0, right: 0, wrong: 0 }
    const sums = [
      {
        tool: read,
        ...{ predicted: 9, started: 5, hits: 2, joined: 1, wasted: 1, refused: 3, right: 2, wrong: 1 },
        ...{ savedMs: 150.25, cost: 2.75 },
      },
      { tool: write, ...none, refused: 1, savedMs: 0, cost: 0 },
      { tool: longTool, ...none, started: 1, savedMs: 0, cost: 0 },
    ]
    expect(await store().sumSpeculations(10)).toStrictEqual(sums)
    expect((await store().sumSpeculations(0))[0]).toMatchObject({
      predicted: 10,
      savedMs: 1_150.25,
      cost: 3.75,
    })
    expect(await store().sumSpeculations(20)).toEqual([])
    expect(await store().pruneSpeculations(10)).toBe(1)
    expect(await store().pruneSpeculations(10)).toBe(0)
    expect(await store().sumSpeculations(0)).toStrictEqual(sums)
    expect(await store().pruneSpeculations(Date.now())).toBe(11)
    expect(await store().listSpeculations(all)).toEqual([])
  })

  it('templates are told apart by tool, parameter, what came before, source and value, and updated in their place', async () => {
    const keys: Partial<DataflowTemplate>[] = [
      {},
      ...[{ tool: write }, { parameter: 'other' }, { after: write }, { source: 'constant' }],
      ...[{ value: null }, { value: 'null' }, { value: 0 }, { value: '0' }, { value: false }, { value: '' }],
      ...[{ value: [] }, { value: {} }, { value: { a: 1, b: 2 } }, { value: [1, 2] }, { value: '[1,2]' }],
      // Where one text ends and the next begins is a part of it.
      ...[
        { parameter: 'pat', source: 'h same' },
        { parameter: 'path","', after: '' as const },
      ],
    ]
    const templates = keys.map((key) => aTemplate(key))
    await store().saveDataflowTemplates(templates, [])
    expect(await store().loadDataflowTemplates()).toHaveLength(templates.length)
    const more = templates.map((template, at) => ({ ...template, count: 2 + at, hits: 1.5, lastAt: 99 }))
    await store().saveDataflowTemplates([...templates, ...more], [])
    const asTexts = (all: readonly DataflowTemplate[]) => new Set(all.map((one) => JSON.stringify(one)))
    expect(asTexts(await store().loadDataflowTemplates())).toEqual(asTexts(more))
    const turned = aTemplate({ value: { b: 2, a: 1 }, count: 77 })
    await store().saveDataflowTemplates([turned], [])
    const loaded = await store().loadDataflowTemplates()
    expect(loaded).toHaveLength(templates.length)
    expect(loaded.filter(({ count }) => count === 77)).toEqual([turned])
  })

  it('templates are saved and forgotten together or not at all', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((parameter) => aTemplate({ parameter }))
    await store().saveDataflowTemplates([a!, b!], [])
    const broken = { ...c!, count: 'many' as unknown as number }
    await expect(store().saveDataflowTemplates([broken], [a!])).rejects.toBeInstanceOf(StoreError)
    await expect(store().replaceDataflowTemplates([c!, broken])).rejects.toBeInstanceOf(StoreError)
    expect(await store().loadDataflowTemplates()).toStrictEqual([a, b])
    // Whatever it had counted when it was forgotten.
    await store().saveDataflowTemplates([c!, { ...b!, count: 9 }], [{ ...a!, count: 1_000 }, b!])
    expect(await store().loadDataflowTemplates()).toStrictEqual([c])
  })

  it('all templates are replaced, also tens of thousands, and load in well under a second', async () => {
    await store().saveDataflowTemplates([aTemplate({ parameter: 'old' })], [])
    const many = Array.from({ length: 20_000 }, (_, at) =>
      aTemplate({
        tool: formatToolId('fs', `t${String(at >> 4).padStart(4, '0')}`),
        source: `result ${at & 15}`,
      }),
    ).toSorted((x, y) => (x.tool + x.source < y.tool + y.source ? -1 : 1))
    await store().replaceDataflowTemplates([
      many[0]!,
      ...many.map((one) => ({ ...one, count: 7 })).toReversed(),
    ])
    const begin = performance.now()
    const loaded = await store().loadDataflowTemplates()
    const ms = performance.now() - begin
    expect(loaded).toStrictEqual(many.map((one) => ({ ...one, count: 7 })))
    expect(ms).toBeLessThan(1_500)
    await store().replaceDataflowTemplates([])
    expect(await store().loadDataflowTemplates()).toEqual([])
  })

  it('a number that is none is refused with its whole batch, and the store goes on', async () => {
    const good = aSpeculation()
    for (const bad of [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      'x' as unknown as number,
    ]) {
      for (const field of ['p', 'toolP', 'cost', 'tookMs', 'savedMs'] as const) {
        const failed = store().saveSpeculations([good, aSpeculation({ [field]: bad })])
        await expect(failed).rejects.toBeInstanceOf(StoreError)
      }
      for (const field of ['count', 'hits'] as const) {
        const failed = store().saveDataflowTemplates([aTemplate(), aTemplate({ [field]: bad })], [])
        await expect(failed).rejects.toBeInstanceOf(StoreError)
      }
    }
    expect(await store().listSpeculations(all)).toEqual([])
    expect(await store().loadDataflowTemplates()).toEqual([])
    await store().saveSpeculations([good])
    expect(await store().listSpeculations(all)).toStrictEqual([good])
  })

  it('keeps every string of predictions and templates, also those longer than an index entry, and a person can look into them', async () => {
    const texts = [...strings, '名'.repeat(3_400), `${'名'.repeat(3_400)}2`, incompressible(10_000)]
    const rows = texts.map((text, at) =>
      aSpeculation({
        ...{ predictedAt: 10_000 - at, session: text, tool: formatToolId('fs', text) },
        arguments: { [text]: text },
      }),
    )
    const templates = texts.flatMap((text, at): DataflowTemplate[] => {
      const parameter = `${String(at).padStart(5, '0')}${text}`
      return [
        aTemplate({
          tool: formatToolId('fs', text),
          parameter,
          after: formatToolId('fs', text),
          source: text,
        }),
        aTemplate({ parameter, value: text }),
        aTemplate({ parameter, value: { [text]: [text] } }),
      ]
    })
    for (const _ of ['insert', 'update']) {
      await store().saveSpeculations(rows)
      await store().saveDataflowTemplates(templates, [])
    }
    expect(await store().listSpeculations(all)).toStrictEqual(rows)
    for (const row of [...rows.slice(0, 9), ...rows.slice(-3)])
      expect(await store().listSpeculations({ ...all, tool: row.tool })).toContainEqual(row)
    const sums = await store().sumSpeculations(0)
    expect(new Set(sums.map(({ tool }) => tool))).toEqual(new Set(rows.map(({ tool }) => tool)))
    const loaded = await store().loadDataflowTemplates()
    expect(loaded).toHaveLength(templates.length)
    const asText = (one: DataflowTemplate): string => JSON.stringify(Object.entries(one).toSorted())
    expect(new Set(loaded.map(asText))).toEqual(new Set(templates.map(asText)))
    const [gone, left] = [templates.slice(0, -3), templates.slice(-3)]
    await store().saveDataflowTemplates([], gone)
    expect(new Set((await store().loadDataflowTemplates()).map(asText))).toEqual(new Set(left.map(asText)))
    const [counted] = await asPerson(`
      select (select count(arguments::jsonb) from speculation where tool like 'fs:%')::integer as predictions,
        (select count(value::jsonb) from dataflow_template where tool = 'fs:read')::integer as constants`)
    expect(counted).toEqual({ predictions: texts.length, constants: 2 })
  })

  it('those who save the same templates at once, in whatever order, do not wait for one another for ever', async () => {
    const templates = Array.from({ length: 100 }, (_, at) => aTemplate({ parameter: `p${at}` }))
    const saves = Array.from({ length: 20 }, (_, at) => {
      const mine = templates.map((template) => ({ ...template, count: at }))
      return store().saveDataflowTemplates(at % 2 === 0 ? mine : mine.toReversed(), [])
    })
    await Promise.all(saves)
    const counts = new Set((await store().loadDataflowTemplates()).map(({ count }) => count))
    expect(counts.size).toBe(1)
  })

  it('counting in the same templates and writing outcomes does not make the database grow', async () => {
    const templates = Array.from({ length: 300 }, (_, at) =>
      aTemplate({ parameter: `p${at}`, source: `result fs:list entries[*].${at}` }),
    )
    const rows = Array.from({ length: 300 }, () => aSpeculation())
    const saves = 30
    for (let count = 0; count < saves; count++) {
      await store().saveDataflowTemplates(
        templates.map((template) => ({ ...template, count })),
        [],
      )
      await store().saveSpeculations(rows.map((row) => ({ ...row, tookMs: count })))
    }
    const [size] = await asPerson(
      `select (pg_total_relation_size('dataflow_template') + pg_total_relation_size('speculation'))::integer as bytes`,
    )
    // Measured: 0.6 MB; 2.5 MB where the pages have no room for it.
    expect(size!.bytes).toBeLessThan(1_500_000)
  })

  it('predictions and templates are forgotten with all else that was learned', async () => {
    await store().saveSpeculations([aSpeculation()])
    await store().saveDataflowTemplates([aTemplate()], [])
    await store().forgetLearned()
    await reopen()
    expect(await store().listSpeculations(all)).toEqual([])
    expect(await store().sumSpeculations(0)).toEqual([])
    expect(await store().loadDataflowTemplates()).toEqual([])
  })
}

const read = formatToolId('fs', 'read')
const write = formatToolId('fs', 'write')
const longTool = formatToolId('z', '名'.repeat(3_400))

function aSpeculation(fields: Partial<Speculation> = {}): Speculation {
  return {
    ...{ id: newId(), session: 's', tool: read, arguments: { path: '/tmp/a', head: 3 } },
    ...{
      p: 0.5,
      toolP: 0.75,
      source: 'result',
      predictedAt: 1_700_000_000_000,
      decision: 'started',
      cost: 0,
    },
    ...fields,
  }
}

function aTemplate(fields: Partial<DataflowTemplate> = {}): DataflowTemplate {
  return {
    ...{ tool: read, parameter: 'path', after: '', source: 'same' },
    ...fields,
    ...{ count: fields.count ?? 1, hits: fields.hits ?? 0.5, lastAt: fields.lastAt ?? 1_700_000_000_000 },
  }
}

/** An index would shorten what repeats itself. */
function incompressible(length: number): string {
  return Array.from({ length }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000))).join('')
}
