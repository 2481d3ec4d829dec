import type { Redact } from '../model/redact.js'
import { redactCommand, redactDecision, redactError, redactTask } from '../model/redact-run.js'
import type { RunEvent } from '../model/run-event.js'
import { reportRun } from './report-run.js'

/** An event as it may leave the gateway: what tools were given and gave, and what was said, without secrets. */
export function redactEvent(event: RunEvent, redact: Redact): RunEvent {
  switch (event.type) {
    case 'run-start':
    case 'run-end':
      return { ...event, run: reportRun(event.run, undefined, redact) }
    case 'task-start':
    case 'task-end':
      return { ...event, task: redactTask(event.task, redact) }
    case 'task-retry':
      return { ...event, task: redactTask(event.task, redact), error: redactError(event.error, redact) }
    case 'plan-change':
      return { ...event, tasks: event.tasks.map((task) => redactTask(task, redact)) }
    case 'decision-request':
    case 'decision-end':
      return { ...event, decision: redactDecision(event.decision, redact) }
    case 'command-accept':
      return { ...event, command: redactCommand(event.command, redact) }
    case 'command-end':
      return {
        ...event,
        command: redactCommand(event.command, redact),
        ...(event.refused !== undefined && { refused: redactError(event.refused, redact) }),
      }
    default:
      return event
  }
}
