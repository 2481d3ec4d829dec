import type { Risk } from '../model/risk.js'
import type { PermissionAudit, RiskOverride } from '../model/risk-override.js'
import type { ToolId } from '../model/tool.js'
import type { Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { wholeIfCut } from './optional-columns.js'
import { decodeText, encodeKey, encodeText } from './stored-text.js'
import { toLimit } from './to-limit.js'

interface OverrideRow {
  readonly [column: string]: unknown
  readonly tool: string
  readonly risk: Risk
  readonly reason: string
  readonly set_at: number
}

interface AuditRow {
  readonly [column: string]: unknown
  readonly id: string
  readonly at: number
  readonly what: string
  readonly subject: string
  readonly before: string
  readonly after: string
  readonly is_escalation: boolean
  readonly reason: string
  readonly made_by: string
}

export async function selectRiskOverrides(database: Queryable): Promise<readonly RiskOverride[]> {
  const rows = await database.query<OverrideRow>(
    `select coalesce(whole_tool, tool) as tool, risk, reason, ${epochMs('set_at')} as set_at
    from tool_risk_overrides order by tool_risk_overrides.tool collate "C"`,
  )
  return rows.map((row) => ({
    tool: decodeText(row.tool) as ToolId,
    risk: row.risk,
    reason: decodeText(row.reason),
    setAt: row.set_at,
  }))
}

export async function replaceRiskOverride(
  transaction: Queryable,
  tool: ToolId,
  override: RiskOverride | undefined,
): Promise<void> {
  if (override === undefined) {
    await transaction.query('delete from tool_risk_overrides where tool = $1', [encodeKey(tool)])
    return
  }
  await transaction.query(
    `insert into tool_risk_overrides (tool, whole_tool, risk, reason, set_at)
    values ($1, $2, $3, $4, to_timestamp($5::double precision / 1000))
    on conflict (tool) do update set risk = excluded.risk, reason = excluded.reason, set_at = excluded.set_at`,
    [encodeKey(tool), wholeIfCut(tool), override.risk, encodeText(override.reason), override.setAt],
  )
}

/** Nothing changes or deletes one that is there. */
export async function insertAudit(
  transaction: Queryable,
  entries: readonly PermissionAudit[],
): Promise<void> {
  if (entries.length === 0) return
  await transaction.query(
    `insert into permission_audit_log (id, at, what, subject, before, after, is_escalation, reason, made_by)
    select id, to_timestamp(at / 1000), what, subject, before, after, is_escalation, reason, made_by
    from unnest($1::text[], $2::double precision[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[],
      $8::text[], $9::text[])
      with ordinality as given (id, at, what, subject, before, after, is_escalation, reason, made_by, ordinality)
    order by ordinality
    on conflict (id) do nothing`,
    [
      entries.map(({ id }) => encodeText(id)),
      entries.map(({ at }) => at),
      entries.map(({ what }) => encodeText(what)),
      entries.map(({ subject }) => encodeText(subject)),
      entries.map(({ before }) => encodeText(before)),
      entries.map(({ after }) => encodeText(after)),
      entries.map(({ isEscalation }) => isEscalation),
      entries.map(({ reason }) => encodeText(reason)),
      entries.map(({ by }) => encodeText(by)),
    ],
  )
}

export async function selectNewestAudit(
  database: Queryable,
  limit: number,
): Promise<readonly PermissionAudit[]> {
  const rows = await database.query<AuditRow>(
    `select id, ${epochMs('at')} as at, what, subject, before, after, is_escalation, reason, made_by
    from permission_audit_log order by permission_audit_log.at desc, position desc limit $1::integer`,
    [toLimit(limit)],
  )
  return rows.map((row) => ({
    id: decodeText(row.id),
    at: row.at,
    what: decodeText(row.what),
    subject: decodeText(row.subject),
    before: decodeText(row.before),
    after: decodeText(row.after),
    isEscalation: row.is_escalation,
    reason: decodeText(row.reason),
    by: decodeText(row.made_by),
  }))
}
