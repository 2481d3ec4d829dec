import {
  behindTheirTasks,
  type Run,
  type RunStatus,
  type RunSummary,
  type TaskOutcome,
  type TaskStatus,
} from '../model/run.js'
import type { ToolId } from '../model/tool.js'
import type { Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import type { OpenRunRow } from './store.js'
import { decodeJson, decodeText, encodeText } from './stored-text.js'
import { toLimit } from './to-limit.js'

interface RunRow {
  readonly [column: string]: unknown
  readonly run_id: string
  readonly intent: string | null
  readonly run_status: RunStatus
  readonly run_started_at: number
  readonly ended_at: number | null
}

interface TaskRow {
  readonly [column: string]: unknown
  readonly id: string
  readonly whole_id: string | null
  readonly parent: string | null
  readonly tool: string
  readonly arguments: string
  readonly status: TaskStatus
  readonly result: string | null
  readonly error: string | null
  readonly started_at: number | null
  readonly ms: number | null
  readonly attempts: number | null
}

/** As migration 5 says it, word for word: else its index is not used. */
const isOpen = `run.status not in ('complete', 'partial_failure', 'failed', 'aborted')`

/** As migration 6 says it. */
const hasEnded = `run.status in ('complete', 'partial_failure', 'failed', 'aborted')`

const runColumns = `
  run.id as run_id, run.intent, run.status as run_status, ${epochMs('run.started_at')} as run_started_at,
  ${epochMs('run.ended_at')} as ended_at`

/** Without its decisions. In a transaction that sees one state: the tasks are read after the run. */
export async function selectRun(transaction: Queryable, id: string): Promise<Run | undefined> {
  const [run] = await transaction.query<RunRow>(`select ${runColumns} from run where id = $1`, [
    encodeText(id),
  ])
  if (run === undefined) return undefined
  const tasks = await transaction.query<TaskRow>(
    `select id, whole_id, parent, tool, arguments, status, result, error, ${epochMs('started_at')} as started_at, ms,
      attempts
    from task where run_id = $1 order by position`,
    [run.run_id],
  )
  return { ...toRun(run), tasks: behindTheirTasks(tasks.map(toTask)) }
}

/** Counted in the database: a run may hold thousands of tasks, with results of megabytes. */
export async function selectNewestRuns(database: Queryable, limit: number): Promise<readonly RunSummary[]> {
  const rows = await database.query<RunRow & { readonly tasks: number }>(
    `select ${runColumns},
      (select count(*)::integer from task where task.run_id = run.id and task.parent is null) as tasks
    from run order by started_at desc, id desc limit $1::integer`,
    [toLimit(limit)],
  )
  return rows.map((row) => ({ ...toRun(row), tasks: row.tasks }))
}

export async function selectOpenRuns(database: Queryable, owner: string): Promise<readonly OpenRunRow[]> {
  const rows = await database.query<{
    readonly id: string
    readonly status: RunStatus
    readonly updated_at: number
  }>(
    `select run.id, run.status, ${epochMs('coalesce(updated_at, started_at)')} as updated_at
    from run left join workflow_checkpoint on run_id = run.id
    where ${isOpen} and owner = $1 order by started_at, id`,
    [encodeText(owner)],
  )
  return rows.map(({ id, status, updated_at }) => ({ id: decodeText(id), status, updatedAt: updated_at }))
}

export async function selectUnlearnedRuns(
  database: Queryable,
  owner: string,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await database.query<{ readonly id: string }>(
    `select id from run
    where ${hasEnded} and owner = $1 and ended_at >= to_timestamp($2::double precision / 1000) and not lesson_gone
      and not exists (select from trace where run_id = run.id)
      and exists (select from task where run_id = run.id and started_at is not null)
    order by ended_at, id limit $3::integer`,
    [encodeText(owner), since, toLimit(limit)],
  )
  return rows.map(({ id }) => decodeText(id))
}

/** What was forgotten is not to be learned again. */
export async function markRunsForgotten(transaction: Queryable): Promise<void> {
  await transaction.query(`update run set lesson_gone = true where ${hasEnded} and not lesson_gone`)
}

/**
 * Those that have ended, and those that an older version left without a checkpoint, with which nobody can go on; all that is theirs
 * goes with them.
 */
export async function deleteRuns(
  transaction: Queryable,
  { newest, since }: { readonly newest: number; readonly since: number },
): Promise<number> {
  const [counted] = await transaction.query<{ readonly count: number }>(
    `with over as (
      select id, coalesce(ended_at, started_at) as over_at,
        row_number() over (order by coalesce(ended_at, started_at) desc, id desc) as place
      from run
      where not (${isOpen})
        or (status = 'interrupted' and not exists (select from workflow_checkpoint where run_id = run.id))
    ), gone as (
      delete from run using over
      where run.id = over.id and (place > $1::integer or over_at < to_timestamp($2::double precision / 1000))
      returning 1
    )
    select count(*)::integer as count from gone`,
    [toLimit(newest), since],
  )
  return counted!.count
}

function toRun(run: RunRow): Omit<Run, 'tasks'> {
  return {
    id: decodeText(run.run_id),
    ...(run.intent === null ? {} : { intent: decodeText(run.intent) }),
    status: run.run_status,
    startedAt: run.run_started_at,
    ...(run.ended_at === null ? {} : { endedAt: run.ended_at }),
  }
}

function toTask(row: TaskRow): TaskOutcome {
  return {
    id: decodeText(row.whole_id ?? row.id),
    ...(row.parent === null ? {} : { parent: decodeText(row.parent) }),
    tool: decodeText(row.tool) as ToolId,
    arguments: decodeJson(row.arguments),
    status: row.status,
    ...(row.result === null ? {} : { result: decodeJson(row.result) }),
    ...(row.error === null ? {} : { error: decodeJson(row.error) }),
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.ms === null ? {} : { ms: row.ms }),
    ...(row.attempts === null ? {} : { attempts: row.attempts }),
  }
}
