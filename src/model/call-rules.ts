import type { JsonObject } from './json.js'
import type { Risk } from './risk.js'
import type { ToolId } from './tool.js'

/** What may be done with calls, by risk and by what the user allows. Thresholds apart: see policy.ts. */
export interface CallRules {
  judge(call: CallToJudge): CallVerdict
  /** Whether a call that was cut off or failed on its way may be made again unasked: its tool only reads, or is idempotent. */
  isRepeatable(tool: ToolId): boolean
  /** The argument by which the server knows a repeated call; undefined where the tool takes none. A call with one is repeatable. */
  keyArgument(tool: ToolId): string | undefined
  /** How long a decision waits for its answer. */
  readonly decideWithinMs: number
}

export interface CallToJudge {
  readonly tool: ToolId
  readonly arguments: JsonObject
  /** The task itself asks for it. */
  readonly requireApproval: boolean
}

export interface CallVerdict {
  readonly verdict: 'run' | 'ask' | 'block'
  readonly risk: Risk
  readonly why: string
  readonly answeredBy: 'human' | 'anyone'
  /** Changes when what the user allows does: an approval under another version does not count. */
  readonly policyVersion: string
}
