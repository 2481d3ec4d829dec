import type { KnownCall } from '../../execute/speculate/speculation-room.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { IntentPlan } from '../../model/plan.js'
import { collectReferences } from '../../model/reference.js'
import { isRunEnded } from '../../model/run.js'
import type { ToolResult } from '../../model/tool-call.js'
import type { IntentMode } from '../judge-plan.js'
import { type IntentDeps, judgeIntent, planIntent } from '../plan-intent.js'
import type { ResultStore } from '../result-store.js'
import { explicitReply } from './explicit-reply.js'
import type { Caller } from './meta-tool.js'
import { ranReply } from './ran-reply.js'
import { type RunForCallerDeps, runForCaller } from './run-for-caller.js'
import { runReply } from './run-reply.js'
import { askInAnswer, type ToolRequest } from './run-rounds.js'
import type { RunView } from './run-view.js'
import { missingArguments, suggestionReply, wholeReply } from './suggestion-reply.js'

export interface ExecuteIntentDeps extends IntentDeps, RunForCallerDeps {
  readonly results: ResultStore
  /** These will be called if the plan is taken up, with this probability. */
  prepare(session: string, calls: readonly KnownCall[], p: number): void
}

export interface IntentRequest {
  readonly intent: string
  readonly given: JsonObject
  readonly mode: IntentMode
  /** The run stops after every layer. */
  readonly perLayer: boolean
}

/** A run that failed and its plan share the reply, with room for the text. */
const shareOfFailed = 0.4

/** An intent without tasks: planned, and then run, suggested, or given back with what was found. */
export async function executeIntent(
  { intent, given, mode, perLayer }: IntentRequest,
  request: ToolRequest,
  caller: Caller,
  deps: ExecuteIntentDeps,
): Promise<ToolResult> {
  const { suggested, shownFirst } = deps.desk
  const plan = await planIntent(intent, given, caller, deps)
  const { session } = caller
  const { verdict, why } = judgeIntent(
    plan,
    { session, mode, wasSuggested: suggested.has(session, intent) },
    deps,
  )
  if (verdict === 'explicit_required') return explicitReply(plan, given, why, deps)
  suggested.note(caller.session, intent)
  if (verdict === 'suggestion') deps.prepare(session, firstCalls(plan), plan.confidence)
  if (verdict === 'suggestion')
    return suggestionReply({ plan, why, more: {}, next: howToRun(plan), share: wholeReply }, deps)
  const isCheck = verdict === 'check'
  const validateLayers = isCheck ? 'before' : perLayer ? 'after' : 'never'
  const ran = await runForCaller({ ...plan.plan, intent }, { finished: [], validateLayers }, caller, deps)
  if (isCheck && !perLayer) shownFirst.add(ran.run.id)
  if (isCheck) return ranReply(plan, ran, { why: `${why} Nothing was run yet: look at it first.` }, deps)
  const asked = askInAnswer(ran, request, caller, deps)
  if (asked !== undefined) return asked
  if (mode === 'run') return ranReply(plan, ran, {}, deps)
  if (ran.run.status === 'complete' || !isRunEnded(ran.run.status))
    return ranReply(plan, ran, { mode: 'speculative_execution' }, deps)
  return failedReply(plan, ran, deps)
}

/** What it would begin with, where all arguments are known: the agent looks at the plan meanwhile. */
function firstCalls({ plan, missing }: IntentPlan): readonly KnownCall[] {
  const open = new Set(missing.map(({ task }) => task))
  return plan.tasks.filter(
    ({ id, dependsOn, each, requireApproval, arguments: args }) =>
      dependsOn.length === 0 &&
      each === undefined &&
      requireApproval !== true &&
      !open.has(id) &&
      collectReferences(args).length === 0,
  )
}

function failedReply(plan: IntentPlan, view: RunView, deps: ExecuteIntentDeps): ToolResult {
  const { maxResultTokens } = deps.config()
  const failed = runReply(view, { ...deps, maxTokens: maxResultTokens * shareOfFailed })
  const why = `It was sure enough to be run at once, and ended ${view.run.status}.`
  const next = 'Correct the tasks and send them as tasks, or go another way.'
  const suggested = suggestionReply({ plan, why, more: {}, next, share: shareOfFailed }, deps)
  const text = [...suggested.content, ...failed.content].map((block) => block.text ?? '').join('\n')
  return {
    content: [{ type: 'text', text }],
    structuredContent: {
      ...(suggested.structuredContent as JsonObject),
      failed: failed.structuredContent as Json,
    },
  }
}

function howToRun({ missing }: IntentPlan): string {
  const same = 'Nothing was run. To run it, send the same intent with "mode": "run"'
  if (missing.length === 0) return `${same}, or change the tasks and send them as tasks.`
  return `${same} and add to arguments: ${missingArguments(missing)}`
}
