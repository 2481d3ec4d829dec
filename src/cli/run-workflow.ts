import type { RunReport } from '../gateway/report-run.js'
import type { HolderApi } from '../holder/holder-api.js'
import { isRunEnded } from '../model/run.js'
import { describeRun, exitCodeOf } from './describe-run.js'
import { printJson, printLine } from './io.js'
import { type SettleOptions, settleRun } from './settle-run.js'

/** The run of a command, which ends with it: that is stored before the gateway is gone, or it would be taken up again. */
export interface OwnRun {
  /** Runs tasks until they have ended or wait for somebody who is not here. */
  run(workflow: object, options: Omit<SettleOptions, 'isOurs'>): Promise<RunReport>
  abort(): Promise<unknown>
}

export function createOwnRun(): OwnRun {
  let started: { readonly api: HolderApi; readonly id: string } | undefined
  return {
    async run(workflow, options) {
      const { api } = options
      const first = (await api.post('/api/run', { ...workflow, follow: false })) as RunReport
      started = { api, id: first.id }
      const run = isRunEnded(first.status)
        ? first
        : ((await api.post(`/api/runs/${first.id}/follow`, { abortIfGone: true })) as RunReport)
      return settleRun(run, { ...options, isOurs: true })
    },
    async abort() {
      if (started === undefined) return
      const command = { type: 'abort', reason: 'The command was interrupted.' }
      await started.api.post(`/api/runs/${started.id}/command`, { command })
    },
  }
}

/** Prints it, and gives the exit code. */
export function tellRun(
  run: RunReport,
  { io, json }: Pick<SettleOptions, 'io'> & { readonly json: boolean },
): number {
  if (json) printJson(io, run)
  else printLine(io, describeRun(run, io))
  return exitCodeOf(run)
}
