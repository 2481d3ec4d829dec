/** See advice.ts. Brings together what plan, learn and graph know; each of them is a stranger to the others. */
import type { AlgorithmLog } from '../learn/records/create-algorithm-log.js'
import { contextOf } from '../learn/thresholds/context-of.js'
import type { Thresholds } from '../learn/thresholds/create-thresholds.js'
import { workflowTypeOf } from '../learn/thresholds/workflow-type-of.js'
import type { AdaptiveThreshold, PlanOutcome } from '../model/adaptive-threshold.js'
import type { AlgorithmTrace } from '../model/algorithm-trace.js'
import type { Episode } from '../model/episode.js'
import type { Json, JsonObject } from '../model/json.js'
import type { IntentPlan, Plan } from '../model/plan.js'
import type { Redact } from '../model/redact.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { Threshold } from '../model/threshold.js'
import type { ToolId } from '../model/tool.js'
import type { NextTools } from '../plan/predict/next-tools.js'
import type { Advice, RiskOf } from './advice.js'
import type { Judgement } from './judge-plan.js'

export interface AdviceDeps {
  readonly thresholds: Thresholds
  readonly nextTools: Pick<NextTools, 'observe' | 'predict' | 'endSession'>
  readonly records: Pick<AlgorithmLog, 'note' | 'called' | 'answered' | 'runEnded' | 'dropped'>
  /** An episode: what happened, for situations like it. */
  onEpisode(episode: Episode): void
  /** A threshold has moved. */
  onThreshold(changed: AdaptiveThreshold): void
  readonly riskOf: RiskOf
  /** Of search. */
  activeAlpha(tool: ToolId): number
  /** Of what may come next, from where the session is. */
  passiveAlpha(tool: ToolId, context: readonly ToolId[]): number
  isCallable(tool: ToolId): boolean
  /** Whether the tool or its server is to blame. */
  isFault(errorCode: string | undefined): boolean
  readonly redact: Redact
  now(): number
  newId(): string
}

/** Of each search so many are noted: what stands further down is seldom looked at, and never missed. */
const hitsNoted = 5
const offersLookedAt = 3
/** Tools of a session that a passive alpha looks back at. */
const contextLength = 5
/** Plans of a session that may still be taken up, and for how long. */
const plansRemembered = 20
const takenUpWithinMs = 10 * 60_000
const mostSessions = 1_000
const mostRuns = 1_000

interface Remembered {
  readonly trace: AlgorithmTrace
  readonly context: string
  readonly verdict: Judgement['verdict']
  readonly tools: string
  readonly at: number
}

