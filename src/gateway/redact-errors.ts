import type { Redact } from '../model/redact.js'
import type { Run, TaskOutcome } from '../model/run.js'

/** A run as it may leave the gateway: its errors without secrets, as those of single calls; results as the tools gave them. */
export function redactErrors(run: Run, redact: Redact): Run {
  return { ...run, tasks: run.tasks.map((task) => redactError(task, redact)) }
}

function redactError(task: TaskOutcome, redact: Redact): TaskOutcome {
  if (task.error === undefined) return task
  const { code, message, hint } = task.error
  return { ...task, error: { code, message: redact(message), hint: redact(hint) } }
}
