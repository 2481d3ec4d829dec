import { beforeEach, describe, expect, it } from 'vitest'
import { isFault } from '../learn/outcomes-of.js'
import { createEpisodeIndex } from '../learn/thresholds/create-episode-index.js'
import { createSpeculationGate, usefulShare } from '../learn/thresholds/create-speculation-gate.js'
import { createThompson } from '../learn/thresholds/create-thompson.js'
import { createThresholds } from '../learn/thresholds/create-thresholds.js'
import type { AdaptiveThreshold } from '../model/adaptive-threshold.js'
import type { AlgorithmTrace } from '../model/algorithm-trace.js'
import type { Episode } from '../model/episode.js'
import { newId } from '../model/new-id.js'
import type { IntentPlan, Plan } from '../model/plan.js'
import type { Run, RunStatus } from '../model/run.js'
import { seededRandom } from '../model/seeded-random.js'
import { formatToolId, type ToolId } from '../model/tool.js'
import type { SessionStep } from '../plan/predict/next-tools.js'
import type { Advice } from './advice.js'
import { createAdvice } from './create-advice.js'
import { judgePlan } from './judge-plan.js'
import { makeTool } from './test-gateway.contract.js'

const read = formatToolId('files', 'read')
const write = formatToolId('files', 'write')
const drop = formatToolId('db', 'drop')

let advice: Advice
let noted: AlgorithmTrace[]
let told: string[]
let episodes: Episode[]
let moved: AdaptiveThreshold[]
let steps: SessionStep[]
let likely: { tool: ToolId; p: number; signals: Record<string, number> }[]
let thompson: ReturnType<typeof createThompson>

beforeEach(() => {
  noted = []
  told = []
  episodes = []
  moved = []
  steps = []
  likely = []
  thompson = createThompson()
  const index = createEpisodeIndex({
    now: Date.now,
    communities: { revision: () => 0, of: () => undefined },
  })
  advice = createAdvice({
    thresholds: createThresholds({
      thompson,
      episodes: index,
      gate: createSpeculationGate({ useful: usefulShare }),
      random: seededRandom(1),
      now: Date.now,
    }),
    nextTools: {
      observe: (step) => void steps.push(step),
      predict: () => likely,
      endSession: (session) => void told.push(`forget ${session}`),
    },
    records: {
      note: (traces) => void noted.push(...traces),
      called: ({ tool, success }) => void told.push(`called ${tool} ${success}`),
      answered: ({ tool, verdict }) => void told.push(`${verdict} ${tool}`),
      runEnded: ({ status }) => void told.push(`run ${status}`),
      dropped: (session) => void told.push(`dropped ${session}`),
    },
    onEpisode(episode) {
      episodes.push(episode)
      index.add(episode)
    },
    onThreshold: (changed) => void moved.push(changed),
    riskOf: (tool) => (tool === read ? 'safe' : tool === drop ? 'dangerous' : 'moderate'),
    activeAlpha: () => 0.8,
    passiveAlpha: () => 0.6,
    isCallable: () => true,
    isFault,
    redact: (text) => text.replaceAll('hunter2', '[redacted]'),
    now: Date.now,
    newId,
  })
})

function aPlan(tools: readonly ToolId[], intent = 'do it'): Plan {
  const tasks = tools.map((tool, at) => ({
    ...{ id: `t${at}`, tool, arguments: {}, dependsOn: [], onError: 'fail' as const },
  }))
  return { intent, tasks }
}

function anIntentPlan(plan: Plan, confidence: number): IntentPlan {
  return {
    intent: plan.intent ?? '',
    plan,
    layers: [plan.tasks.map(({ id }) => id)],
    ...{
      tools: [],
      edges: [],
      dropped: [],
      arguments: [],
      missing: [],
      unserved: [],
      notes: [],
      pastRuns: [],
    },
    confidence,
  }
}

function judge(session: string, plan: Plan, confidence: number): string {
  const planned = anIntentPlan(plan, confidence)
  const policy = advice.policyFor(planned)
  const judgement = judgePlan(planned, { mode: 'auto', policy, wasSuggested: false, isSafe: () => true })
  advice.planJudged({ session, intent: plan.intent!, plan: planned, judgement, policy })
  return judgement.verdict
}

function run(session: string, plan: Plan, status: RunStatus, more: Partial<Run> = {}): void {
  const id = newId()
  advice.runStarted({ id, session, plan })
  const failed = status !== 'complete'
  const error = { code: 'TOOL_ERROR', message: 'no', hint: '' }
  advice.runEnded(plan, {
    ...{ id, status, startedAt: 1_000, endedAt: 2_000 },
    ...(plan.intent !== undefined && { intent: plan.intent }),
    tasks: plan.tasks.map(({ id: task, tool }) => ({
      ...{ id: task, tool, arguments: {}, startedAt: 1_000, ms: 10 },
      ...(failed ? { status: 'failed', error } : { status: 'complete', result: 1 }),
    })),
    ...more,
  })
}