export function createAdvice(deps: AdviceDeps): Advice {
  const { thresholds, nextTools, records, riskOf, now, newId } = deps
  const plans = new Map<string, Remembered[]>()
  /** By run: the plan that was judged before it was run. */
  const judged = new Map<string, Remembered>()
  /** By run. */
  const sessions = new Map<string, string>()
  /** By session, the tools that were called last. */
  const recent = new Map<string, ToolId[]>()

  const step = (session: string, tool: ToolId, success: boolean, at: number, intent?: string): void => {
    nextTools.observe({
      session,
      tool,
      success,
      at,
      ...(intent !== undefined && { intent: deps.redact(intent) }),
    })
    const tools = recent.get(session) ?? []
    recent.delete(session)
    recent.set(session, tools)
    tools.push(tool)
    if (tools.length > contextLength) tools.shift()
    dropOldest(recent, mostSessions)
  }

  const typeOf = (tools: readonly ToolId[]): string => workflowTypeOf(tools.map(riskOf))
  const planContext = ({ tasks }: Plan): string =>
    contextOf({ tasks, risks: tasks.map(({ tool }) => riskOf(tool)) })

  const noteEpisode = (
    task: Pick<TaskOutcome, 'tool' | 'error'> & { readonly success: boolean },
    more: Pick<Episode, 'at' | 'workflowType'> & Partial<Episode>,
  ): void => {
    deps.onEpisode({
      id: newId(),
      kind: 'call',
      tool: task.tool,
      alpha: deps.activeAlpha(task.tool),
      success: task.success,
      data: task.error === undefined ? {} : { error: task.error.code },
      ...more,
    })
  }

  return {
    judgeHits({ session, intent, context, hits }) {
      const at = now()
      const judgedHits = hits.map(({ tool, score, parts }) => {
        const alpha = deps.activeAlpha(tool.id)
        const workflowType = typeOf([tool.id])
        const threshold = thresholds.of({
          mode: 'active_search',
          tool: tool.id,
          risk: riskOf(tool.id),
          alpha,
          workflowType,
        })
        const trace: AlgorithmTrace = {
          ...{ id: newId(), at, kind: 'search', mode: 'active_search', intent, tool: tool.id },
          ...(session !== undefined && { session }),
          ...{ workflowType, alpha, signals: { ...parts, context: [...context] } as unknown as JsonObject },
          ...{ parameters: parametersOf(threshold), score, threshold: threshold.value },
          decision: score >= threshold.value ? 'sure' : 'unsure',
        }
        return { threshold, trace }
      })
      if (session !== undefined) records.note(judgedHits.slice(0, hitsNoted).map(({ trace }) => trace))
      return judgedHits.map(({ threshold }) => threshold)
    },
    policyFor: ({ plan }) => thresholds.policy(planContext(plan)),
    planJudged({ session, intent, plan, judgement, policy }) {
      const context = planContext(plan.plan)
      const trace: AlgorithmTrace = {
        ...{ id: newId(), at: now(), kind: 'plan', mode: 'active_search', session, intent },
        workflowType: typeOf(plan.plan.tasks.map(({ tool }) => tool)),
        signals: planSignals(plan),
        parameters: { context, ...(policy as unknown as JsonObject) },
        score: plan.confidence,
        threshold:
          judgement.verdict === 'explicit_required' ? policy.suggestThreshold : policy.executeThreshold,
        decision: judgement.verdict,
      }
      records.note([trace])
      const kept = plans.get(session) ?? []
      plans.delete(session)
      plans.set(session, kept)
      kept.push({
        ...{ trace, context, verdict: judgement.verdict, at: trace.at },
        tools: toolsKey(plan.plan.tasks.map(({ tool }) => tool)),
      })
      if (kept.length > plansRemembered) kept.shift()
      dropOldest(plans, mostSessions)
    },
    runStarted({ id, session, plan }) {
      sessions.set(id, session)
      dropOldest(sessions, mostRuns)
      const tools = toolsKey(plan.tasks.map(({ tool }) => tool))
      const since = now() - takenUpWithinMs
      const kept = plans.get(session)
      const found = kept?.findLast((one) => one.tools === tools && one.at >= since)
      if (kept === undefined || found === undefined) return
      // Taken up once: the same again is judged again.
      kept.splice(kept.indexOf(found), 1)
      judged.set(id, found)
      dropOldest(judged, mostRuns)
      records.note([{ ...found.trace, runId: id }])
    },
    runEnded(plan, run) {
      const session = sessions.get(run.id) ?? `run-${run.id}`
      sessions.delete(run.id)
      const calls = callsOf(plan, run)
      const workflowType = typeOf(plan.tasks.map(({ tool }) => tool))
      for (const task of calls.toSorted((a, b) => endOf(a) - endOf(b))) {
        const success = task.status === 'complete' && task.error === undefined
        const at = endOf(task)
        step(session, task.tool, success, at, run.intent)
        if (!success && !deps.isFault(task.error?.code)) continue
        const durationMs = task.ms ?? 0
        records.called({ session, tool: task.tool, success, durationMs, at, runId: run.id })
        noteEpisode({ ...task, success }, { at, workflowType, runId: run.id, session, durationMs })
      }
      const before = judged.get(run.id)
      judged.delete(run.id)
      const durationMs = (run.endedAt ?? now()) - run.startedAt
      records.runEnded({ runId: run.id, status: run.status, durationMs, at: run.endedAt ?? now() })
      const outcome = before && outcomeOf(before.verdict, run)
      if (before === undefined || outcome === undefined) return
      const changed = thresholds.planEnded(before.context, outcome)
      if (changed !== undefined) deps.onThreshold(changed)
    },
    callEnded({ session, tool, success, isFault, startedAt, endedAt }) {
      step(session, tool, success, endedAt)
      if (!success && !isFault) return
      const durationMs = endedAt - startedAt
      records.called({ session, tool, success, durationMs, at: endedAt })
      noteEpisode({ tool, success }, { at: endedAt, workflowType: typeOf([tool]), session, durationMs })
    },
    callRejected({ tool, runId }) {
      const session = runId === undefined ? undefined : sessions.get(runId)
      records.answered({
        tool,
        verdict: 'reject',
        at: now(),
        ...(runId && { runId }),
        ...(session && { session }),
      })
    },
    likelyNext(session) {
      const at = now()
      const context = [...new Set(recent.get(session))]
      const looked = nextTools
        .predict(session, { limit: offersLookedAt, among: deps.isCallable })
        .map(({ tool, p, signals }) => {
          const alpha = deps.passiveAlpha(tool, context)
          const workflowType = typeOf([tool])
          const threshold = thresholds.of({
            mode: 'passive_suggestion',
            ...{ tool, risk: riskOf(tool), alpha, workflowType },
          })
          const isOffered = p >= threshold.value
          const trace: AlgorithmTrace = {
            ...{
              id: newId(),
              at,
              kind: 'next',
              mode: 'passive_suggestion',
              session,
              tool,
              workflowType,
              alpha,
            },
            ...{ signals: signals as JsonObject, parameters: parametersOf(threshold), score: p },
            ...{ threshold: threshold.value, decision: isOffered ? 'offered' : 'held back' },
          }
          return { tool, p, isOffered, trace }
        })
      records.note(looked.map(({ trace }) => trace))
      return looked.filter(({ isOffered }) => isOffered).map(({ tool, p }) => ({ tool, p }))
    },
    endSession(session) {
      plans.delete(session)
      recent.delete(session)
      nextTools.endSession(session)
      records.dropped(session)
    },
  }
}

