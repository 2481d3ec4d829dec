import type { Redact } from '../model/redact.js'
import { redactError } from '../model/redact-run.js'
import type { Run } from '../model/run.js'

/** A run as it may leave the gateway: its errors without secrets, as those of single calls; results as the tools gave them. */
export function redactErrors(run: Run, redact: Redact): Run {
  return {
    ...run,
    tasks: run.tasks.map((task) =>
      task.error === undefined ? task : { ...task, error: redactError(task.error, redact) },
    ),
  }
}
