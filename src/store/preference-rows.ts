import type { ToolId } from '../model/tool.js'
import type { ToolPreference } from '../model/tool-preference.js'
import type { Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { wholeIfCut } from './optional-columns.js'
import { decodeText, encodeKey } from './stored-text.js'

interface PreferenceRow {
  readonly [column: string]: unknown
  readonly tool: string
  readonly approvals: number
  readonly rejections: number
  readonly streak: number
  readonly updated_at: number
}

export async function selectPreferences(database: Queryable): Promise<readonly ToolPreference[]> {
  const rows = await database.query<PreferenceRow>(
    `select coalesce(whole_tool, tool) as tool, approvals, rejections, streak, ${epochMs('updated_at')} as updated_at
    from tool_preference order by tool_preference.tool collate "C"`,
  )
  return rows.map((row) => ({
    tool: decodeText(row.tool) as ToolId,
    approvals: row.approvals,
    rejections: row.rejections,
    streak: row.streak,
    updatedAt: row.updated_at,
  }))
}

export async function upsertPreferences(
  database: Queryable,
  preferences: readonly ToolPreference[],
): Promise<void> {
  if (preferences.length === 0) return
  const unique = [...new Map(preferences.map((preference) => [preference.tool, preference])).values()]
  await database.query(
    `insert into tool_preference (tool, whole_tool, approvals, rejections, streak, updated_at)
    select tool, whole_tool, approvals, rejections, streak, to_timestamp(updated_at / 1000)
    from unnest($1::text[], $2::text[], $3::integer[], $4::integer[], $5::integer[], $6::double precision[])
      as given (tool, whole_tool, approvals, rejections, streak, updated_at)
    on conflict (tool) do update set approvals = excluded.approvals, rejections = excluded.rejections,
      streak = excluded.streak, updated_at = excluded.updated_at`,
    [
      unique.map(({ tool }) => encodeKey(tool)),
      unique.map(({ tool }) => wholeIfCut(tool)),
      unique.map(({ approvals }) => approvals),
      unique.map(({ rejections }) => rejections),
      unique.map(({ streak }) => streak),
      unique.map(({ updatedAt }) => updatedAt),
    ],
  )
}
