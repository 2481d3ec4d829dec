import type { RunHandle } from '../execute/runs.js'
import type { Redact } from '../model/redact.js'
import { redactDecision, redactRun, redactTask } from '../model/redact-run.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { RunMessage } from '../model/run-state.js'
import { redactErrors } from './redact-errors.js'

/** A run as the command line and the page see it. */
export interface RunReport extends Run {
  /** What was said about it; absent: nothing, or it is not under way here. */
  readonly messages?: readonly RunMessage[]
  /** What would start next; absent: nothing, or that is not known here. */
  readonly upcoming?: readonly TaskOutcome[]
  /** Why it stands still although nobody has to do anything. */
  readonly trouble?: string
}

/** Without secrets; the handle is that of the run where it is under way. */
export function reportRun(run: Run, handle: RunHandle | undefined, redact: Redact): RunReport {
  return { ...redactRun(run, redact), ...additions(handle, redact) }
}

/** For the person who had it run: results as the tools gave them. */
export function reportOwnRun(run: Run, handle: RunHandle | undefined, redact: Redact): RunReport {
  return { ...withDecisions(redactErrors(run, redact), redact), ...additions(handle, redact) }
}

function withDecisions(run: Run, redact: Redact): Run {
  if (run.decisions === undefined) return run
  return { ...run, decisions: run.decisions.map((decision) => redactDecision(decision, redact)) }
}

function additions(handle: RunHandle | undefined, redact: Redact): Omit<RunReport, keyof Run> {
  if (handle === undefined) return {}
  const messages = handle.messages()
  const upcoming = handle.upcoming()
  const trouble = handle.trouble()
  return {
    ...(messages.length > 0 && {
      messages: messages.map(({ text, ...said }) => ({ ...said, text: redact(text) })),
    }),
    ...(upcoming.length > 0 && { upcoming: upcoming.map((task) => redactTask(task, redact)) }),
    ...(trouble !== undefined && { trouble: redact(trouble) }),
  }
}
