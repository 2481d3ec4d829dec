import type { Answerer, Decision, DecisionAnswer } from '../model/decision.js'
import type { Risk } from '../model/risk.js'
import type { ToolId } from '../model/tool.js'
import type { Queryable, TextParameter } from './database.js'
import { epochMs } from './epoch-ms.js'
import { textOrNull } from './optional-columns.js'
import { decodeJson, decodeText, encodeJson, encodeText } from './stored-text.js'

interface DecisionRow {
  readonly [column: string]: unknown
  readonly id: string
  readonly kind: Decision['kind']
  readonly run_id: string | null
  readonly task_id: string | null
  readonly caller: string
  readonly tool: string
  readonly arguments: string
  readonly arguments_hash: string
  readonly policy_version: string
  readonly risk: Risk
  readonly why: string
  readonly so_far: string
  readonly answered_by: Decision['answeredBy']
  readonly requested_at: number
  readonly expires_at: number
  readonly verdict: DecisionAnswer['verdict'] | null
  readonly verdict_by: Answerer
  readonly verdict_reason: string | null
  readonly verdict_at: number
  readonly used_at: number | null
  readonly refusals: string
}

const names = `id, kind, run_id, task_id, caller, tool, arguments, arguments_hash, policy_version, risk, why, so_far, answered_by,
  requested_at, expires_at, verdict, verdict_by, verdict_reason, verdict_at, used_at, refusals`

const select = `
  select id, kind, run_id, task_id, caller, tool, arguments, arguments_hash, policy_version, risk, why, so_far, answered_by,
    ${epochMs('requested_at')} as requested_at, ${epochMs('expires_at')} as expires_at,
    verdict, verdict_by, verdict_reason, ${epochMs('verdict_at')} as verdict_at, ${epochMs('used_at')} as used_at, refusals
  from decision`

/** Several may be asked in the same millisecond: then in the order in which they were saved. */
const oldestFirst = 'order by decision.requested_at, position'

export async function selectDecision(database: Queryable, id: string): Promise<Decision | undefined> {
  const [row] = await database.query<DecisionRow>(`${select} where id = $1`, [encodeText(id)])
  return row === undefined ? undefined : toDecision(row)
}

export async function selectDecisionsOf(database: Queryable, runId: string): Promise<readonly Decision[]> {
  const rows = await database.query<DecisionRow>(`${select} where run_id = $1 ${oldestFirst}`, [
    encodeText(runId),
  ])
  return rows.map(toDecision)
}

export async function selectPendingDecisions(database: Queryable): Promise<readonly Decision[]> {
  const rows = await database.query<DecisionRow>(`${select} where verdict is null ${oldestFirst}`)
  return rows.map(toDecision)
}

export async function selectUnusedApprovals(database: Queryable, now: number): Promise<readonly Decision[]> {
  const rows = await database.query<DecisionRow>(
    `${select}
    where run_id is null and verdict = 'approve' and used_at is null
      and expires_at > to_timestamp($1::double precision / 1000)
    ${oldestFirst}`,
    [now],
  )
  return rows.map(toDecision)
}

/** Those of no run that nothing can come of any more: what is approved can be used until it expires. */
export async function deleteSettledDecisions(transaction: Queryable, since: number): Promise<number> {
  const [counted] = await transaction.query<{ readonly count: number }>(
    `with gone as (
      delete from decision
      where run_id is null and (
        expires_at < to_timestamp($1::double precision / 1000)
        or (verdict_at < to_timestamp($1::double precision / 1000) and (verdict <> 'approve' or used_at is not null))
      )
      returning 1
    )
    select count(*)::integer as count from gone`,
    [since],
  )
  return counted!.count
}

/** The statement that adds or updates what `decisionColumns` gives, whose first parameter is `$first`. */
export function upsertDecisions(first: number): string {
  const types = Array.from({ length: 21 }, (_, at) => (timeColumns.has(at) ? 'double precision[]' : 'text[]'))
  return `
    insert into decision (${names})
    select id, kind, run_id, task_id, caller, tool, arguments, arguments_hash, policy_version, risk, why, so_far, answered_by,
      to_timestamp(requested_at / 1000), to_timestamp(expires_at / 1000), verdict, verdict_by, verdict_reason,
      to_timestamp(verdict_at / 1000), to_timestamp(used_at / 1000), refusals
    from unnest(${types.map((type, at) => `$${first + at}::${type}`).join(', ')}) as given (${names})
    on conflict (id) do update set (${names}) = row (${names
      .split(/,\s*/)
      .map((name) => `excluded.${name}`)
      .join(', ')})`
}

/** Where the times stand among the columns. */
const timeColumns = new Set([13, 14, 18, 19])

/** Of one that is given twice the later state counts: one statement touches a row once. */
export function decisionColumns(decisions: readonly Decision[]): readonly TextParameter[] {
  const unique = [...new Map(decisions.map((decision) => [decision.id, decision])).values()]
  return [
    unique.map(({ id }) => encodeText(id)),
    unique.map(({ kind }) => kind),
    unique.map(({ runId }) => textOrNull(runId)),
    unique.map(({ taskId }) => textOrNull(taskId)),
    unique.map(({ caller }) => encodeText(caller)),
    unique.map(({ tool }) => encodeText(tool)),
    unique.map((decision) => encodeJson(decision.arguments)),
    unique.map(({ argumentsHash }) => encodeText(argumentsHash)),
    unique.map(({ policyVersion }) => encodeText(policyVersion)),
    unique.map(({ risk }) => risk),
    unique.map(({ why }) => encodeText(why)),
    unique.map(({ soFar }) => encodeText(soFar)),
    unique.map(({ answeredBy }) => answeredBy),
    unique.map(({ requestedAt }) => requestedAt),
    unique.map(({ expiresAt }) => expiresAt),
    unique.map(({ answer }) => answer?.verdict ?? null),
    unique.map(({ answer }) => answer?.by ?? null),
    unique.map(({ answer }) => textOrNull(answer?.reason)),
    unique.map(({ answer }) => answer?.at ?? null),
    unique.map(({ usedAt }) => usedAt ?? null),
    unique.map(({ refusals }) => encodeJson(refusals)),
  ]
}

function toDecision(row: DecisionRow): Decision {
  return {
    id: decodeText(row.id),
    kind: row.kind,
    ...(row.run_id === null ? {} : { runId: decodeText(row.run_id) }),
    ...(row.task_id === null ? {} : { taskId: decodeText(row.task_id) }),
    caller: decodeText(row.caller),
    tool: decodeText(row.tool) as ToolId,
    arguments: decodeJson(row.arguments),
    argumentsHash: decodeText(row.arguments_hash),
    policyVersion: decodeText(row.policy_version),
    risk: row.risk,
    why: decodeText(row.why),
    soFar: decodeText(row.so_far),
    answeredBy: row.answered_by,
    requestedAt: row.requested_at,
    expiresAt: row.expires_at,
    ...(row.verdict === null ? {} : { answer: toAnswer(row, row.verdict) }),
    ...(row.used_at === null ? {} : { usedAt: row.used_at }),
    refusals: decodeJson(row.refusals),
  }
}

function toAnswer(row: DecisionRow, verdict: DecisionAnswer['verdict']): DecisionAnswer {
  return {
    verdict,
    by: row.verdict_by,
    ...(row.verdict_reason === null ? {} : { reason: decodeText(row.verdict_reason) }),
    at: row.verdict_at,
  }
}
