import type { RunHandle } from '../../execute/runs.js'
import type { Run, TaskOutcome } from '../../model/run.js'
import type { RunMessage } from '../../model/run-state.js'

/** A run as it is told, with what only one that has not ended knows. */
export interface RunView {
  readonly run: Run
  /** Whether this process works on it, or waits with it. False of one that has ended, and of one that another process left. */
  readonly isUnderWay: boolean
  /** What starts next when it goes on. */
  readonly upcoming: readonly TaskOutcome[]
  readonly messages: readonly RunMessage[]
  /** Why nothing can be stored right now. */
  readonly trouble: string | undefined
}

export function viewOf(handle: RunHandle): RunView {
  return {
    run: handle.current(),
    isUnderWay: true,
    upcoming: handle.upcoming(),
    messages: handle.messages(),
    trouble: handle.trouble(),
  }
}

/** One that nobody works on. */
export function viewOfStored(run: Run): RunView {
  return { run, isUnderWay: false, upcoming: [], messages: [], trouble: undefined }
}
