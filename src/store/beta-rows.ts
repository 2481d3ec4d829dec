import { type BetaShift, priorBeta } from '../model/beta-state.js'
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

/** What outcomes do to a state can be done to whatever state is there: other gateways write to the same rows. */
export async function shiftBetaStates(transaction: Queryable, shifts: readonly ToolShift[]): Promise<void> {
  const rows = inOneEach(shifts).map(({ tool, shift }) => ({ id: tool, updatedAt: shift.at, ...shift }))
  for (const part of partsOf(rows)) {
    await insertPriors(transaction, 'tool_thompson_states', part)
    await transaction.query(
      `update tool_thompson_states as known set
        alpha = 1 + (known.alpha - 1) * given.decay + given.successes,
        beta = 1 + (known.beta - 1) * given.decay + given.failures,
        observations = known.observations + given.observations,
        updated_at = greatest(known.updated_at, to_timestamp(given.at / 1000))
      from unnest($1::text[], $2::double precision[], $3::double precision[], $4::double precision[], $5::integer[],
        $6::double precision[]) as given (id, decay, successes, failures, observations, at)
      where known.id = given.id`,
      [
        part.map(({ id }) => encodeKey(id)),
        part.map(({ decay }) => decay),
        part.map(({ successes }) => successes),
        part.map(({ failures }) => failures),
        part.map(({ observations }) => observations),
        part.map(({ updatedAt }) => updatedAt),
      ],
    )
  }
}

/** What others have seen, over the prior that everybody starts from. */
export async function addToBetaStates(
  transaction: Queryable,
  table: BetaTable,
  states: readonly BetaRow[],
): Promise<void> {
  for (const part of partsOf(lastOfEach(states))) {
    await insertPriors(transaction, table, part)
    await transaction.query(
      `update ${table} as known set
        alpha = known.alpha + (given.alpha - 1), beta = known.beta + (given.beta - 1),
        observations = known.observations + given.observations,
        updated_at = greatest(known.updated_at, to_timestamp(given.updated_at / 1000))
      from ${given} where known.id = given.id`,
      toColumns(part),
    )
  }
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
      `insert into ${table} (id, whole_id, alpha, beta, observations, updated_at)
      select id, whole_id, alpha, beta, observations, to_timestamp(updated_at / 1000) from ${given}`,
      toColumns(part),
    )
}

async function insertPriors(
  transaction: Queryable,
  table: BetaTable,
  rows: readonly Pick<BetaRow, 'id' | 'updatedAt'>[],
): Promise<void> {
  await transaction.query(
    `insert into ${table} (id, whole_id, alpha, beta, observations, updated_at)
    select id, whole_id, ${priorBeta.alpha}, ${priorBeta.beta}, ${priorBeta.observations}, to_timestamp(updated_at / 1000)
    from unnest($1::text[], $2::text[], $3::double precision[]) as given (id, whole_id, updated_at)
    on conflict (id) do nothing`,
    [
      rows.map(({ id }) => encodeKey(id)),
      rows.map(({ id }) => wholeIfCut(id)),
      rows.map(({ updatedAt }) => updatedAt),
    ],
  )
}

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