describe('what became of a plan', () => {
  it.each([
    ['a suggestion that was accepted and worked', 0.8, 'complete', 'true-positive'],
    ['a suggestion that was accepted and failed', 0.8, 'failed', 'false-positive'],
    ['a plan that ran at once and worked', 0.95, 'complete', 'true-positive'],
    ['what was held back, and the agent ran it with success', 0.5, 'complete', 'false-negative'],
    ['what was held back, and failed', 0.5, 'partial_failure', 'true-negative'],
  ] as const)('%s', (_, confidence, status, outcome) => {
    const plan = aPlan([read, write])
    judge('one', plan, confidence)
    run('one', aPlan([write, read]), status)
    expect(moved.map(({ context, window }) => [context, window])).toEqual([['mixed|files|2-4', [outcome]]])
    expect(noted.at(-1)).toMatchObject({ kind: 'plan', runId: expect.any(String) })
    expect(told).toContain(`run ${status}`)
  })

  it('a no of a person counts against it, an end by hand does not count', () => {
    judge('one', aPlan([read]), 0.8)
    run('one', aPlan([read]), 'aborted')
    expect(moved).toEqual([])
    judge('one', aPlan([read]), 0.8)
    run('one', aPlan([read]), 'aborted', {
      decisions: [{ answer: { verdict: 'reject', by: 'page', at: 1 } }] as unknown as Run['decisions'] & {},
    })
    expect(moved.map(({ window }) => window)).toEqual([['false-positive']])
  })

  it('what another session runs, or other tools, say nothing about it; and it is taken up once', () => {
    judge('one', aPlan([read]), 0.5)
    run('two', aPlan([read]), 'complete')
    run('one', aPlan([write]), 'complete')
    expect(moved).toEqual([])
    run('one', aPlan([read]), 'complete')
    run('one', aPlan([read]), 'complete')
    expect(moved).toHaveLength(1)
  })

  it('plans that keep failing have to be surer before they are run', () => {
    for (let at = 0; at < 40; at++) {
      judge('one', aPlan([read]), 0.8)
      run('one', aPlan([read]), at % 2 === 0 ? 'failed' : 'complete')
    }
    const { suggestThreshold, breakdown } = advice.policyFor(anIntentPlan(aPlan([read]), 0.8))
    expect(suggestThreshold).toBeGreaterThan(0.7)
    expect(breakdown).toMatchObject({ context: 'read|files|1', outcomes: 40, falsePositives: 0.5 })
    expect(advice.policyFor(anIntentPlan(aPlan([write]), 0.8)).suggestThreshold).toBe(0.7)
  })
})

describe('hits', () => {
  const hit = { tool: makeTool('files', 'read'), score: 0.5, parts: { name: 0, words: 1, semantic: 0.5 } }

  it('of a session are noted with all that made their threshold, others are not', () => {
    const [threshold] = advice.judgeHits({ session: 'one', intent: 'see it', context: [], hits: [hit] })
    expect(threshold!.breakdown).toMatchObject({
      mode: 'active_search',
      risk: 'safe',
      base: 0.55,
      alpha: 0.8,
    })
    expect(noted).toMatchObject([
      {
        kind: 'search',
        tool: read,
        score: 0.5,
        threshold: threshold!.value,
        decision: 'sure',
        intent: 'see it',
      },
    ])
    expect(noted[0]!.parameters.threshold).toEqual(threshold!.breakdown)
    advice.judgeHits({ intent: 'see it', context: [], hits: [hit] })
    expect(noted).toHaveLength(1)
  })
})

describe('calls', () => {
  const call = { session: 'one', tool: read, success: true, isFault: false, startedAt: 5, endedAt: 25 }

  it('are steps of their session, outcomes of what was scored, and episodes', () => {
    advice.callEnded(call)
    expect(steps).toEqual([{ session: 'one', tool: read, success: true, at: 25 }])
    expect(told).toEqual([`called ${read} true`])
    expect(episodes).toMatchObject([
      { kind: 'call', tool: read, success: true, workflowType: 'read', alpha: 0.8, durationMs: 20 },
    ])
  })

  it('that nobody is to blame for are steps alone', () => {
    advice.callEnded({ ...call, success: false })
    expect(steps).toHaveLength(1)
    expect(episodes).toEqual([])
  })

  it('of a run are steps of the session that began it, in the order of their ends, without secrets', () => {
    run('one', aPlan([read, write], 'log in with hunter2'), 'complete')
    expect(steps.map(({ session, tool, intent }) => [session, tool, intent])).toEqual([
      ['one', read, 'log in with [redacted]'],
      ['one', write, 'log in with [redacted]'],
    ])
    expect(episodes.map(({ workflowType }) => workflowType)).toEqual(['mixed', 'mixed'])
  })
})

describe('what comes next', () => {
  it('is offered where it is surer than its threshold, and noted either way', () => {
    likely = [
      { tool: read, p: 0.85, signals: { mix: 2 } },
      { tool: write, p: 0.1, signals: {} },
    ]
    expect(advice.likelyNext('one')).toEqual([{ tool: read, p: 0.85 }])
    expect(noted.map(({ kind, tool, decision }) => [kind, tool, decision])).toEqual([
      ['next', read, 'offered'],
      ['next', write, 'held back'],
    ])
  })

  it('nobody is offered a dangerous tool below .80', () => {
    likely = [{ tool: drop, p: 0.79, signals: {} }]
    for (let at = 0; at < 50; at++) thompson.take(drop, [{ success: true, at }])
    expect(advice.likelyNext('one')).toEqual([])
  })
})

it('a session that ended is forgotten', () => {
  advice.endSession('one')
  expect(told).toEqual(['forget one', 'dropped one'])
})
