/** What becomes of a decision: answered once, used once, and what was not taken is kept with it. Pure: whoever calls stores it. */

import { DecisionRefusedError } from '../errors.js'
import {
  type Decision,
  type DecisionAnswer,
  type DecisionRefusal,
  mostRefusals,
  type Verdict,
} from '../model/decision.js'
import type { ToolId } from '../model/tool.js'

export type AnswerOutcome =
  | { readonly taken: Decision }
  /** It had this answer already: people press twice, and clients send again. */
  | { readonly same: Decision }
  /** The decision with the refusal written down, and expired where that is why. */
  | { readonly refused: DecisionRefusedError; readonly decision: Decision }

type RefusalReason = DecisionRefusedError['reason']

/** `answer.at` is now. */
export function answerDecision(decision: Decision, answer: DecisionAnswer): AnswerOutcome {
  const { verdict, by, at } = answer
  const before = decision.answer
  if (verdict === 'expire' || verdict === 'withdraw')
    return before === undefined ? { taken: { ...decision, answer } } : { same: decision }
  if (before?.verdict === verdict) return { same: decision }
  if (before !== undefined) return refuse(decision, { verdict, by, at }, reasonOf(before))
  if (isExpired(decision, at)) return refuse(expired(decision, at), { verdict, by, at }, 'expired')
  if (verdict === 'approve' && by === 'agent' && decision.answeredBy === 'human')
    return refuse(decision, { verdict, by, at }, 'human')
  return { taken: { ...decision, answer } }
}

/** For who finds out elsewhere that an answer does not count: it was given for other arguments, or under another policy. */
export function refuse(
  decision: Decision,
  { verdict, by, at }: { readonly verdict: Verdict } & Pick<DecisionAnswer, 'by' | 'at'>,
  reason: RefusalReason,
): { readonly refused: DecisionRefusedError; readonly decision: Decision } {
  const { message, hint } = explain(decision, reason)
  const refused = new DecisionRefusedError(decision.id, reason, message, hint)
  const refusal: DecisionRefusal = { verdict, by, code: refused.code, at }
  return {
    refused,
    decision: { ...decision, refusals: [...decision.refusals, refusal].slice(-mostRefusals) },
  }
}

export function isExpired({ expiresAt }: Decision, at: number): boolean {
  return at >= expiresAt
}

/** Nobody answered: that rejects. */
export function expired(decision: Decision, at: number): Decision {
  return { ...decision, answer: { verdict: 'expire', by: 'clock', at } }
}

/** Also where it was approved: what was approved is not what would be done now. */
export function withdrawn(decision: Decision, at: number, reason: string): Decision {
  return { ...decision, answer: { verdict: 'withdraw', by: 'run', reason, at } }
}

/** The call is begun: to be stored before it is. */
export function used(decision: Decision, at: number): Decision {
  return { ...decision, usedAt: at }
}

export interface CallNow {
  readonly tool: ToolId
  readonly argumentsHash: string
  readonly policyVersion: string
  readonly now: number
}

/** Whether it approves this very call: the same tool and arguments, under the same policy, in time, and not yet used. */
export function isUsable(approved: Decision, { tool, argumentsHash, policyVersion, now }: CallNow): boolean {
  return (
    approved.answer?.verdict === 'approve' &&
    approved.usedAt === undefined &&
    approved.tool === tool &&
    approved.argumentsHash === argumentsHash &&
    approved.policyVersion === policyVersion &&
    !isExpired(approved, now)
  )
}

function reasonOf({ verdict }: DecisionAnswer): RefusalReason {
  if (verdict === 'expire') return 'expired'
  return verdict === 'withdraw' ? 'changed' : 'answered'
}

function explain(
  { id, tool, expiresAt, answer }: Decision,
  reason: RefusalReason,
): { readonly message: string; readonly hint: string } {
  switch (reason) {
    case 'expired':
      return {
        message: `Decision ${id} expired at ${new Date(expiresAt).toISOString()}: nobody answered in time, which rejects.`,
        hint: 'Have the call made again: it is asked anew.',
      }
    case 'answered':
      return {
        message: `Decision ${id} was answered already: ${answer?.verdict} (${answer?.by}).`,
        hint: 'An answer stands. Have the call made again to be asked anew.',
      }
    case 'changed':
      return {
        message: `What decision ${id} was about has changed${answer?.reason === undefined ? '' : `: ${answer.reason}`}. The answer does not count.`,
        hint: 'See what waits for an answer now with: pml approve',
      }
    case 'human':
      return {
        message: `Decision ${id} is for a person: an agent cannot approve a call of ${tool}.`,
        hint: `A person approves it with: pml approve ${id}, or on the page of pml up. An agent may reject it.`,
      }
  }
}
