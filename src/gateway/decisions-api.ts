import { DecisionNotFoundError, UsageError } from '../errors.js'
import type { Answerer, Decision } from '../model/decision.js'
import type { JsonObject } from '../model/json.js'
import type { Redact } from '../model/redact.js'
import { redactDecision } from '../model/redact-run.js'
import type { GatewayRuns } from './runs.js'

/** What people are asked, for the command line and the page. */
export interface DecisionsDeps {
  readonly runs: Pick<GatewayRuns, 'pendingDecisions' | 'findDecision' | 'decide'>
  readonly redact: Redact
}

/** Said by a person, in a line or two. */
const longestReason = 2_000

/** Oldest first: the one that expires next. */
export async function listDecisions({ runs, redact }: DecisionsDeps): Promise<readonly Decision[]> {
  return (await runs.pendingDecisions()).map((decision) => redactDecision(decision, redact))
}

/** @throws DecisionNotFoundError */
export async function showDecision(id: string, { runs, redact }: DecisionsDeps): Promise<Decision> {
  const decision = await runs.findDecision(id)
  if (decision === undefined) throw new DecisionNotFoundError(id)
  return redactDecision(decision, redact)
}

/** Gives the decision as it is then. @throws UsageError, DecisionNotFoundError, DecisionRefusedError */
export async function answerDecision(
  id: string,
  body: JsonObject,
  by: Answerer,
  { runs, redact }: DecisionsDeps,
): Promise<Decision> {
  const { verdict, reason } = body
  if (verdict !== 'approve' && verdict !== 'reject')
    throw new UsageError('"verdict" must be "approve" or "reject".')
  if (reason !== undefined && (typeof reason !== 'string' || reason.length > longestReason))
    throw new UsageError(`"reason" must be a text of at most ${longestReason} characters.`)
  const decision = await runs.decide(id, { verdict, by, ...(reason !== undefined && { reason }) })
  return redactDecision(decision, redact)
}
