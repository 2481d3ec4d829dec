import { jsonLength } from '../model/json-length.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { RunEvent } from '../model/run-event.js'

/** Enough for what a page shows; the run itself has all of it. */
const longestResult = 10_000

/** An event for who listens to all runs: without results that are large, which would be kept for as long as the event is. */
export function lightenEvent(event: RunEvent): RunEvent {
  if ('task' in event) return { ...event, task: lightenTask(event.task) }
  if (event.type === 'run-start' || event.type === 'run-end') return { ...event, run: lightenRun(event.run) }
  return event
}

function lightenRun(run: Run): Run {
  return { ...run, tasks: run.tasks.map(lightenTask) }
}

function lightenTask(task: TaskOutcome): TaskOutcome {
  if (task.result === undefined || jsonLength(task.result, longestResult) < longestResult) return task
  const { result: _, ...rest } = task
  return rest
}