function parametersOf({ breakdown }: Threshold): JsonObject {
  return { threshold: breakdown as unknown as Json }
}

function planSignals({ plan, tools, edges, missing, unserved, pastRuns }: IntentPlan): JsonObject {
  return {
    tasks: plan.tasks.map(({ tool }) => tool),
    scores: tools.map(({ tool, score, by }) => ({ tool, score, by })),
    edges: edges.length,
    missing: missing.length,
    unserved: unserved.length,
    pastRuns: [...pastRuns],
  }
}

/** What became of a judgement; undefined where nobody can tell, as of a run that was ended by hand. */
function outcomeOf(verdict: Judgement['verdict'], { status, decisions = [] }: Run): PlanOutcome | undefined {
  const isRejected = decisions.some(({ answer }) => answer?.verdict === 'reject')
  if (status === 'aborted' && !isRejected) return undefined
  const isGood = status === 'complete' && !isRejected
  if (verdict === 'explicit_required') return isGood ? 'false-negative' : 'true-negative'
  return isGood ? 'true-positive' : 'false-positive'
}

function toolsKey(tools: readonly ToolId[]): string {
  return JSON.stringify(tools.toSorted())
}

type StartedTask = TaskOutcome & { readonly startedAt: number }

/** A task done for each has made no call itself: its elements have. */
function callsOf(plan: Plan, { tasks }: Run): readonly StartedTask[] {
  const wholes = new Set(plan.tasks.filter(({ each }) => each !== undefined).map(({ id }) => id))
  return tasks.filter(({ id }) => !wholes.has(id)).filter(isStarted)
}

function isStarted(task: TaskOutcome): task is StartedTask {
  return task.startedAt !== undefined
}

function endOf({ startedAt, ms }: StartedTask): number {
  return Math.round(startedAt + (ms ?? 0))
}

function dropOldest(kept: Map<string, unknown>, most: number): void {
  if (kept.size > most) kept.delete(kept.keys().next().value!)
}
