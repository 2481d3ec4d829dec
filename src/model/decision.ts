import type { JsonObject } from './json.js'
import type { Risk } from './risk.js'
import type { ToolId } from './tool.js'

/**
 * What a person is asked before a call is made. It is bound to exactly what was shown: caller, tool, arguments and policy; it is
 * answered once, used once, and what nobody answers in time is rejected.
 */
export interface Decision {
  /** UUIDv7. */
  readonly id: string
  /** `call`: may it be made. `repeat`: it was cut off and may have taken effect; is it to be made again. */
  readonly kind: 'call' | 'repeat'
  /** Absent: a tool that a client called by itself. */
  readonly runId?: string
  readonly taskId?: string
  /** Who wants it: the client's name. */
  readonly caller: string
  readonly tool: ToolId
  /** Of a task done for each: `{each: [arguments of every call]}`. */
  readonly arguments: JsonObject
  /** `hashArguments` of the arguments as they will be sent; those above may be kept without secrets. */
  readonly argumentsHash: string
  readonly policyVersion: string
  readonly risk: Risk
  readonly why: string
  /** What ran so far, in a few words, for who decides. */
  readonly soFar: string
  /** `human`: an approval that comes only from the agent is refused. Anybody may reject. */
  readonly answeredBy: 'human' | 'anyone'
  readonly requestedAt: number
  readonly expiresAt: number
  readonly answer?: DecisionAnswer
  /** When the call that was approved was begun: there is no second one. */
  readonly usedAt?: number
  /** Answers that were not taken, the newest last; at most `mostRefusals`. */
  readonly refusals: readonly DecisionRefusal[]
}

export type Verdict = 'approve' | 'reject'

export interface DecisionAnswer {
  /** `expire`: nobody answered. `withdraw`: what it was about has changed or is not wanted any more. Both reject. */
  readonly verdict: Verdict | 'expire' | 'withdraw'
  readonly by: Answerer
  readonly reason?: string
  readonly at: number
}

/** Through which door an answer came. `agent` is control_workflow; `clock` and `run` are ours; all others are people. */
export type Answerer = 'elicitation' | 'command line' | 'page' | 'agent' | 'clock' | 'run'

export interface DecisionRefusal {
  readonly verdict: Verdict
  readonly by: Answerer
  /** The code of the error that it was answered with. */
  readonly code: string
  readonly at: number
}

export const mostRefusals = 20

export function isPending({ answer }: Decision): boolean {
  return answer === undefined
}
