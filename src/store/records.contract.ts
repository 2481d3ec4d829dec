/** What every Store promises of the records of what was scored, what came of it, and what people allowed. */
import { expect, it } from 'vitest'
import { StoreError } from '../errors.js'
import type { AdaptiveThreshold } from '../model/adaptive-threshold.js'
import type { AlgorithmTrace } from '../model/algorithm-trace.js'
import type { Episode } from '../model/episode.js'
import { newId } from '../model/new-id.js'
import type { PermissionAudit, RiskOverride } from '../model/risk-override.js'
import type { Run } from '../model/run.js'
import { formatToolId } from '../model/tool.js'
import type { ToolPreference } from '../model/tool-preference.js'
import type { Trace } from '../model/trace.js'
import { aRun, aTask, saveRun } from './checkpoint.contract.js'
import type { LearnedContract } from './learned.contract.js'

export function testRecords({ store, reopen, asPerson, strings }: LearnedContract): void {
  it('has no records at first, and no more after saving none', async () => {
    await store().saveAdaptiveThresholds([])
    await store().saveAlgorithmTraces([])
    await store().saveEpisodes([])
    await store().savePermissionAudit([])
    await store().savePreferences([])
    expect(await store().loadAdaptiveThresholds()).toEqual([])
    expect(await store().findAlgorithmTrace('x')).toBeUndefined()
    expect(await store().listAlgorithmTraces({ limit: 10 })).toEqual([])
    expect(await store().listAlgorithmTraces({ runId: 'x', limit: 10 })).toEqual([])
    expect(await store().loadEpisodes({ since: 0, limit: 10 })).toEqual([])
    expect(await store().pruneEpisodes(Date.now())).toBe(0)
    expect(await store().loadRiskOverrides()).toEqual([])
    expect(await store().listPermissionAudit({ limit: 10 })).toEqual([])
    expect(await store().loadPreferences()).toEqual([])
    expect(await store().loadLearnedState('x')).toBeUndefined()
    expect(await store().listUnlearnedRuns('me', { since: 0, limit: 10 })).toEqual([])
    await store().forgetLearned()
  })

  it('gives back every record as it was saved, also after a reopen', async () => {
    const threshold: AdaptiveThreshold = {
      ...{ context: 'read|files|1', suggest: 0.7, execute: 0.925, outcomes: 21 },
      ...{ window: ['true-positive', 'false-negative'], updatedAt: 1_700_000_000_123 },
    }
    const whole: AlgorithmTrace = {
      ...aScoring({ at: 2_000, runId: 'r1' }),
      ...{ session: 's', intent: 'read a "file"', tool, workflowType: 'read', alpha: 0.8, threshold: 0.65 },
      ...{ signals: { cosine: 1 / 3, parts: [1, null] }, parameters: { breakdown: { base: 0.7 } } },
      outcome: { what: 'selected', success: false, durationMs: 12.5, at: 2_100 },
    }
    const bare = aScoring({ at: 1_000 })
    const ignored = aScoring({ at: 3_000, outcome: { what: 'ignored', at: 4_000 } })
    const episode = anEpisode({
      ...{ session: 's', runId: 'r1', algorithmTraceId: whole.id, durationMs: 3.25, data: { before: ['x'] } },
    })
    const other = anEpisode({ kind: 'decision', success: false, at: 3 })
    const override: RiskOverride = { tool, risk: 'safe', reason: 'only reads', setAt: 5 }
    const preference: ToolPreference = { tool, approvals: 3, rejections: 1, streak: -1, updatedAt: 6 }
    const audit = anAudit({ at: 5 })
    await store().saveAdaptiveThresholds([threshold])
    await store().saveAlgorithmTraces([whole, bare, ignored])
    await store().saveEpisodes([episode, other])
    await store().saveRiskOverride(tool, override, audit)
    await store().savePreferences([preference])
    await store().saveLearnedState('next-tools', { weights: [0.1, -2], z: null })
    for (const _ of ['before', 'after']) {
      expect(await store().loadAdaptiveThresholds()).toStrictEqual([threshold])
      expect(await store().findAlgorithmTrace(whole.id)).toStrictEqual(whole)
      expect(await store().listAlgorithmTraces({ limit: 10 })).toStrictEqual([ignored, whole, bare])
      expect(await store().loadEpisodes({ since: 0, limit: 10 })).toStrictEqual([other, episode])
      expect(await store().loadRiskOverrides()).toStrictEqual([override])
      expect(await store().listPermissionAudit({ limit: 10 })).toStrictEqual([audit])
      expect(await store().loadPreferences()).toStrictEqual([preference])
      expect(await store().loadLearnedState('next-tools')).toStrictEqual({ weights: [0.1, -2], z: null })
      await reopen()
    }
  })

  it('an outcome and a run are filled in later, what was decided stands, and no outcome is lost again', async () => {
    const decided = aScoring({ score: 0.7 })
    const outcome = { what: 'selected', success: true, durationMs: 5, at: 9_000 } as const
    await store().saveAlgorithmTraces([decided])
    await store().saveAlgorithmTraces([{ ...decided, score: 0.1, runId: 'r1', outcome }])
    expect(await store().findAlgorithmTrace(decided.id)).toStrictEqual({ ...decided, runId: 'r1', outcome })
    await store().saveAlgorithmTraces([decided])
    expect(await store().findAlgorithmTrace(decided.id)).toStrictEqual({ ...decided, runId: 'r1', outcome })
    const rejected = { what: 'rejected', at: 10_000 } as const
    await store().saveAlgorithmTraces([{ ...decided, outcome: rejected }])
    expect((await store().findAlgorithmTrace(decided.id))!.outcome).toStrictEqual(rejected)
    const both = aScoring()
    await store().saveAlgorithmTraces([both, { ...both, outcome }, { ...both, runId: 'r2' }])
    expect(await store().findAlgorithmTrace(both.id)).toStrictEqual({ ...both, runId: 'r2', outcome })
  })

  it('scorings come newest first, of one run where it is named, up to the limit', async () => {
    const traces = Array.from({ length: 60 }, (_, at) =>
      aScoring({ at: 1_000 + (at % 20), ...(at % 3 === 0 && { runId: 'r1' }) }),
    )
    await store().saveAlgorithmTraces(traces)
    const order = (a: AlgorithmTrace, b: AlgorithmTrace): number => b.at - a.at || (a.id < b.id ? 1 : -1)
    const newest = traces.toSorted(order)
    expect(await store().listAlgorithmTraces({ limit: 7 })).toStrictEqual(newest.slice(0, 7))
    const ofRun = newest.filter(({ runId }) => runId === 'r1')
    expect(await store().listAlgorithmTraces({ runId: 'r1', limit: Number.POSITIVE_INFINITY })).toStrictEqual(
      ofRun,
    )
    expect(await store().listAlgorithmTraces({ runId: 'r1', limit: 3 })).toStrictEqual(ofRun.slice(0, 3))
  })

  it('the newest episodes come oldest first, saved twice they stand once, and old ones are forgotten', async () => {
    const episodes = Array.from({ length: 50 }, (_, at) => anEpisode({ at: 1_000 + at }))
    await store().saveEpisodes(episodes.toReversed())
    await store().saveEpisodes(episodes)
    await store().saveAlgorithmTraces([aScoring({ at: 1_004 }), aScoring({ at: 1_006 })])
    expect(await store().loadEpisodes({ since: 1_040, limit: 100 })).toStrictEqual(episodes.slice(40))
    expect(await store().loadEpisodes({ since: 0, limit: 3 })).toStrictEqual(episodes.slice(-3))
    expect(await store().pruneEpisodes(1_005)).toBe(6)
    expect(await store().loadEpisodes({ since: 0, limit: 100 })).toStrictEqual(episodes.slice(5))
    expect(await store().listAlgorithmTraces({ limit: 10 })).toHaveLength(1)
  })

  it('thresholds and preferences are updated in their place, and states by their name', async () => {
    const threshold: AdaptiveThreshold = {
      ...{ context: 'read|files|1', suggest: 0.7, execute: 0.9, window: [], outcomes: 0, updatedAt: 1 },
    }
    const preference: ToolPreference = { tool, approvals: 1, rejections: 0, streak: 1, updatedAt: 1 }
    await store().saveAdaptiveThresholds([threshold, { ...threshold, context: 'write' }])
    await store().saveAdaptiveThresholds([{ ...threshold, suggest: 0.75, outcomes: 10, updatedAt: 2 }])
    await store().savePreferences([preference])
    await store().savePreferences([
      { ...preference, rejections: 2 },
      { ...preference, approvals: 2 },
    ])
    await store().saveLearnedState('a', [1])
    await store().saveLearnedState('b', null)
    await store().saveLearnedState('a', [2])
    expect(await store().loadAdaptiveThresholds()).toStrictEqual([
      { ...threshold, suggest: 0.75, outcomes: 10, updatedAt: 2 },
      { ...threshold, context: 'write' },
    ])
    expect(await store().loadPreferences()).toStrictEqual([{ ...preference, approvals: 2 }])
    expect(await store().loadLearnedState('a')).toEqual([2])
    expect(await store().loadLearnedState('b')).toBeNull()
  })

  it('a risk and what it is remembered by are saved together, and the audit outlives it', async () => {
    const override: RiskOverride = { tool, risk: 'safe', reason: 'only reads', setAt: 5 }
    const [set, unset] = [anAudit({ at: 5 }), anAudit({ at: 5, what: 'risk-unset', isEscalation: false })]
    await store().saveRiskOverride(tool, override, set)
    await store().saveRiskOverride(tool, { ...override, risk: 'dangerous' }, anAudit({ at: 4 }))
    expect(await store().loadRiskOverrides()).toStrictEqual([{ ...override, risk: 'dangerous' }])
    const broken = { ...unset, id: newId(), isEscalation: 'maybe' as unknown as boolean }
    await expect(store().saveRiskOverride(tool, undefined, broken)).rejects.toBeInstanceOf(StoreError)
    expect(await store().loadRiskOverrides()).toHaveLength(1)
    await store().saveRiskOverride(tool, undefined, unset)
    await store().savePermissionAudit([{ ...set, reason: 'another' }])
    expect(await store().loadRiskOverrides()).toEqual([])
    const audit = await store().listPermissionAudit({ limit: 2 })
    expect(audit).toStrictEqual([unset, set])
    expect(await store().listPermissionAudit({ limit: 100 })).toHaveLength(3)
  })

  it('a value that is no number is refused as a whole batch, and the store goes on', async () => {
    const good = aScoring()
    const failed = store().saveAlgorithmTraces([good, aScoring({ score: 'much' as unknown as number })])
    await expect(failed).rejects.toBeInstanceOf(StoreError)
    expect(await store().findAlgorithmTrace(good.id)).toBeUndefined()
    await store().saveAlgorithmTraces([good])
    expect(await store().findAlgorithmTrace(good.id)).toStrictEqual(good)
  })

  it('keeps every string of a record, also names longer than an index entry, and a person can look into it', async () => {
    const long = '名'.repeat(3_000)
    const texts = [...strings, long]
    const scorings = texts.map((text) =>
      aScoring({
        ...{
          session: text,
          intent: text,
          tool: formatToolId('fs', text),
          workflowType: text,
          decision: text,
        },
        ...{ signals: { [text]: text }, parameters: { a: [text] } },
      }),
    )
    const episodes = texts.map((text, at) =>
      anEpisode({
        ...{
          at: 1_000 + at,
          tool: formatToolId('fs', text),
          session: text,
          runId: text,
          algorithmTraceId: text,
        },
        ...{ workflowType: text.slice(0, 200), data: { [text]: text } },
      }),
    )
    const audits = texts.map((text, at) =>
      anAudit({
        at: 1_000 - at,
        what: text,
        subject: text,
        before: text,
        after: text,
        reason: text,
        by: text,
      }),
    )
    const tools = texts.map((text, at) => formatToolId('fs', `${String(at).padStart(5, '0')}${text}`))
    const preferences = tools.map((id) => ({
      tool: id,
      approvals: 1,
      rejections: 0,
      streak: 1,
      updatedAt: 1,
    }))
    const thresholds = tools.map((context) => ({
      ...{ context, suggest: 0.5, execute: 0.9, window: [], outcomes: 1, updatedAt: 1 },
    }))
    await store().saveAlgorithmTraces(scorings)
    await store().saveEpisodes(episodes)
    await store().savePermissionAudit(audits)
    for (const _ of ['insert', 'update']) {
      await store().savePreferences(preferences)
      await store().saveAdaptiveThresholds(thresholds)
    }
    const overridden = [...tools.slice(0, 40), tools.at(-1)!]
    for (const [at, id] of overridden.entries())
      await store().saveRiskOverride(
        id,
        { tool: id, risk: 'moderate', reason: texts[at]!, setAt: 1 },
        anAudit({ at: 1 }),
      )
    const newestFirst = scorings.toSorted((a, b) => (a.id < b.id ? 1 : -1))
    expect(await store().listAlgorithmTraces({ limit: 5_000 })).toStrictEqual(newestFirst)
    expect(await store().loadEpisodes({ since: 0, limit: 5_000 })).toStrictEqual(episodes)
    expect(
      (await store().listPermissionAudit({ limit: audits.length })).slice(0, audits.length),
    ).toStrictEqual(audits)
    expect(await store().loadPreferences()).toStrictEqual(preferences)
    expect(await store().loadAdaptiveThresholds()).toStrictEqual(thresholds)
    expect((await store().loadRiskOverrides()).map(({ reason }) => reason)).toStrictEqual(
      overridden.map((_, at) => texts[at]!),
    )
    for (const text of strings.slice(0, 40)) {
      await store().saveLearnedState(`k${text}`, { [text]: text })
      expect(await store().loadLearnedState(`k${text}`)).toStrictEqual({ [text]: text })
    }
    const [counted] = await asPerson(`
      select (select count(signals::jsonb || parameters::jsonb) from algorithm_traces)::integer as scorings,
        (select count(data::jsonb) from episodic_events)::integer as episodes,
        (select count(newest_outcomes::jsonb) from adaptive_thresholds)::integer as thresholds`)
    expect(counted).toEqual({ scorings: texts.length, episodes: texts.length, thresholds: texts.length })
  })

  it('a trace keeps the calls before it, and calls that clients made are no runs', async () => {
    const runs = Array.from({ length: 4 }, (_, at) => {
      const root = aTrace(`run-${at}`)
      const direct: Trace = {
        ...aTrace('session'),
        ...{ tool, follows: [{ id: newId(), tool, success: false, isJustBefore: true }] },
      }
      return [
        [root, { ...aTrace(root.runId), parentId: root.id, tool }],
        [direct],
        [{ ...direct, id: newId() }],
      ]
    })
    const early: Trace = { ...aTrace('session'), tool }
    await store().saveLearned({ traces: [early], edges: [] })
    for (const lessons of runs) for (const traces of lessons) await store().saveLearned({ traces, edges: [] })
    const recent = async (newest: number): Promise<readonly Trace[]> => {
      const all: Trace[] = []
      for await (const batch of store().loadRecentTraces({ runs: newest }))
        all.push(...batch.map(({ trace }) => trace))
      return all
    }
    expect(await recent(2)).toStrictEqual(runs.slice(-2).flat(2))
    expect(await recent(4)).toStrictEqual(runs.flat(2))
    expect(await recent(100)).toStrictEqual([early, ...runs.flat(2)])
    expect(await recent(0)).toEqual([])
  })

  it('runs that ended and taught nothing are known, oldest first, of their owner and from their time on', async () => {
    const ended = (status: Run['status'], endedAt: number, task = aTask({ startedAt: 5 })): Run => ({
      ...aRun([task], status),
      endedAt,
    })
    const learned = ended('complete', 1_000)
    const expected = [
      ended('failed', 1_100),
      ended('partial_failure', 1_200),
      ended('aborted', 1_300),
      ended('complete', 1_400),
    ]
    const others = [
      ended('complete', 900),
      { ...aRun([aTask({ startedAt: 5 })], 'interrupted'), endedAt: 2_000 },
      aRun([aTask({ startedAt: 5 })], 'running'),
      ended('complete', 2_000, aTask({ status: 'skipped' })),
    ]
    for (const run of [learned, ...expected.toReversed(), ...others]) await saveRun(store(), run)
    await store().saveLearned({ traces: [{ ...aTrace(learned.id), id: learned.id }], edges: [] })
    const list = (owner: string, since: number, limit = 100) =>
      store().listUnlearnedRuns(owner, { since, limit })
    const ids = expected.map(({ id }) => id)
    expect(await list('me', 1_000)).toEqual(ids)
    expect(await list('me', 1_150, 2)).toEqual(ids.slice(1, 3))
    expect(await list('other', 0)).toEqual([])
    const nothing = { edges: [], outputSchemas: [], betaStates: [] }
    expect(await store().foldTraces(nothing, Number.MAX_SAFE_INTEGER)).toBe(1)
    expect(await list('me', 1_000)).toEqual(ids)
    await store().forgetLearned()
    expect(await list('me', 0)).toEqual([])
    const later = ended('complete', 1_000)
    await saveRun(store(), later)
    expect(await list('me', 0)).toEqual([later.id])
  })

  it('what was learned is forgotten as a whole; runs, guesses, overrides, preferences and the audit stay', async () => {
    const run = { ...aRun([aTask({ startedAt: 5 })]), endedAt: 10 }
    await saveRun(store(), run)
    const times = { firstSeen: 1, lastSeen: 2 }
    const ends = { from: tool, to: formatToolId('fs', 'b') }
    const seen = {
      ...ends,
      type: 'sequence',
      source: 'inferred',
      count: 1,
      successes: 1,
      failures: 0,
      ...times,
    } as const
    const guessed = {
      ...ends,
      type: 'provides',
      source: 'template',
      count: 0,
      successes: 0,
      failures: 0,
    } as const
    const shift = { decay: 0.955, successes: 1, failures: 0, observations: 1, at: 5 }
    await store().saveLearned({
      traces: [aTrace('r')],
      edges: [seen, guessed],
      betaShifts: [{ tool, shift }],
    })
    const schema = { tool, schema: {}, version: 1, samples: 1, updatedAt: 1 }
    const state = { id: tool, alpha: 2, beta: 1, observations: 1, updatedAt: 1 }
    await store().addToBaseline({ edges: [seen], outputSchemas: [schema], betaStates: [state] })
    await store().replaceBetaStates('capability', [state], Number.MAX_SAFE_INTEGER)
    await store().saveAdaptiveThresholds([
      { context: 'c', suggest: 0.5, execute: 0.9, window: [], outcomes: 1, updatedAt: 1 },
    ])
    await store().saveAlgorithmTraces([aScoring()])
    await store().saveEpisodes([anEpisode()])
    await store().saveLearnedState('next-tools', {})
    await store().saveLearnedState('mcp-permissions', { known: true })
    await store().savePreferences([{ tool, approvals: 1, rejections: 0, streak: 1, updatedAt: 1 }])
    await store().saveRiskOverride(tool, { tool, risk: 'safe', reason: '', setAt: 1 }, anAudit())
    await store().forgetLearned()
    await reopen()
    expect(await store().loadEdges()).toStrictEqual([guessed])
    expect(await store().loadBaseline()).toEqual({ edges: [], outputSchemas: [], betaStates: [] })
    expect(await store().loadOutputSchemas()).toEqual([])
    for (const kind of ['tool', 'capability'] as const) expect(await store().loadBetaStates(kind)).toEqual([])
    expect(await store().loadAdaptiveThresholds()).toEqual([])
    expect(await store().listAlgorithmTraces({ limit: 10 })).toEqual([])
    expect(await store().loadEpisodes({ since: 0, limit: 10 })).toEqual([])
    expect(await store().loadLearnedState('next-tools')).toBeUndefined()
    expect(await store().loadLearnedState('mcp-permissions')).toEqual({ known: true })
    for await (const batch of store().loadTraces()) expect(batch).toEqual([])
    expect(await store().loadRun(run.id)).toStrictEqual(run)
    expect(await store().loadPreferences()).toHaveLength(1)
    expect(await store().loadRiskOverrides()).toHaveLength(1)
    expect(await store().listPermissionAudit({ limit: 10 })).toHaveLength(1)
    expect(await store().saveLearned({ traces: [aTrace('r')], edges: [seen] })).toBe(true)
  })

  it('fifty thousand episodes load in about a second', async () => {
    const episodes = Array.from({ length: 50_000 }, (_, at) => anEpisode({ at: 1_000 + at }))
    await store().saveEpisodes(episodes)
    const begin = performance.now()
    expect(await store().loadEpisodes({ since: 0, limit: 50_000 })).toHaveLength(50_000)
    expect(performance.now() - begin).toBeLessThan(3_000)
  })
}

const tool = formatToolId('fs', 'read')

function aScoring(fields: Partial<AlgorithmTrace> = {}): AlgorithmTrace {
  return {
    ...{ id: newId(), at: 1_700_000_000_123, kind: 'search', mode: 'active_search' },
    ...{ signals: {}, parameters: {}, score: 0.5, decision: 'sure' },
    ...fields,
  }
}

function anEpisode(fields: Partial<Episode> = {}): Episode {
  return {
    ...{ id: newId(), at: 1_700_000_000_123, kind: 'call', tool, workflowType: 'read', alpha: 0.75 },
    ...{ success: true, data: {} },
    ...fields,
  }
}

function anAudit(fields: Partial<PermissionAudit> = {}): PermissionAudit {
  return {
    ...{
      id: newId(),
      at: 1_700_000_000_123,
      what: 'risk-set',
      subject: tool,
      before: 'moderate',
      after: 'safe',
    },
    ...{ isEscalation: true, reason: 'only reads', by: 'command line' },
    ...fields,
  }
}

function aTrace(runId: string): Trace {
  return { id: newId(), runId, success: true, startedAt: 1, endedAt: 2, dependsOn: [], links: [] }
}
