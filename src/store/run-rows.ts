import type { Run, RunStatus, RunSummary, TaskOutcome, TaskStatus } from '../model/run.js'
import type { ToolId } from '../model/tool.js'
import type { Parameter, Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { decodeJson, decodeText, encodeJson, encodeKey, encodeText } from './stored-text.js'

interface RunRow {
  readonly [column: string]: unknown
  readonly run_id: string
  readonly intent: string | null
  readonly run_status: RunStatus
  readonly run_started_at: number
  readonly ended_at: number | null
}

/** A run joined with one of its tasks, or with none: one statement, so that it never shows half of a save. */
interface RunTaskRow extends RunRow {
  readonly id: string | null
  readonly whole_id: string | null
  readonly parent: string | null
  readonly tool: string
  readonly arguments: string
  readonly status: TaskStatus
  readonly result: string | null
  readonly error: string | null
  readonly started_at: number | null
  readonly ms: number | null
}

const runColumns = `
  run.id as run_id, run.intent, run.status as run_status, ${epochMs('run.started_at')} as run_started_at,
  ${epochMs('run.ended_at')} as ended_at`

const columns = `${runColumns}, task.id, task.whole_id, task.parent, task.tool, task.arguments, task.status,
  task.result, task.error, ${epochMs('task.started_at')} as started_at, task.ms`

export async function selectRun(database: Queryable, id: string): Promise<Run | undefined> {
  const rows = await database.query<RunTaskRow>(
    `select ${columns} from run left join task on task.run_id = run.id where run.id = $1 order by task.position`,
    [encodeText(id)],
  )
  const [run] = rows
  if (run === undefined) return undefined
  return {
    ...toRun(run),
    tasks: rows.flatMap((row) => (row.id === null ? [] : [toTask(row, row.whole_id ?? row.id)])),
  }
}

/** Counted in the database: a run may hold thousands of tasks, with results of megabytes. */
export async function selectNewestRuns(database: Queryable, limit: number): Promise<readonly RunSummary[]> {
  const rows = await database.query<RunRow & { readonly tasks: number }>(
    `select ${runColumns},
      (select count(*)::integer from task where task.run_id = run.id and task.parent is null) as tasks
    from run order by started_at desc, id desc limit $1::integer`,
    [Math.max(0, Math.min(Math.trunc(limit), 2 ** 31 - 1))],
  )
  return rows.map((row) => ({ ...toRun(row), tasks: row.tasks }))
}

/** One statement is one transaction and one trip to the database: a run is saved at its start and at its end. */
export async function upsertRun(database: Queryable, run: Run): Promise<void> {
  await database.query(`with saved_run as (${upsertRunRow}) ${upsertTaskRows}`, [
    ...toColumns(run.id, run.tasks, 0),
    run.intent === undefined ? null : encodeText(run.intent),
    run.status,
    run.startedAt,
    run.endedAt ?? null,
  ])
}

/** A task that its run did not have yet comes last. */
export async function upsertTask(database: Queryable, runId: string, task: TaskOutcome): Promise<void> {
  await database.query(upsertTaskRows, toColumns(runId, [task], null))
}

const upsertRunRow = `
  insert into run (id, intent, status, started_at, ended_at)
  values ($1, $13, $14, to_timestamp($15::double precision / 1000), to_timestamp($16::double precision / 1000))
  on conflict (id) do update set
    intent = excluded.intent, status = excluded.status, started_at = excluded.started_at, ended_at = excluded.ended_at`

/** A task saved again unchanged is not rewritten: its result may be large, and the embedded database never vacuums. */
const upsertTaskRows = `
  insert into task (run_id, position, id, whole_id, parent, tool, arguments, status, result, error, started_at, ms)
  select $1::text,
    coalesce($2::integer, (select max(position) + 1 from task where run_id = $1::text), 0) + ordinality - 1,
    id, whole_id, parent, tool, arguments, status, result, error, to_timestamp(started_at / 1000), ms
  from unnest(
    $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::text[], $11::double precision[], $12::double precision[]
  ) with ordinality as given (id, whole_id, parent, tool, arguments, status, result, error, started_at, ms, ordinality)
  on conflict (run_id, id) do update set
    position = case when $2::integer is null then task.position else excluded.position end,
    parent = excluded.parent, tool = excluded.tool, arguments = excluded.arguments, status = excluded.status,
    result = excluded.result, error = excluded.error, started_at = excluded.started_at, ms = excluded.ms
  where (task.parent, task.tool, task.arguments, task.status, task.result, task.error, task.started_at, task.ms)
      is distinct from (excluded.parent, excluded.tool, excluded.arguments, excluded.status, excluded.result,
        excluded.error, excluded.started_at, excluded.ms)
    or ($2::integer is not null and task.position <> excluded.position)`

/** `position` is that of the first task; null keeps the one it has. */
function toColumns(
  runId: string,
  tasks: readonly TaskOutcome[],
  position: number | null,
): readonly Parameter[] {
  const keys = tasks.map((task) => encodeKey(task.id))
  return [
    encodeText(runId),
    position,
    keys,
    tasks.map((task, index) => (keys[index] === encodeText(task.id) ? null : encodeText(task.id))),
    tasks.map((task) => (task.parent === undefined ? null : encodeText(task.parent))),
    tasks.map((task) => encodeText(task.tool)),
    tasks.map((task) => encodeJson(task.arguments)),
    tasks.map((task) => task.status),
    tasks.map((task) => (task.result === undefined ? null : encodeJson(task.result))),
    tasks.map((task) => (task.error ? encodeJson(task.error) : null)),
    tasks.map((task) => task.startedAt ?? null),
    tasks.map((task) => task.ms ?? null),
  ]
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

function toTask(row: RunTaskRow, id: string): TaskOutcome {
  return {
    id: decodeText(id),
    ...(row.parent === null ? {} : { parent: decodeText(row.parent) }),
    tool: decodeText(row.tool) as ToolId,
    arguments: decodeJson(row.arguments),
    status: row.status,
    ...(row.result === null ? {} : { result: decodeJson(row.result) }),
    ...(row.error === null ? {} : { error: decodeJson(row.error) }),
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.ms === null ? {} : { ms: row.ms }),
  }
}
