import type { Decision } from './decision.js'
import { type Redact, redactData } from './redact.js'
import type { ErrorInfo, Run, TaskOutcome } from './run.js'

/**
 * A run as it is kept and shown: intent, arguments, results and errors without secrets. What it is made of beside them, ids and
 * statuses, is ours and stays: a secret may be a plain word.
 */
export function redactRun(run: Run, redact: Redact): Run {
  return {
    ...run,
    ...(run.intent !== undefined && { intent: redact(run.intent) }),
    tasks: run.tasks.map((task) => redactTask(task, redact)),
    ...(run.decisions !== undefined && {
      decisions: run.decisions.map((decision) => redactDecision(decision, redact)),
    }),
  }
}

/** A decision as it is kept and shown. Its hash is of the arguments as they were. */
export function redactDecision(decision: Decision, redact: Redact): Decision {
  const { answer } = decision
  return {
    ...decision,
    caller: redact(decision.caller),
    arguments: redactData(decision.arguments, redact),
    why: redact(decision.why),
    soFar: redact(decision.soFar),
    ...(answer?.reason !== undefined && { answer: { ...answer, reason: redact(answer.reason) } }),
  }
}

export function redactTask(task: TaskOutcome, redact: Redact): TaskOutcome {
  return {
    ...task,
    arguments: redactData(task.arguments, redact),
    ...(task.result !== undefined && { result: redactData(task.result, redact) }),
    ...(task.error !== undefined && { error: redactError(task.error, redact) }),
  }
}

export function redactError({ code, message, hint }: ErrorInfo, redact: Redact): ErrorInfo {
  return { code, message: redact(message), hint: redact(hint) }
}
