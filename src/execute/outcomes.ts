import { toErrorInfo } from '../errors.js'
import type { Json, JsonObject } from '../model/json.js'
import type { PlannedTask } from '../model/plan.js'
import type { ErrorInfo, RunStatus, TaskOutcome, TaskStatus } from '../model/run.js'

/** The outcomes a task can have, and what they make of the run: pure data, no clock, no calls. */

export function isEnded(status: TaskStatus): boolean {
  return status === 'complete' || status === 'failed' || status === 'skipped' || status === 'aborted'
}

export function pending(task: PlannedTask): TaskOutcome {
  return { id: task.id, tool: task.tool, arguments: task.arguments, status: 'pending' }
}

/** One of those that a task done for each is done for; `args` are filled in already where that could be done. */
export function pendingElement(task: PlannedTask, id: string, args: JsonObject): TaskOutcome {
  return { id, parent: task.id, tool: task.tool, arguments: args, status: 'pending' }
}

/** Its call is begun, or begun anew. What an earlier attempt left of an error is over. */
export function started(outcome: TaskOutcome, args: JsonObject, startedAt: number): TaskOutcome {
  const attempts = outcome.startedAt === undefined ? 1 : (outcome.attempts ?? 1) + 1
  const { error: _, ms: __, ...rest } = outcome
  return { ...rest, arguments: args, status: 'running', startedAt, ...(attempts > 1 && { attempts }) }
}

/** The same call once more, after it failed on its way. */
export function startedAgain(outcome: TaskOutcome): TaskOutcome {
  return { ...outcome, attempts: (outcome.attempts ?? 1) + 1 }
}

/** A decision about it is pending. */
export function waiting(outcome: TaskOutcome, args: JsonObject): TaskOutcome {
  return { ...outcome, arguments: args, status: 'waiting' }
}

/** Its call was cut off, and whether it took effect is not known. */
export function interrupted(outcome: TaskOutcome): TaskOutcome {
  return {
    ...outcome,
    status: 'interrupted',
    error: {
      code: 'INTERRUPTED',
      message: 'Its call was cut off: it may have taken effect.',
      hint: 'See whether it did. Then approve that it is called again, reject that, or skip the task.',
    },
  }
}

/** To be done, or done once more; `args` as the plan has them. How often it was called is kept. */
export function pendingAgain(
  { id, parent, tool, startedAt, attempts }: TaskOutcome,
  args: JsonObject,
): TaskOutcome {
  return {
    id,
    ...(parent !== undefined && { parent }),
    tool,
    arguments: args,
    status: 'pending',
    ...(startedAt !== undefined && { startedAt }),
    ...(attempts !== undefined && { attempts }),
  }
}

/** Left out because somebody said so: what only waits its turn goes on. */
export function skipped(outcome: TaskOutcome, reason: string | undefined): TaskOutcome {
  const error = {
    code: leftOutCode,
    message: `Skipped${reason === undefined ? '.' : `: ${reason}`}`,
    hint: whatItDid(outcome),
  }
  return { ...outcome, status: 'skipped', error }
}

const leftOutCode = 'SKIPPED'

function whatItDid({ status, startedAt }: TaskOutcome): string {
  if (status === 'running') return 'The call was cancelled on its way: it may have taken effect.'
  if (status === 'interrupted') return 'Its call was cut off: it may have taken effect.'
  return startedAt === undefined ? 'It was not started.' : 'An earlier call of it may have taken effect.'
}

export function isLeftOutByCommand({ error }: TaskOutcome): boolean {
  return error?.code === leftOutCode
}

/** What it depends on has no value, so it was not run. */
export function isBlocked({ status, error }: TaskOutcome): boolean {
  return status === 'skipped' && error?.code === skippedCode
}

export function completed(outcome: TaskOutcome, result: Json): TaskOutcome {
  return { ...outcome, status: 'complete', result }
}

/** With a default the task is complete and keeps its error beside the result, so that nobody takes it for the tool's answer. */
export function failed(outcome: TaskOutcome, task: PlannedTask, thrown: unknown): TaskOutcome {
  const error = errorInfo(thrown)
  if (task.onError === 'fail') return { ...outcome, status: 'failed', error }
  if (task.onError === 'skip') return { ...outcome, status: 'skipped', error }
  return { ...outcome, status: 'complete', result: task.onError.default, error }
}

/**
 * A task done for each, from its elements: the results in order, without those that were to be left out. Where another has no
 * result the list would have a gap that nobody asked for, and the task has failed, or never ran where no element did.
 */
export function gathered(
  outcome: TaskOutcome,
  elements: readonly TaskOutcome[],
  gaps: readonly TaskOutcome[],
): TaskOutcome {
  if (gaps.length === 0)
    return completed(
      outcome,
      elements.flatMap(({ result }) => (result === undefined ? [] : [result])),
    )
  const failures = elements.filter(({ status }) => status === 'failed')
  const told = failures.length > 0 ? failures : gaps
  const what = failures.length > 0 ? 'failed' : 'skipped'
  const first = told[0]!
  const error = {
    code: 'ELEMENTS_FAILED',
    message: `${told.length} of ${elements.length} elements ${what}: first: ${first.id}: ${first.error?.message ?? first.status}`,
    hint: first.error?.hint ?? '',
  }
  const isUntouched = elements.every(
    ({ status, error }) => status === 'skipped' && error?.code === skippedCode,
  )
  return { ...outcome, status: isUntouched ? 'skipped' : 'failed', error }
}

const skippedCode = 'TASK_SKIPPED'

export function blockedBy(outcome: TaskOutcome, cause: TaskOutcome): TaskOutcome {
  const error = {
    code: skippedCode,
    message: `Not run: it depends on "${cause.id}", which ${cause.status === 'failed' ? 'failed' : 'was skipped'}.`,
    hint: 'Correct that task, or give it onError: {"default": value}.',
  }
  return { ...outcome, status: 'skipped', error }
}

export function aborted(outcome: TaskOutcome, reason: string): TaskOutcome {
  const error = { code: 'ABORTED', message: `Aborted: ${reason}`, hint: whatItDid(outcome) }
  return { ...outcome, status: 'aborted', error }
}

export function runStatus(outcomes: readonly TaskOutcome[]): RunStatus {
  const has = (status: TaskStatus) => outcomes.some((outcome) => outcome.status === status)
  if (outcomes.some((outcome) => !isEnded(outcome.status))) return 'running'
  if (has('aborted')) return 'aborted'
  if (outcomes.every((outcome) => outcome.status === 'complete')) return 'complete'
  return has('complete') ? 'partial_failure' : 'failed'
}

/** Anything can be thrown, also what cannot be turned into text. */
function errorInfo(thrown: unknown): ErrorInfo {
  try {
    return toErrorInfo(thrown)
  } catch {
    return toErrorInfo(new Error('Something was thrown that cannot be shown as text.'))
  }
}
