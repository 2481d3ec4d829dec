import type { Episode } from '../model/episode.js'
import type { ToolId } from '../model/tool.js'
import type { Parameter, Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { textOrNull, wholeIfCut } from './optional-columns.js'
import { decodeJson, decodeText, encodeJson, encodeKey, encodeText } from './stored-text.js'
import { toLimit } from './to-limit.js'

const episodesPerStatement = 1_000

/** One row, as JSON: the columns in the order in which they are selected. */
type EpisodeRow = readonly [
  id: string,
  at: number,
  kind: Episode['kind'],
  tool: string,
  session: string | null,
  runId: string | null,
  algorithmTraceId: string | null,
  workflowType: string,
  alpha: number,
  success: boolean,
  durationMs: number | null,
  data: string,
]

/** As one text, because the embedded database spends 20 microseconds on each row it hands over (edge-rows.ts). */
export async function selectEpisodes(
  database: Queryable,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<readonly Episode[]> {
  const [all] = await database.query<{ readonly episodes: string | null }>(
    `select json_agg(json_build_array(id, ${epochMs('at')}, kind, coalesce(whole_tool, tool), session, run_id,
      algorithm_trace_id, workflow_type, alpha, success, duration_ms, data) order by at, id collate "C")::text as episodes
    from (
      select * from episodic_events where at >= to_timestamp($1::double precision / 1000)
      order by at desc, id collate "C" desc limit $2::integer
    ) as newest`,
    [since, toLimit(limit)],
  )
  const rows: readonly EpisodeRow[] = JSON.parse(all!.episodes ?? '[]')
  return rows.map(toEpisode)
}

/** One that is there already stays: it says what happened. */
export async function insertEpisodes(transaction: Queryable, episodes: readonly Episode[]): Promise<void> {
  for (let start = 0; start < episodes.length; start += episodesPerStatement)
    await transaction.query(
      `insert into episodic_events (id, at, kind, tool, whole_tool, session, run_id, algorithm_trace_id, workflow_type, alpha,
        success, duration_ms, data)
      select id, to_timestamp(at / 1000), kind, tool, whole_tool, session, run_id, algorithm_trace_id, workflow_type, alpha,
        success, duration_ms, data
      from unnest($1::text[], $2::double precision[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::text[], $10::double precision[], $11::boolean[], $12::double precision[], $13::text[])
        as given (id, at, kind, tool, whole_tool, session, run_id, algorithm_trace_id, workflow_type, alpha, success,
          duration_ms, data)
      on conflict (id) do nothing`,
      toColumns(episodes.slice(start, start + episodesPerStatement)),
    )
}

export async function deleteEpisodes(transaction: Queryable, before: number): Promise<number> {
  const [counted] = await transaction.query<{ readonly count: number }>(
    `with gone as (delete from episodic_events where at < to_timestamp($1::double precision / 1000) returning 1)
    select count(*)::integer as count from gone`,
    [before],
  )
  return counted!.count
}

function toColumns(episodes: readonly Episode[]): readonly Parameter[] {
  return [
    episodes.map(({ id }) => encodeText(id)),
    episodes.map(({ at }) => at),
    episodes.map(({ kind }) => kind),
    episodes.map(({ tool }) => encodeKey(tool)),
    episodes.map(({ tool }) => wholeIfCut(tool)),
    episodes.map(({ session }) => textOrNull(session)),
    episodes.map(({ runId }) => textOrNull(runId)),
    episodes.map(({ algorithmTraceId }) => textOrNull(algorithmTraceId)),
    episodes.map(({ workflowType }) => encodeText(workflowType)),
    episodes.map(({ alpha }) => alpha),
    episodes.map(({ success }) => success),
    episodes.map(({ durationMs }) => durationMs ?? null),
    episodes.map(({ data }) => encodeJson(data)),
  ]
}

function toEpisode(row: EpisodeRow): Episode {
  const [id, at, kind, tool, session, runId, traceId, workflowType, alpha, success, durationMs, data] = row
  return {
    id: decodeText(id),
    at,
    kind,
    tool: decodeText(tool) as ToolId,
    ...(session === null ? {} : { session: decodeText(session) }),
    ...(runId === null ? {} : { runId: decodeText(runId) }),
    ...(traceId === null ? {} : { algorithmTraceId: decodeText(traceId) }),
    workflowType: decodeText(workflowType),
    alpha,
    success,
    ...(durationMs === null ? {} : { durationMs }),
    data: decodeJson(data),
  }
}
