import { RunNotFoundError } from '../../errors.js'
import type { JsonObject } from '../../model/json.js'
import { isRedacted, type Redact, redactedMark } from '../../model/redact.js'
import type { Run } from '../../model/run.js'
import { shorten } from '../../model/shorten.js'
import type { ToolResult } from '../../model/tool-call.js'
import type { Replanned } from '../../plan/intent-planner.js'
import { type IntentDeps, judgeIntent, planOptions } from '../plan-intent.js'
import type { ResultStore } from '../result-store.js'
import { explicitReply } from './explicit-reply.js'
import type { Caller } from './meta-tool.js'
import { ranReply } from './ran-reply.js'
import { type RunForCallerDeps, runForCaller } from './run-for-caller.js'
import { missingArguments, suggestionReply } from './suggestion-reply.js'

export interface ReplanWorkflowDeps extends IntentDeps, RunForCallerDeps {
  readonly results: ResultStore
}

export interface ReplanRequest {
  /** Of the run that the new plan builds on. */
  readonly id: string
  readonly requirement: string
  readonly given: JsonObject
  readonly mode: 'suggest' | 'run'
}

/** A run and a further requirement: the plan grows, what is done stays done. Runs only when that is asked for. */
export async function replanWorkflow(
  { id, requirement, given, mode }: ReplanRequest,
  caller: Caller,
  deps: ReplanWorkflowDeps,
): Promise<ToolResult> {
  const run = await deps.runs.find(id)
  if (run === undefined) throw new RunNotFoundError(id)
  await deps.findTools.ready()
  const replanned = await deps.planner.replan(run, requirement, planOptions(given, deps))
  const plan = { ...replanned, notes: [...replanned.notes, ...noteHidden(replanned)] }
  const isRunning = run.status === 'running'
  const { verdict, why } = judgeIntent(plan, isRunning ? 'suggest' : mode, deps)
  // What is done is no draft: sent again, it would be done again.
  if (plan.added.length === 0)
    return explicitReply({ ...plan, plan: { ...plan.plan, tasks: [] } }, given, nothingAdded, deps)
  if (verdict === 'explicit_required') return explicitReply(plan, given, why, deps)
  const more = whatChanged(run, plan, deps.redact)
  if (verdict === 'suggestion') {
    const reason = isRunning ? `${stillRunning} ${why}` : why
    const next = howToGoOn(plan, isRunning)
    return suggestionReply({ plan, why: reason, more, next, share: shareOfGrown }, deps)
  }
  const ran = await runForCaller(plan.plan, plan.finished, caller, deps)
  return ranReply(plan, ran, more, deps)
}

const nothingAdded = 'Nothing was found that the requirement adds to this workflow.'
const stillRunning =
  'The workflow is still running: this builds on what has ended so far, and a run under way cannot be steered in this version.'

/** Beside the plan stands what changed. */
const shareOfGrown = 0.6
const mostListed = 50

function whatChanged(run: Run, { added, finished }: Replanned, redact: Redact): JsonObject {
  const done = finished.filter(({ parent }) => parent === undefined)
  return {
    replans: run.id,
    added: added
      .slice(0, mostListed)
      .map(({ task, tool, why }) => ({ task, tool, why: shorten(redact(why), 120) })),
    finished: done.slice(0, mostListed).map(({ id }) => id),
  }
}

/** A run of an earlier process comes from the store, which holds no secrets. */
function noteHidden({ finished }: Replanned): readonly string[] {
  return finished
    .filter(({ parent, result }) => parent === undefined && isRedacted(JSON.stringify(result ?? null)))
    .map(({ id }) => `What ${id} gave holds ${redactedMark} where a secret stood: call it anew for that.`)
}

function howToGoOn({ missing }: Replanned, isRunning: boolean): string {
  const when = isRunning ? 'When it has ended, replan again' : 'To run it, replan again'
  const same = `${when} with the same requirement and "mode": "run"`
  if (missing.length === 0) return `${same}: finished tasks are not called again.`
  return `${same} and add to arguments: ${missingArguments(missing)}`
}
