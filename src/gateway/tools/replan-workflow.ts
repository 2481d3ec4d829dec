import { RunNotFoundError } from '../../errors.js'
import type { JsonObject } from '../../model/json.js'
import { isRedacted, type Redact, redactedMark } from '../../model/redact.js'
import { isRunEnded, type Run } from '../../model/run.js'
import type { RunCommand } from '../../model/run-command.js'
import { shorten } from '../../model/shorten.js'
import type { ToolResult } from '../../model/tool-call.js'
import type { Replanned } from '../../plan/intent-planner.js'
import { type IntentDeps, judgeIntent, planOptions } from '../plan-intent.js'
import type { ResultStore } from '../result-store.js'
import { explicitReply } from './explicit-reply.js'
import { withinReply } from './late-command.js'
import type { Caller } from './meta-tool.js'
import { ranReply } from './ran-reply.js'
import { followRun, type RunForCallerDeps, runForCaller } from './run-for-caller.js'
import { askInAnswer, type ToolRequest } from './run-rounds.js'
import type { RunView } from './run-view.js'
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

/**
 * A run and a further requirement: the plan grows, what is done stays done. Runs only when that is asked for: one that has not
 * ended takes up the new tasks itself, of one that has ended a new run builds on what it gave.
 */
export async function replanWorkflow(
  { id, requirement, given, mode }: ReplanRequest,
  request: ToolRequest,
  caller: Caller,
  deps: ReplanWorkflowDeps,
): Promise<ToolResult> {
  const run = await deps.runs.find(id)
  if (run === undefined) throw new RunNotFoundError(id)
  await deps.findTools.ready()
  const replanned = await deps.planner.replan(run, requirement, planOptions(given, deps))
  const isOpen = !isRunEnded(run.status)
  const plan = { ...replanned, notes: notesOn(replanned, run, isOpen) }
  const { verdict, why } = judgeIntent(plan, { session: caller.session, mode, wasSuggested: true }, deps)
  // What is done is no draft: sent again, it would be done again.
  if (plan.added.length === 0)
    return explicitReply({ ...plan, plan: { ...plan.plan, tasks: [] } }, given, nothingAdded, deps)
  if (verdict === 'explicit_required') return explicitReply(plan, given, why, deps)
  const more = whatChanged(run, plan, deps.redact)
  if (verdict === 'suggestion')
    return suggestionReply({ plan, why, more, next: howToGoOn(plan, isOpen), share: shareOfGrown }, deps)
  deps.desk.lines.redirect(id, caller.client)
  const ran = isOpen
    ? await growRun(id, growth(run, requirement, plan), caller, deps)
    : await runForCaller(plan.plan, { finished: plan.finished, validateLayers: 'never' }, caller, deps)
  return askInAnswer(ran, request, caller, deps) ?? ranReply(plan, ran, more, deps)
}

async function growRun(
  id: string,
  command: RunCommand,
  caller: Caller,
  deps: ReplanWorkflowDeps,
): Promise<RunView> {
  const told = await withinReply(deps.runs.send(id, command), command.type, id, deps)
  return 'late' in told ? told.late : followRun(told.done, caller, deps)
}

const nothingAdded = 'Nothing was found that the requirement adds to this workflow.'

/** The tasks that the run does not have. */
function growth(run: Run, requirement: string, { plan }: Replanned): RunCommand {
  const there = new Set(run.tasks.map(({ id }) => id))
  return { type: 'replan', requirement, tasks: plan.tasks.filter(({ id }) => !there.has(id)) }
}

function notesOn(replanned: Replanned, { tasks }: Run, isOpen: boolean): readonly string[] {
  // In its own run everything stays; only another run takes over what is done and nothing else.
  const left = isOpen ? tasks.map(({ id }) => `${id} is not taken over:`) : []
  const notes = replanned.notes.filter((note) => !left.some((start) => note.startsWith(start)))
  return [...notes, ...noteHidden(replanned)]
}

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

function howToGoOn({ missing }: Replanned, isOpen: boolean): string {
  const same = 'To run it, replan again with the same requirement and "mode": "run"'
  const kept = isOpen ? 'the workflow takes up the new tasks' : 'finished tasks are not called again'
  if (missing.length === 0) return `${same}: ${kept}.`
  return `${same} and add to arguments: ${missingArguments(missing)}`
}
