import type { AlgorithmOutcome, AlgorithmTrace } from '../model/algorithm-trace.js'
import type { ToolId } from '../model/tool.js'
import type { Parameter, Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { textOrNull } from './optional-columns.js'
import { decodeJson, decodeText, encodeJson, encodeText } from './stored-text.js'
import { toLimit } from './to-limit.js'

/** Each has a kilobyte or two. */
const tracesPerStatement = 1_000

interface AlgorithmTraceRow {
  readonly [column: string]: unknown
  readonly id: string
  readonly at: number
  readonly kind: AlgorithmTrace['kind']
  readonly mode: AlgorithmTrace['mode']
  readonly session: string | null
  readonly run_id: string | null
  readonly intent: string | null
  readonly tool: string | null
  readonly workflow_type: string | null
  readonly alpha: number | null
  readonly signals: string
  readonly parameters: string
  readonly score: number
  readonly threshold: number | null
  readonly decision: string
  readonly outcome: AlgorithmOutcome['what'] | null
  readonly success: boolean | null
  readonly duration_ms: number | null
  readonly outcome_at: number
}

const select = `
  select id, ${epochMs('at')} as at, kind, mode, session, run_id, intent, tool, workflow_type, alpha, signals, parameters,
    score, threshold, decision, outcome, success, duration_ms, ${epochMs('outcome_at')} as outcome_at
  from algorithm_traces`

/** Several may be decided in the same millisecond: then in the order of their ids. */
const newestFirst = 'order by algorithm_traces.at desc, id collate "C" desc limit'

export async function selectAlgorithmTrace(
  database: Queryable,
  id: string,
): Promise<AlgorithmTrace | undefined> {
  const [row] = await database.query<AlgorithmTraceRow>(`${select} where id = $1`, [encodeText(id)])
  return row === undefined ? undefined : toAlgorithmTrace(row)
}

export async function selectNewestAlgorithmTraces(
  database: Queryable,
  { runId, limit }: { readonly runId?: string; readonly limit: number },
): Promise<readonly AlgorithmTrace[]> {
  const most = toLimit(limit)
  const rows =
    runId === undefined
      ? await database.query<AlgorithmTraceRow>(`${select} ${newestFirst} $1::integer`, [most])
      : await database.query<AlgorithmTraceRow>(`${select} where run_id = $2 ${newestFirst} $1::integer`, [
          most,
          encodeText(runId),
        ])
  return rows.map(toAlgorithmTrace)
}

/** What was decided stands; what came of it, and in which run, may be known later. */
export async function upsertAlgorithmTraces(
  transaction: Queryable,
  traces: readonly AlgorithmTrace[],
): Promise<void> {
  const unique = inOneEach(traces)
  for (let start = 0; start < unique.length; start += tracesPerStatement)
    await transaction.query(
      `insert into algorithm_traces as known (id, at, kind, mode, session, run_id, intent, tool, workflow_type, alpha, signals,
        parameters, score, threshold, decision, outcome, success, duration_ms, outcome_at)
      select id, to_timestamp(at / 1000), kind, mode, session, run_id, intent, tool, workflow_type, alpha, signals,
        parameters, score, threshold, decision, outcome, success, duration_ms, to_timestamp(outcome_at / 1000)
      from unnest($1::text[], $2::double precision[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::text[], $10::double precision[], $11::text[], $12::text[], $13::double precision[], $14::double precision[],
        $15::text[], $16::text[], $17::boolean[], $18::double precision[], $19::double precision[])
        as given (id, at, kind, mode, session, run_id, intent, tool, workflow_type, alpha, signals, parameters, score,
          threshold, decision, outcome, success, duration_ms, outcome_at)
      on conflict (id) do update set
        run_id = coalesce(excluded.run_id, known.run_id),
        outcome = case when excluded.outcome is null then known.outcome else excluded.outcome end,
        success = case when excluded.outcome is null then known.success else excluded.success end,
        duration_ms = case when excluded.outcome is null then known.duration_ms else excluded.duration_ms end,
        outcome_at = case when excluded.outcome is null then known.outcome_at else excluded.outcome_at end`,
      toColumns(unique.slice(start, start + tracesPerStatement)),
    )
}

export async function deleteAlgorithmTraces(transaction: Queryable, before: number): Promise<number> {
  const [counted] = await transaction.query<{ readonly count: number }>(
    `with gone as (delete from algorithm_traces where at < to_timestamp($1::double precision / 1000) returning 1)
    select count(*)::integer as count from gone`,
    [before],
  )
  return counted!.count
}

/** One statement touches a row once. */
function inOneEach(traces: readonly AlgorithmTrace[]): readonly AlgorithmTrace[] {
  const byId = new Map<string, AlgorithmTrace>()
  for (const trace of traces) {
    const earlier = byId.get(trace.id)
    byId.set(trace.id, earlier === undefined ? trace : withLater(earlier, trace))
  }
  return [...byId.values()]
}

function withLater(
  earlier: AlgorithmTrace,
  { runId = earlier.runId, outcome = earlier.outcome }: AlgorithmTrace,
): AlgorithmTrace {
  return {
    ...earlier,
    ...(runId === undefined ? {} : { runId }),
    ...(outcome === undefined ? {} : { outcome }),
  }
}

function toColumns(traces: readonly AlgorithmTrace[]): readonly Parameter[] {
  return [
    traces.map(({ id }) => encodeText(id)),
    traces.map(({ at }) => at),
    traces.map(({ kind }) => kind),
    traces.map(({ mode }) => mode),
    traces.map(({ session }) => textOrNull(session)),
    traces.map(({ runId }) => textOrNull(runId)),
    traces.map(({ intent }) => textOrNull(intent)),
    traces.map(({ tool }) => textOrNull(tool)),
    traces.map(({ workflowType }) => textOrNull(workflowType)),
    traces.map(({ alpha }) => alpha ?? null),
    traces.map(({ signals }) => encodeJson(signals)),
    traces.map(({ parameters }) => encodeJson(parameters)),
    traces.map(({ score }) => score),
    traces.map(({ threshold }) => threshold ?? null),
    traces.map(({ decision }) => encodeText(decision)),
    traces.map(({ outcome }) => outcome?.what ?? null),
    traces.map(({ outcome }) => outcome?.success ?? null),
    traces.map(({ outcome }) => outcome?.durationMs ?? null),
    traces.map(({ outcome }) => outcome?.at ?? null),
  ]
}

function toAlgorithmTrace(row: AlgorithmTraceRow): AlgorithmTrace {
  return {
    id: decodeText(row.id),
    at: row.at,
    kind: row.kind,
    mode: row.mode,
    ...(row.session === null ? {} : { session: decodeText(row.session) }),
    ...(row.run_id === null ? {} : { runId: decodeText(row.run_id) }),
    ...(row.intent === null ? {} : { intent: decodeText(row.intent) }),
    ...(row.tool === null ? {} : { tool: decodeText(row.tool) as ToolId }),
    ...(row.workflow_type === null ? {} : { workflowType: decodeText(row.workflow_type) }),
    ...(row.alpha === null ? {} : { alpha: row.alpha }),
    signals: decodeJson(row.signals),
    parameters: decodeJson(row.parameters),
    score: row.score,
    ...(row.threshold === null ? {} : { threshold: row.threshold }),
    decision: decodeText(row.decision),
    ...(row.outcome === null ? {} : { outcome: toOutcome(row, row.outcome) }),
  }
}

function toOutcome(row: AlgorithmTraceRow, what: AlgorithmOutcome['what']): AlgorithmOutcome {
  return {
    what,
    ...(row.success === null ? {} : { success: row.success }),
    ...(row.duration_ms === null ? {} : { durationMs: row.duration_ms }),
    at: row.outcome_at,
  }
}
