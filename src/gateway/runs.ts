import type { RunHandle } from '../execute/run-plan.js'
import type { Plan } from '../model/plan.js'
import type { Run } from '../model/run.js'

/** What the gateway needs of the runs: execute/open-runs.ts gives it. */
export interface GatewayRuns {
  start(plan: Plan, session: string): RunHandle
  find(id: string): Promise<Run | undefined>
  abort(id: string, reason: string): Promise<Run | undefined>
  list(limit: number): Promise<readonly Run[]>
}
