import type { TaskOutcome } from '../model/run.js'
import type { Database, Queryable, TextParameter } from './database.js'
import { decisionColumns, selectDecisionsOf, upsertDecisions } from './decision-rows.js'
import { epochMs } from './epoch-ms.js'
import { selectRun } from './run-rows.js'
import type { Checkpoint, StoredRun } from './store.js'
import { decodeJson, decodeText, encodeJson, encodeKey, encodeText } from './stored-text.js'

/** One statement is one transaction and one trip to the database, and the same few texts come again and again. */
export async function upsertCheckpoint(database: Database, checkpoint: Checkpoint): Promise<void> {
  const { run, removedTasks, decisions } = checkpoint
  const sql = decisions.length === 0 ? step : stepWithDecisions
  const parameters = [
    ...stepColumns(checkpoint),
    ...(decisions.length === 0 ? [] : decisionColumns(decisions)),
  ]
  if (removedTasks.length === 0) return database.execute(sql, parameters)
  // What is forgotten may be among what is new, and one statement touches a row once.
  await database.transaction(async (transaction) => {
    await transaction.query('delete from task where run_id = $1 and id = any($2::text[])', [
      encodeText(run.id),
      removedTasks.map(encodeKey),
    ])
    await transaction.query(sql, parameters)
  })
}

export async function selectCheckpoint(
  transaction: Queryable,
  runId: string,
): Promise<StoredRun | undefined> {
  const [row] = await transaction.query<{
    readonly owner: string
    readonly plan: string
    readonly progress: string
    readonly updated_at: number
  }>(
    `select owner, plan, progress, ${epochMs('updated_at')} as updated_at
    from run join workflow_checkpoint on run_id = run.id
    where run.id = $1 and owner is not null and plan is not null`,
    [encodeText(runId)],
  )
  if (row === undefined) return undefined
  const run = await selectRun(transaction, runId)
  if (run === undefined) return undefined
  const decisions = await selectDecisionsOf(transaction, runId)
  return {
    run: { ...run, ...(decisions.length === 0 ? {} : { decisions }) },
    owner: decodeText(row.owner),
    plan: decodeJson(row.plan),
    progress: decodeJson(row.progress),
    updatedAt: row.updated_at,
  }
}

/** Rows that say the same already are left alone: a rewrite would only leave dead rows behind. */
const upsertRun = `
  insert into run (id, intent, status, started_at, ended_at, owner)
  values ($1, $2, $3, to_timestamp($4::double precision / 1000), to_timestamp($5::double precision / 1000), $6)
  on conflict (id) do update set
    intent = excluded.intent, status = excluded.status, started_at = excluded.started_at, ended_at = excluded.ended_at,
    owner = excluded.owner
  where (run.intent, run.status, run.started_at, run.ended_at, run.owner)
    is distinct from (excluded.intent, excluded.status, excluded.started_at, excluded.ended_at, excluded.owner)`

/** A value that is the row's own keeps its place outside of the row, where the long ones are; an equal one is written anew. */
const upsertProgress = `
  insert into workflow_checkpoint (run_id, plan, progress, updated_at)
  values ($1, $7, $8, now())
  on conflict (run_id) do update set
    plan = coalesce(excluded.plan, workflow_checkpoint.plan),
    progress = case when workflow_checkpoint.progress = excluded.progress then workflow_checkpoint.progress
      else excluded.progress end,
    updated_at = excluded.updated_at`

/** A task that its run did not have yet comes last; where its elements come is the reader's matter. */
const upsertTasks = `
  insert into task (run_id, position, id, whole_id, parent, tool, arguments, status, result, error, started_at, ms, attempts)
  select $1::text, coalesce((select max(position) from task where run_id = $1::text), -1) + ordinality,
    id, whole_id, parent, tool, arguments, status, result, error, to_timestamp(started_at / 1000), ms, attempts
  from unnest(
    $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
    $17::double precision[], $18::double precision[], $19::integer[]
  ) with ordinality as given (id, whole_id, parent, tool, arguments, status, result, error, started_at, ms, attempts,
    ordinality)
  on conflict (run_id, id) do update set
    parent = excluded.parent, tool = excluded.tool, arguments = excluded.arguments, status = excluded.status,
    result = excluded.result, error = excluded.error, started_at = excluded.started_at, ms = excluded.ms,
    attempts = excluded.attempts
  where (task.parent, task.tool, task.arguments, task.status, task.result, task.error, task.started_at, task.ms, task.attempts)
    is distinct from (excluded.parent, excluded.tool, excluded.arguments, excluded.status, excluded.result,
      excluded.error, excluded.started_at, excluded.ms, excluded.attempts)`

const step = `with saved_run as (${upsertRun}), saved_progress as (${upsertProgress}) ${upsertTasks}`

const stepWithDecisions = `
  with saved_run as (${upsertRun}), saved_progress as (${upsertProgress}), saved_tasks as (${upsertTasks})
  ${upsertDecisions(20)}`

function stepColumns({ run, owner, plan, tasks, progress }: Checkpoint): readonly TextParameter[] {
  const unique = lastOfEach(tasks)
  const keys = unique.map((task) => encodeKey(task.id))
  return [
    encodeText(run.id),
    run.intent === undefined ? null : encodeText(run.intent),
    run.status,
    run.startedAt,
    run.endedAt ?? null,
    encodeText(owner),
    plan === undefined ? null : encodeJson(plan),
    encodeJson(progress),
    keys,
    unique.map((task, index) => (keys[index] === encodeText(task.id) ? null : encodeText(task.id))),
    unique.map((task) => (task.parent === undefined ? null : encodeText(task.parent))),
    unique.map((task) => encodeText(task.tool)),
    unique.map((task) => encodeJson(task.arguments)),
    unique.map((task) => task.status),
    unique.map((task) => (task.result === undefined ? null : encodeJson(task.result))),
    unique.map((task) => (task.error ? encodeJson(task.error) : null)),
    unique.map((task) => task.startedAt ?? null),
    unique.map((task) => task.ms ?? null),
    unique.map((task) => task.attempts ?? null),
  ]
}

/** One statement touches a row once: of a task that is given twice, the later state counts. */
function lastOfEach(tasks: readonly TaskOutcome[]): readonly TaskOutcome[] {
  return [...new Map(tasks.map((task) => [task.id, task])).values()]
}
