import type { CallVerdict } from '../model/call-rules.js'
import type { IntentPlan, Plan } from '../model/plan.js'
import type { Policy } from '../model/policy.js'
import type { Run } from '../model/run.js'
import type { Threshold } from '../model/threshold.js'
import type { ToolId } from '../model/tool.js'
import type { ToolHit } from '../plan/find/create-tool-search.js'
import type { Judgement } from './judge-plan.js'
import type { LikelyNext } from './tools/offer-next.js'

/**
 * What was learned, where the gateway decides by it, and what it tells of what became of its decisions. Every answer is noted with all
 * that made it (`pml explain`). Everything here answers from memory, at once; nothing here throws at a request.
 */
export interface Advice {
  /** From which score on each of these hits is sure. */
  judgeHits(found: FoundHits): readonly Threshold[]
  /** Where suggestions and runs start for plans of this kind. */
  policyFor(plan: IntentPlan): Policy
  planJudged(judged: JudgedPlan): void
  runStarted(run: { readonly id: string; readonly session: string; readonly plan: Plan }): void
  runEnded(plan: Plan, run: Run): void
  /** A tool that a client called by itself. */
  callEnded(call: AdvisedCall): void
  /** A person said no: what was planned is not wanted that way. Of a call that a client made by itself the session is not known. */
  callRejected(call: { readonly tool: ToolId; readonly runId: string | undefined }): void
  /** What is likely to be called next in this session, where that is sure enough to be said unasked. */
  likelyNext(session: string): readonly LikelyNext[]
  endSession(session: string): void
}

export interface FoundHits {
  /** Absent: nobody's calls will tell what became of it, and it is not noted. */
  readonly session?: string
  readonly intent: string
  readonly context: readonly ToolId[]
  readonly hits: readonly ToolHit[]
}

export interface JudgedPlan {
  readonly session: string
  readonly plan: IntentPlan
  readonly intent: string
  readonly judgement: Judgement
  readonly policy: Policy
}

export interface AdvisedCall {
  readonly session: string
  readonly tool: ToolId
  readonly success: boolean
  /** Of a failure that the tool is not to blame for nothing is learned but the step. */
  readonly isFault: boolean
  readonly startedAt: number
  readonly endedAt: number
}

export type RiskOf = (tool: ToolId) => CallVerdict['risk']
