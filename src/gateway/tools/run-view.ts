import type { RunHandle } from '../../execute/runs.js'
import { codeTool } from '../../model/capability.js'
import type { Run, TaskOutcome } from '../../model/run.js'
import type { RunMessage } from '../../model/run-state.js'
import type { GatewayRuns } from '../runs.js'

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

/** One that nobody works on. What code said on its console is told with its value. */
export async function viewOfStored(run: Run, runs: Pick<GatewayRuns, 'messagesOf'>): Promise<RunView> {
  const messages = isCodeRun(run) ? await runs.messagesOf(run.id) : []
  return { run, isUnderWay: false, upcoming: [], messages, trouble: undefined }
}

/** A run of `execute_code`. */
export function isCodeRun({ tasks }: Run): boolean {
  return tasks[0]?.tool === codeTool && tasks.every(({ parent }, at) => at === 0 || parent !== undefined)
}
