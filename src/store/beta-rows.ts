import type { BetaShift } from '../model/beta-state.js'
import type { ToolId } from '../model/tool.js'
import type { Parameter, Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { wholeIfCut } from './optional-columns.js'
import type { BetaKind, BetaRow } from './store.js'
import { decodeText, encodeKey } from './stored-text.js'

/** All hold states in the same columns. */
export type BetaTable = 'tool_thompson_states' | 'capability_thompson_states' | 'beta_baseline'

export const betaTables: Readonly<Record<BetaKind, BetaTable>> = {
  tool: 'tool_thompson_states',
  capability: 'capability_thompson_states',
}

/** One message to the database stays small, however many tools there are. */
const statesPerStatement = 5_000

interface ToolShift {
  readonly tool: ToolId
  readonly shift: BetaShift
}

/** Each column as the text of a JSON array, as the edges are read (edge-rows.ts). */
interface BetaColumns {
  readonly [column: string]: unknown
  readonly ids: string | null
  readonly alphas: string
  readonly betas: string
  readonly observations: string
  readonly updated_at: string
}

export async function selectBetaStates(database: Queryable, table: BetaTable): Promise<readonly BetaRow[]> {
  const [columns] = await database.query<BetaColumns>(
    `select json_agg(coalesce(whole_id, id))::text as ids, json_agg(alpha)::text as alphas, json_agg(beta)::text as betas,
      json_agg(observations)::text as observations, json_agg(${epochMs('updated_at')})::text as updated_at
    from (select * from ${table} order by id collate "C") as state`,
  )
  return columns!.ids === null ? [] : toStates(columns!, columns!.ids)
}

/** What outcomes do to a state can be done to whatever state is there: other gateways write to the same rows. Under the lock of the traces. */
export async function shiftBetaStates(transaction: Queryable, shifts: readonly ToolShift[]): Promise<void> {
  for (const part of partsOf(inOneEach(shifts)))
    await transaction.query(
      `${insertInto('tool_thompson_states')}
      select given.id, given.whole_id, 1 + (coalesce(known.alpha, 1) - 1) * decay + successes,
        1 + (coalesce(known.beta, 1) - 1) * decay + failures, coalesce(known.observations, 0) + given.observations,
        greatest(known.updated_at, to_timestamp(at / 1000))
      from unnest($1::text[], $2::text[], $3::double precision[], $4::double precision[], $5::double precision[],
        $6::integer[], $7::double precision[])
        as given (id, whole_id, decay, successes, failures, observations, at)
      left join tool_thompson_states as known on known.id = given.id
      ${orReplace}`,
      [
        part.map(({ tool }) => encodeKey(tool)),
        part.map(({ tool }) => wholeIfCut(tool)),
        part.map(({ shift }) => shift.decay),
        part.map(({ shift }) => shift.successes),
        part.map(({ shift }) => shift.failures),
        part.map(({ shift }) => shift.observations),
        part.map(({ shift }) => shift.at),
      ],
    )
}

/** What others have seen, over the prior that everybody starts from. Under the lock of the traces. */
export async function addToBetaStates(
  transaction: Queryable,
  table: BetaTable,
  states: readonly BetaRow[],
): Promise<void> {
  for (const part of partsOf(lastOfEach(states)))
    await transaction.query(
      `${insertInto(table)}
      select given.id, given.whole_id, coalesce(known.alpha, 1) + (given.alpha - 1), coalesce(known.beta, 1) + (given.beta - 1),
        coalesce(known.observations, 0) + given.observations,
        greatest(known.updated_at, to_timestamp(given.updated_at / 1000))
      from ${given} left join ${table} as known on known.id = given.id
      ${orReplace}`,
      toColumns(part),
    )
}

/** Truncated, not deleted, as the edges are (edge-rows.ts). */
export async function insertAllBetaStates(
  transaction: Queryable,
  table: BetaTable,
  states: readonly BetaRow[],
): Promise<void> {
  await transaction.query(`truncate table ${table}`)
  for (const part of partsOf(lastOfEach(states)))
    await transaction.query(
      `${insertInto(table)}
      select id, whole_id, alpha, beta, observations, to_timestamp(updated_at / 1000) from ${given}`,
      toColumns(part),
    )
}

function insertInto(table: BetaTable): string {
  return `insert into ${table} (id, whole_id, alpha, beta, observations, updated_at)`
}

const orReplace = `
  on conflict (id) do update set alpha = excluded.alpha, beta = excluded.beta, observations = excluded.observations,
    updated_at = excluded.updated_at`

/** One statement touches a row once: two shifts of one tool, the earlier first, become one that does the same. */
function inOneEach(shifts: readonly ToolShift[]): readonly ToolShift[] {
  const byTool = new Map<ToolId, BetaShift>()
  for (const { tool, shift } of shifts) {
    const earlier = byTool.get(tool)
    byTool.set(tool, earlier === undefined ? shift : joined(earlier, shift))
  }
  return [...byTool].map(([tool, shift]) => ({ tool, shift }))
}

function joined(earlier: BetaShift, later: BetaShift): BetaShift {
  return {
    decay: earlier.decay * later.decay,
    successes: earlier.successes * later.decay + later.successes,
    failures: earlier.failures * later.decay + later.failures,
    observations: earlier.observations + later.observations,
    at: Math.max(earlier.at, later.at),
  }
}

function lastOfEach(states: readonly BetaRow[]): readonly BetaRow[] {
  return [...new Map(states.map((state) => [state.id, state])).values()]
}

function partsOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const parts: (readonly Item[])[] = []
  for (let start = 0; start < items.length; start += statesPerStatement)
    parts.push(items.slice(start, start + statesPerStatement))
  return parts
}

const given = `unnest($1::text[], $2::text[], $3::double precision[], $4::double precision[], $5::integer[], $6::double precision[])
  as given (id, whole_id, alpha, beta, observations, updated_at)`

function toColumns(states: readonly BetaRow[]): readonly Parameter[] {
  return [
    states.map(({ id }) => encodeKey(id)),
    states.map(({ id }) => wholeIfCut(id)),
    states.map(({ alpha }) => alpha),
    states.map(({ beta }) => beta),
    states.map(({ observations }) => observations),
    states.map(({ updatedAt }) => updatedAt),
  ]
}

function toStates(columns: BetaColumns, ids: string): readonly BetaRow[] {
  const alphas = JSON.parse(columns.alphas) as number[]
  const betas = JSON.parse(columns.betas) as number[]
  const observations = JSON.parse(columns.observations) as number[]
  const updatedAt = JSON.parse(columns.updated_at) as number[]
  return (JSON.parse(ids) as string[]).map((id, at) => ({
    id: decodeText(id),
    alpha: alphas[at]!,
    beta: betas[at]!,
    observations: observations[at]!,
    updatedAt: updatedAt[at]!,
  }))
}
