/** What every Store promises of how calls went, by tool: Beta states, their baseline, and what was learned elsewhere. */
import { expect, it } from 'vitest'
import { StoreError } from '../errors.js'
import type { BetaShift } from '../model/beta-state.js'
import type { Edge } from '../model/edge.js'
import { newId } from '../model/new-id.js'
import { formatToolId, type ToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import type { LearnedContract } from './learned.contract.js'
import type { BetaRow, OutputSchema } from './store.js'

export function testBetaStates({ store, reopen, asPerson, strings }: LearnedContract): void {
  it('knows no states at first, and gives them back as they were saved, also after a reopen', async () => {
    expect(await store().loadBetaStates('tool')).toEqual([])
    expect(await store().loadBetaStates('capability')).toEqual([])
    const tools = [aState('fs:a', { alpha: 1 + 1 / 3, beta: Math.PI }), aState('fs:b')]
    const capabilities = [aState('fs:a', { alpha: 7.25, observations: 12 })]
    expect(await store().replaceBetaStates('tool', tools, 0)).toBe(true)
    expect(await store().replaceBetaStates('capability', capabilities, 0)).toBe(true)
    for (const _ of ['before', 'after']) {
      expect(await store().loadBetaStates('tool')).toStrictEqual(tools)
      expect(await store().loadBetaStates('capability')).toStrictEqual(capabilities)
      await reopen()
    }
  })

  it('a lesson shifts the state of each tool, from the prior on, to the last bit', async () => {
    const shifts = [aShift(3, 1), aShift(0, 2), aShift(5, 0)]
    let expected = { alpha: 1, beta: 1, observations: 0, updatedAt: 0 }
    for (const [at, shift] of shifts.entries()) {
      const lesson = { traces: [aTrace()], edges: [], betaShifts: [{ tool: toolA, shift }] }
      expect(await store().saveLearned(lesson)).toBe(true)
      expected = {
        alpha: 1 + (expected.alpha - 1) * shift.decay + shift.successes,
        beta: 1 + (expected.beta - 1) * shift.decay + shift.failures,
        observations: expected.observations + shift.observations,
        updatedAt: Math.max(expected.updatedAt, shift.at),
      }
      expect(await store().loadBetaStates('tool')).toStrictEqual([{ id: toolA, ...expected }])
      if (at === 1) await reopen()
    }
    expect(await store().loadBetaStates('capability')).toEqual([])
  })

  it('a lesson that is known shifts nothing, nor does one that fails', async () => {
    const traces = [aTrace()]
    const betaShifts = [{ tool: toolA, shift: aShift(1, 0) }]
    expect(await store().saveLearned({ traces, edges: [], betaShifts })).toBe(true)
    const once = await store().loadBetaStates('tool')
    expect(await store().saveLearned({ traces, edges: [], betaShifts })).toBe(false)
    const tooMany = { ...aShift(1, 0), observations: 2 ** 40 }
    const failed = store().saveLearned({
      ...{ traces: [aTrace()], edges: [anEdge('a', 'b')] },
      betaShifts: [...betaShifts, { tool: toolB, shift: tooMany }],
    })
    await expect(failed).rejects.toBeInstanceOf(StoreError)
    expect(await store().loadBetaStates('tool')).toStrictEqual(once)
    expect(await store().loadEdges()).toEqual([])
  })

  it('several shifts of one tool in a lesson do what they would one after the other', async () => {
    const shifts = [aShift(2, 1), aShift(1, 4), aShift(3, 0)]
    for (const shift of shifts)
      await store().saveLearned({ traces: [aTrace()], edges: [], betaShifts: [{ tool: toolA, shift }] })
    const betaShifts = shifts.map((shift) => ({ tool: toolB, shift }))
    await store().saveLearned({ traces: [aTrace()], edges: [], betaShifts })
    const [a, b] = await store().loadBetaStates('tool')
    expect(b!.alpha).toBeCloseTo(a!.alpha, 12)
    expect(b!.beta).toBeCloseTo(a!.beta, 12)
    expect(b!.observations).toBe(a!.observations)
  })

  it('writers who know nothing of one another lose no outcome', async () => {
    const lessons = Array.from({ length: 20 }, (_, at) => ({
      ...{ traces: [aTrace()], edges: [] },
      betaShifts: [
        { tool: toolB, shift: aShift(1, 0) },
        { tool: at % 2 === 0 ? toolA : toolB, shift: aShift(0, 1) },
      ],
    }))
    await Promise.all(lessons.map((lesson) => store().saveLearned(lesson)))
    const states = await store().loadBetaStates('tool')
    expect(states.map(({ id, observations }) => [id, observations])).toEqual([
      [toolA, 10],
      [toolB, 30],
    ])
  })

  it('all states are replaced, unless there are traces that they do not know', async () => {
    await store().saveLearned({ traces: [aTrace()], edges: [] })
    await store().replaceBetaStates('tool', [aState('fs:a')], Number.MAX_SAFE_INTEGER)
    expect(await store().replaceBetaStates('tool', [aState('fs:b')], 0)).toBe(false)
    expect(await store().loadBetaStates('tool')).toStrictEqual([aState('fs:a')])
    const many = Array.from({ length: 12_001 }, (_, at) => aState(`fs:t${String(at).padStart(5, '0')}`))
    expect(await store().replaceBetaStates('tool', many, Number.MAX_SAFE_INTEGER)).toBe(true)
    expect(await store().loadBetaStates('tool')).toStrictEqual(many)
  })

  it('states of folded traces stand in the baseline', async () => {
    await store().saveLearned({ traces: [aTrace()], edges: [] })
    const baseline = { edges: [], outputSchemas: [], betaStates: [aState('fs:a'), aState('fs:b')] }
    expect(await store().foldTraces(baseline, Number.MAX_SAFE_INTEGER)).toBe(1)
    await reopen()
    expect(await store().loadBaseline()).toStrictEqual(baseline)
    expect(await store().loadBetaStates('tool')).toEqual([])
  })

  it('keeps every id of a state, also those longer than an index entry, and a person can ask for it', async () => {
    const long = '名'.repeat(3_000)
    const names = [
      ...strings.map((text, at) => `${String(at).padStart(5, '0')}${text}`),
      `y${long}`,
      `z${long}`,
    ]
    const tools = names.map((name) => formatToolId('fs', name))
    const betaShifts = tools.map((tool) => ({ tool, shift: aShift(1, 0) }))
    for (const _ of ['insert', 'update']) await store().saveLearned({ traces: [], edges: [], betaShifts })
    const states = await store().loadBetaStates('tool')
    expect(states.map(({ id }) => id).toSorted()).toEqual(tools.toSorted())
    expect(new Set(states.map(({ observations }) => observations))).toEqual(new Set([2]))
    expect(
      await asPerson(`select count(*)::integer as many from tool_thompson_states where alpha > 2`),
    ).toEqual([{ many: names.length }])
  })

  it('what was learned elsewhere is added to what is known and to the baseline alike', async () => {
    const own = anEdge('a', 'b')
    await store().saveLearned({
      ...{ traces: [aTrace()], edges: [own] },
      betaShifts: [{ tool: toolA, shift: aShift(2, 0) }],
    })
    const [ownState] = await store().loadBetaStates('tool')
    const ownSchema = aSchema('a')
    await store().saveOutputSchemas([{ schema: ownSchema, replaced: undefined }])
    const imported = {
      edges: [{ ...own, count: 5, successes: 1, failures: 4, firstSeen: 7, lastSeen: 9 }, anEdge('b', 'c')],
      outputSchemas: [{ ...aSchema('a'), samples: 99 }, aSchema('b')],
      betaStates: [aState(toolA, { alpha: 4, beta: 2.5 }), aState(toolB, { alpha: 3 })],
    }
    await store().addToBaseline({ ...imported, edges: [...imported.edges, aTemplate('x', 'y')] })
    expect(await store().loadEdges()).toStrictEqual([
      { ...own, count: 7, successes: 3, failures: 4, firstSeen: 7 },
      imported.edges[1],
    ])
    const [a, b] = await store().loadBetaStates('tool')
    expect(a).toStrictEqual({
      ...ownState!,
      ...{ alpha: ownState!.alpha + 3, beta: ownState!.beta + 1.5 },
      observations: ownState!.observations + imported.betaStates[0]!.observations,
      updatedAt: imported.betaStates[0]!.updatedAt,
    })
    expect(b).toStrictEqual(imported.betaStates[1])
    expect(await store().loadOutputSchemas()).toStrictEqual([ownSchema, aSchema('b')])
    // A schema that was seen here comes from the traces: in the baseline it would count twice.
    const baseline = { ...imported, outputSchemas: [aSchema('b')] }
    expect(await store().loadBaseline()).toStrictEqual(baseline)
    await store().addToBaseline({ edges: [anEdge('b', 'c')], outputSchemas: [], betaStates: [] })
    expect((await store().loadBaseline()).edges[1]).toMatchObject({ count: 4 })
    expect((await store().loadEdges())[1]).toMatchObject({ count: 4 })
  })

  it('what was learned elsewhere is added as a whole or not at all', async () => {
    const before = await store().loadBaseline()
    const tooMany = aState('fs:z', { observations: 2 ** 40 })
    const failed = store().addToBaseline({
      ...{ edges: [anEdge('a', 'b')], outputSchemas: [aSchema('a')] },
      betaStates: [aState('fs:a'), tooMany],
    })
    await expect(failed).rejects.toBeInstanceOf(StoreError)
    expect(await store().loadBaseline()).toStrictEqual(before)
    expect(await store().loadEdges()).toEqual([])
    expect(await store().loadOutputSchemas()).toEqual([])
  })
}

const toolA = formatToolId('fs', 'a')
const toolB = formatToolId('fs', 'b')

function aState(id: string, fields: Partial<BetaRow> = {}): BetaRow {
  return { id, alpha: 2, beta: 1.5, observations: 3, updatedAt: 1_700_000_000_123, ...fields }
}

/** As many outcomes do, oldest first the successes. */
function aShift(successes: number, failures: number): BetaShift {
  const all = [...Array(successes).fill(1), ...Array(failures).fill(0)]
  const weigh = (wanted: number): number =>
    all.reduce((sum: number, one, at) => sum + (one === wanted ? 0.955 ** (all.length - 1 - at) : 0), 0)
  return {
    ...{ decay: 0.955 ** all.length, successes: weigh(1), failures: weigh(0) },
    ...{ observations: all.length, at: 1_700_000_000_000 },
  }
}

function aTrace(): Trace {
  const id = newId()
  return { id, runId: id, success: true, startedAt: 1, endedAt: 2, dependsOn: [], links: [] }
}

function anEdge(from: string, to: string): Edge {
  return {
    ...{ from: formatToolId('fs', from), to: formatToolId('fs', to), type: 'dependency', source: 'observed' },
    ...{ count: 2, successes: 2, failures: 0, firstSeen: 1_000, lastSeen: 2_000 },
  }
}

function aTemplate(from: string, to: string): Edge {
  const ends: { from: ToolId; to: ToolId } = { from: formatToolId('fs', from), to: formatToolId('fs', to) }
  return { ...ends, type: 'dependency', source: 'template', count: 0, successes: 0, failures: 0 }
}

function aSchema(name: string): OutputSchema {
  return {
    ...{ tool: formatToolId('fs', name), schema: { type: 'object' } },
    ...{ version: 1, samples: 1, updatedAt: 1_700_000_000_000 },
  }
}
