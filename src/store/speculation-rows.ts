import type { ArgumentSource } from '../model/predicted-call.js'
import type { Refusal, Speculation, SpeculationDecision, SpeculationOutcome } from '../model/speculation.js'
import type { ToolId } from '../model/tool.js'
import type { Parameter, Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { wholeIfCut } from './optional-columns.js'
import type { ToolSpeculations } from './store.js'
import { decodeJson, decodeText, encodeJson, encodeKey, encodeText } from './stored-text.js'
import { toLimit } from './to-limit.js'

/** Each has a kilobyte at most, but for arguments that are a text of their own. */
const speculationsPerStatement = 1_000

/** One row, as JSON: the columns in the order in which they are selected. */
type SpeculationRow = readonly [
  id: string,
  session: string,
  tool: string,
  args: string,
  p: number,
  toolP: number,
  source: ArgumentSource,
  predictedAt: number,
  decision: SpeculationDecision,
  refusal: Refusal | null,
  cost: number,
  tookMs: number | null,
  outcome: SpeculationOutcome | null,
  outcomeAt: number | null,
  savedMs: number | null,
]

interface SumRow {
  readonly [column: string]: unknown
  readonly tool: string
  readonly predicted: number
  readonly started: number
  readonly refused: number
  readonly hits: number
  readonly joined: number
  readonly wasted: number
  readonly right_ones: number
  readonly wrong_ones: number
  readonly saved_ms: number
  readonly cost: number
}

/** As one text, because the embedded database spends 20 microseconds on each row it hands over (edge-rows.ts). */
export async function selectSpeculations(
  database: Queryable,
  { tool, since, limit }: { readonly tool?: ToolId; readonly since: number; readonly limit: number },
): Promise<readonly Speculation[]> {
  const ofTool = tool === undefined ? '' : 'and tool = $3'
  const [all] = await database.query<{ readonly speculations: string | null }>(
    `select json_agg(json_build_array(id, session, coalesce(whole_tool, tool), arguments, p, tool_p, source,
      ${epochMs('predicted_at')}, decision, refusal, cost, took_ms, outcome, ${epochMs('outcome_at')}, saved_ms)
      order by predicted_at desc, id collate "C" desc)::text as speculations
    from (
      select * from speculation where predicted_at >= to_timestamp($1::double precision / 1000) ${ofTool}
      order by predicted_at desc, id collate "C" desc limit $2::integer
    ) as newest`,
    [since, toLimit(limit), ...(tool === undefined ? [] : [encodeKey(tool)])],
  )
  const rows: readonly SpeculationRow[] = JSON.parse(all!.speculations ?? '[]')
  return rows.map(toSpeculation)
}

export async function sumSpeculations(
  database: Queryable,
  since: number,
): Promise<readonly ToolSpeculations[]> {
  const rows = await database.query<SumRow>(
    `select coalesce(min(whole_tool), speculation.tool) as tool, count(*)::integer as predicted,
      ${countOf('decision', 'started')} as started, ${countOf('decision', 'refused')} as refused,
      ${countOf('outcome', 'hit')} as hits, ${countOf('outcome', 'joined')} as joined,
      ${countOf('outcome', 'wasted')} as wasted, ${countOf('outcome', 'right')} as right_ones,
      ${countOf('outcome', 'wrong')} as wrong_ones, coalesce(sum(saved_ms), 0) as saved_ms, sum(cost) as cost
    from speculation where predicted_at >= to_timestamp($1::double precision / 1000)
    group by speculation.tool order by speculation.tool collate "C"`,
    [since],
  )
  return rows.map((row) => ({
    tool: decodeText(row.tool) as ToolId,
    predicted: row.predicted,
    started: row.started,
    hits: row.hits,
    joined: row.joined,
    wasted: row.wasted,
    refused: row.refused,
    right: row.right_ones,
    wrong: row.wrong_ones,
    savedMs: row.saved_ms,
    cost: row.cost,
  }))
}

export async function upsertSpeculations(
  transaction: Queryable,
  speculations: readonly Speculation[],
): Promise<void> {
  const unique = [...new Map(speculations.map((one) => [one.id, one])).values()]
  for (let start = 0; start < unique.length; start += speculationsPerStatement)
    await transaction.query(upsert, toColumns(unique.slice(start, start + speculationsPerStatement)))
}

export async function deleteSpeculations(database: Queryable, before: number): Promise<number> {
  const [counted] = await database.query<{ readonly count: number }>(
    `with gone as (delete from speculation where predicted_at < to_timestamp($1::double precision / 1000) returning 1)
    select count(*)::integer as count from gone`,
    [before],
  )
  return counted!.count
}

function countOf(column: 'decision' | 'outcome', value: SpeculationDecision | SpeculationOutcome): string {
  return `(count(*) filter (where ${column} = '${value}'))::integer`
}

const upsert = `
  insert into speculation (id, session, tool, whole_tool, arguments, p, tool_p, source, predicted_at, decision, refusal, cost,
    took_ms, outcome, outcome_at, saved_ms)
  select id, session, tool, whole_tool, arguments, p, tool_p, source, to_timestamp(predicted_at / 1000), decision, refusal,
    cost, took_ms, outcome, to_timestamp(outcome_at / 1000), saved_ms
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::double precision[], $7::double precision[],
    $8::text[], $9::double precision[], $10::text[], $11::text[], $12::double precision[], $13::double precision[],
    $14::text[], $15::double precision[], $16::double precision[])
    as given (id, session, tool, whole_tool, arguments, p, tool_p, source, predicted_at, decision, refusal, cost, took_ms,
      outcome, outcome_at, saved_ms)
  on conflict (id) do update set session = excluded.session, tool = excluded.tool, whole_tool = excluded.whole_tool,
    arguments = excluded.arguments, p = excluded.p, tool_p = excluded.tool_p, source = excluded.source,
    predicted_at = excluded.predicted_at, decision = excluded.decision, refusal = excluded.refusal, cost = excluded.cost,
    took_ms = excluded.took_ms, outcome = excluded.outcome, outcome_at = excluded.outcome_at, saved_ms = excluded.saved_ms`

function toColumns(speculations: readonly Speculation[]): readonly Parameter[] {
  return [
    speculations.map(({ id }) => encodeText(id)),
    speculations.map(({ session }) => encodeText(session)),
    speculations.map(({ tool }) => encodeKey(tool)),
    speculations.map(({ tool }) => wholeIfCut(tool)),
    speculations.map((one) => encodeJson(one.arguments)),
    speculations.map(({ p }) => p),
    speculations.map(({ toolP }) => toolP),
    speculations.map(({ source }) => source),
    speculations.map(({ predictedAt }) => predictedAt),
    speculations.map(({ decision }) => decision),
    speculations.map(({ refusal }) => refusal ?? null),
    speculations.map(({ cost }) => cost),
    speculations.map(({ tookMs }) => tookMs ?? null),
    speculations.map(({ outcome }) => outcome ?? null),
    speculations.map(({ outcomeAt }) => outcomeAt ?? null),
    speculations.map(({ savedMs }) => savedMs ?? null),
  ]
}

function toSpeculation(row: SpeculationRow): Speculation {
  const [id, session, tool, args, p, toolP, source, predictedAt, decision, refusal, cost, ...became] = row
  const [tookMs, outcome, outcomeAt, savedMs] = became
  return {
    id: decodeText(id),
    session: decodeText(session),
    tool: decodeText(tool) as ToolId,
    arguments: decodeJson(args),
    ...{ p, toolP, source, predictedAt, decision },
    ...(refusal === null ? {} : { refusal }),
    cost,
    ...(tookMs === null ? {} : { tookMs }),
    ...(outcome === null ? {} : { outcome }),
    ...(outcomeAt === null ? {} : { outcomeAt }),
    ...(savedMs === null ? {} : { savedMs }),
  }
}
