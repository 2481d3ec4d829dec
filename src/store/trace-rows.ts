import type { ToolId } from '../model/tool.js'
import type { Trace } from '../model/trace.js'
import type { Parameter, Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { jsonOrNull, textOrNull } from './optional-columns.js'
import type { StoredTrace } from './store.js'
import { decodeJson, decodeText, encodeJson, encodeText } from './stored-text.js'
import { toLimit } from './to-limit.js'

/** A trace holds at most some 20 KB of values: a batch stays below 10 MB. */
const tracesPerBatch = 500

interface TraceRow {
  readonly [column: string]: unknown
  readonly position: number
  readonly id: string
  readonly parent_id: string | null
  readonly run_id: string
  readonly tool: string | null
  readonly task_id: string | null
  readonly intent: string | null
  readonly arguments: string | null
  readonly result: string | null
  readonly error_code: string | null
  readonly success: boolean
  readonly started_at: number
  readonly ended_at: number
  readonly depends_on: string
  readonly links: string
  readonly follows: string | null
  readonly promoted: string | null
}

/** One writer at a time: the traces of a lesson have consecutive positions, and positions become visible in their order. */
export async function lockTraces(transaction: Queryable): Promise<void> {
  await transaction.query('lock table trace in share row exclusive mode')
}

export async function isAnyKnown(transaction: Queryable, traces: readonly Trace[]): Promise<boolean> {
  if (traces.length === 0) return false
  const known = await transaction.query('select 1 from trace where id = any($1::text[]) limit 1', [
    traces.map(({ id }) => encodeText(id)),
  ])
  return known.length > 0
}

export async function insertTraces(transaction: Queryable, traces: readonly Trace[]): Promise<void> {
  for (let start = 0; start < traces.length; start += tracesPerBatch)
    await transaction.query(insert, toColumns(traces.slice(start, start + tracesPerBatch)))
}

export async function selectTraces(database: Queryable, from: number): Promise<readonly StoredTrace[]> {
  const rows = await database.query<TraceRow>(
    `select position::double precision as position, id, parent_id, run_id, tool, task_id, intent, arguments, result,
      error_code, success, ${epochMs('started_at')} as started_at, ${epochMs('ended_at')} as ended_at, depends_on, links,
      follows, promoted
    from trace where position >= $1::bigint order by position limit ${tracesPerBatch}`,
    [from],
  )
  return rows.map((row) => ({ position: row.position, trace: toTrace(row) }))
}

/**
 * Where the newest so many runs begin: a run's own trace has neither a parent nor a tool; a call that a client made has a tool. Where there
 * are fewer, from the beginning on: who calls tools by themselves may never have run anything.
 */
export async function selectStartOfNewest(database: Queryable, runs: number): Promise<number> {
  const wanted = toLimit(runs)
  if (wanted === 0) return Number.MAX_SAFE_INTEGER
  const [start] = await database.query<{ readonly position: number }>(
    `with run as (select position from trace where parent_id is null and tool is null)
    select coalesce(
      (select position from run order by position desc offset $1::integer - 1 limit 1),
      least(
        (select min(position) from run),
        coalesce((select position from trace where parent_id is null order by position desc offset $2::integer - 1 limit 1), 0)
      )
    )::double precision as position`,
    [wanted, mostCallsBeforeRuns],
  )
  return start!.position
}

/** Calls that clients made before the first run of all that is still known: as many as some seconds of reading. */
const mostCallsBeforeRuns = 10_000

export async function isAnyAfter(transaction: Queryable, position: number): Promise<boolean> {
  const later = await transaction.query('select 1 from trace where position > $1::bigint limit 1', [position])
  return later.length > 0
}

/** The runs that they are of have taught: they are not to be learned from again. */
export async function deleteTraces(transaction: Queryable, throughPosition: number): Promise<number> {
  const [counted] = await transaction.query<{ readonly count: number }>(
    `with gone as (delete from trace where position <= $1::bigint returning run_id),
      taught as (update run set lesson_gone = true where id in (select run_id from gone) and not lesson_gone)
    select count(*)::integer as count from gone`,
    [throughPosition],
  )
  return counted!.count
}

const insert = `
  insert into trace (id, parent_id, run_id, tool, task_id, intent, arguments, result, error_code, success,
    started_at, ended_at, depends_on, links, follows, promoted)
  select id, parent_id, run_id, tool, task_id, intent, arguments, result, error_code, success,
    to_timestamp(started_at / 1000), to_timestamp(ended_at / 1000), depends_on, links, follows, promoted
  from unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::boolean[], $11::double precision[], $12::double precision[], $13::text[], $14::text[], $15::text[], $16::text[]
  ) with ordinality as given (id, parent_id, run_id, tool, task_id, intent, arguments, result, error_code, success,
    started_at, ended_at, depends_on, links, follows, promoted, ordinality)
  order by ordinality`

function toColumns(traces: readonly Trace[]): readonly Parameter[] {
  return [
    traces.map(({ id }) => encodeText(id)),
    traces.map(({ parentId }) => textOrNull(parentId)),
    traces.map(({ runId }) => encodeText(runId)),
    traces.map(({ tool }) => textOrNull(tool)),
    traces.map(({ taskId }) => textOrNull(taskId)),
    traces.map(({ intent }) => textOrNull(intent)),
    traces.map((trace) => jsonOrNull(trace.arguments)),
    traces.map(({ result }) => jsonOrNull(result)),
    traces.map(({ errorCode }) => textOrNull(errorCode)),
    traces.map(({ success }) => success),
    traces.map(({ startedAt }) => startedAt),
    traces.map(({ endedAt }) => endedAt),
    traces.map(({ dependsOn }) => encodeJson(dependsOn)),
    traces.map(({ links }) => encodeJson(links)),
    traces.map(({ follows }) => jsonOrNull(follows)),
    traces.map(({ promoted }) => jsonOrNull(promoted)),
  ]
}

function toTrace(row: TraceRow): Trace {
  return {
    id: decodeText(row.id),
    ...(row.parent_id === null ? {} : { parentId: decodeText(row.parent_id) }),
    runId: decodeText(row.run_id),
    ...(row.tool === null ? {} : { tool: decodeText(row.tool) as ToolId }),
    ...(row.task_id === null ? {} : { taskId: decodeText(row.task_id) }),
    ...(row.intent === null ? {} : { intent: decodeText(row.intent) }),
    ...(row.arguments === null ? {} : { arguments: decodeJson(row.arguments) }),
    ...(row.result === null ? {} : { result: decodeJson(row.result) }),
    ...(row.error_code === null ? {} : { errorCode: decodeText(row.error_code) }),
    success: row.success,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    dependsOn: decodeJson(row.depends_on),
    links: decodeJson(row.links),
    ...(row.follows === null ? {} : { follows: decodeJson(row.follows) }),
    ...(row.promoted === null ? {} : { promoted: decodeJson(row.promoted) }),
  }
}
