import type { AdaptiveThreshold } from '../model/adaptive-threshold.js'
import type { Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { wholeIfCut } from './optional-columns.js'
import { decodeJson, decodeText, encodeJson, encodeKey } from './stored-text.js'

interface ThresholdRow {
  readonly [column: string]: unknown
  readonly context: string
  readonly suggest: number
  readonly execute: number
  readonly newest_outcomes: string
  readonly outcomes: number
  readonly updated_at: number
}

export async function selectThresholds(database: Queryable): Promise<readonly AdaptiveThreshold[]> {
  const rows = await database.query<ThresholdRow>(
    `select coalesce(whole_context, context) as context, suggest, execute, newest_outcomes, outcomes,
      ${epochMs('updated_at')} as updated_at
    from adaptive_thresholds order by adaptive_thresholds.context collate "C"`,
  )
  return rows.map((row) => ({
    context: decodeText(row.context),
    suggest: row.suggest,
    execute: row.execute,
    window: decodeJson(row.newest_outcomes),
    outcomes: row.outcomes,
    updatedAt: row.updated_at,
  }))
}

export async function upsertThresholds(
  database: Queryable,
  thresholds: readonly AdaptiveThreshold[],
): Promise<void> {
  if (thresholds.length === 0) return
  const unique = [...new Map(thresholds.map((threshold) => [threshold.context, threshold])).values()]
  await database.query(
    `insert into adaptive_thresholds (context, whole_context, suggest, execute, newest_outcomes, outcomes, updated_at)
    select context, whole_context, suggest, execute, newest_outcomes, outcomes, to_timestamp(updated_at / 1000)
    from unnest($1::text[], $2::text[], $3::double precision[], $4::double precision[], $5::text[], $6::integer[],
      $7::double precision[])
      as given (context, whole_context, suggest, execute, newest_outcomes, outcomes, updated_at)
    on conflict (context) do update set suggest = excluded.suggest, execute = excluded.execute,
      newest_outcomes = excluded.newest_outcomes, outcomes = excluded.outcomes, updated_at = excluded.updated_at`,
    [
      unique.map(({ context }) => encodeKey(context)),
      unique.map(({ context }) => wholeIfCut(context)),
      unique.map(({ suggest }) => suggest),
      unique.map(({ execute }) => execute),
      unique.map(({ window }) => encodeJson(window)),
      unique.map(({ outcomes }) => outcomes),
      unique.map(({ updatedAt }) => updatedAt),
    ],
  )
}
