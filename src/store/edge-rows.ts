import type { Edge, EdgeKey, EdgeSource, EdgeType } from '../model/edge.js'
import type { ToolId } from '../model/tool.js'
import type { Parameter, Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { wholeIfCut } from './optional-columns.js'
import { decodeText, encodeKey } from './stored-text.js'

/** Both hold edges in the same columns. */
export type EdgeTable = 'tool_dependency' | 'graph_baseline'

/** One message to the database stays small, however large the graph is. */
const edgesPerStatement = 5_000

/** A graph as one row: each column of it as the text of a JSON array. */
interface EdgeColumns {
  readonly [column: string]: unknown
  readonly from_ids: string | null
  readonly to_ids: string
  readonly types: string
  readonly sources: string
  readonly counts: string
  readonly successes: string
  readonly failures: string
  readonly first_seen: string
  readonly last_seen: string
}

/** By columns, because the embedded database spends 20 microseconds on each row it hands over: 50,000 would take a second. */
export async function selectEdges(database: Queryable, table: EdgeTable): Promise<readonly Edge[]> {
  const [columns] = await database.query<EdgeColumns>(
    `select json_agg(coalesce(whole_from, from_id))::text as from_ids, json_agg(coalesce(whole_to, to_id))::text as to_ids,
      json_agg(type)::text as types, json_agg(source)::text as sources, json_agg(count)::text as counts,
      json_agg(successes)::text as successes, json_agg(failures)::text as failures,
      json_agg(${epochMs('first_seen')})::text as first_seen, json_agg(${epochMs('last_seen')})::text as last_seen
    from (select * from ${table} order by from_id collate "C", to_id collate "C", type collate "C") as edge`,
  )
  return columns!.from_ids === null ? [] : toEdges(columns!, columns!.from_ids)
}

/** Adds up, because other gateways count in the same rows. What nobody has seen adds nothing to a row that is there. */
export async function addToEdges(
  transaction: Queryable,
  table: EdgeTable,
  increments: readonly Edge[],
): Promise<void> {
  for (const part of partsOf(increments))
    await transaction.query(
      `${insertInto(table)}
      on conflict (from_id, to_id, type) do update set
        source = case
          when 'observed' in (known.source, excluded.source) then 'observed'
          when 'inferred' in (known.source, excluded.source) then 'inferred'
          else known.source end,
        count = known.count + excluded.count, successes = known.successes + excluded.successes,
        failures = known.failures + excluded.failures, first_seen = least(known.first_seen, excluded.first_seen),
        last_seen = greatest(known.last_seen, excluded.last_seen)
      where excluded.count > 0`,
      toColumns(part),
    )
}

/** What another gateway has seen meanwhile is no template any more, and stays. */
export async function deleteUnseenEdges(transaction: Queryable, keys: readonly EdgeKey[]): Promise<void> {
  for (const part of partsOf(keys))
    await transaction.query(
      `delete from tool_dependency as known
      using unnest($1::text[], $2::text[], $3::text[]) as gone (from_id, to_id, type)
      where (known.from_id, known.to_id, known.type) = (gone.from_id, gone.to_id, gone.type) and known.count = 0`,
      [
        part.map(({ from }) => encodeKey(from)),
        part.map(({ to }) => encodeKey(to)),
        part.map(({ type }) => type),
      ],
    )
}

/** What is guessed from schemas was not learned, and stays. */
export async function forgetSeenEdges(transaction: Queryable): Promise<void> {
  await transaction.query('delete from tool_dependency where count > 0')
}

/** Truncated, not deleted: rows that are only marked as deleted would fill an embedded database, which nothing vacuums. */
export async function insertAllEdges(
  transaction: Queryable,
  table: EdgeTable,
  edges: readonly Edge[],
): Promise<void> {
  await transaction.query(`truncate table ${table}`)
  for (const part of partsOf(edges)) await transaction.query(insertInto(table), toColumns(part))
}

/** Of an edge that is given twice the last counts; all in one order, so that replicas lock the rows in the same one. */
function partsOf<Keyed extends EdgeKey>(edges: readonly Keyed[]): readonly (readonly Keyed[])[] {
  const unique = new Map(edges.map((edge) => [JSON.stringify([edge.from, edge.to, edge.type]), edge]))
  const sorted = [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, edge]) => edge)
  const parts: Keyed[][] = []
  for (let start = 0; start < sorted.length; start += edgesPerStatement)
    parts.push(sorted.slice(start, start + edgesPerStatement))
  return parts
}

function insertInto(table: EdgeTable): string {
  return `
    insert into ${table} as known (from_id, to_id, type, whole_from, whole_to, source, count, successes, failures,
      first_seen, last_seen)
    select from_id, to_id, type, whole_from, whole_to, source, count, successes, failures,
      to_timestamp(first_seen / 1000), to_timestamp(last_seen / 1000)
    from unnest(
      $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[], $8::integer[],
      $9::integer[], $10::double precision[], $11::double precision[]
    ) as given (from_id, to_id, type, whole_from, whole_to, source, count, successes, failures, first_seen, last_seen)`
}

function toColumns(edges: readonly Edge[]): readonly Parameter[] {
  return [
    edges.map(({ from }) => encodeKey(from)),
    edges.map(({ to }) => encodeKey(to)),
    edges.map(({ type }) => type),
    edges.map(({ from }) => wholeIfCut(from)),
    edges.map(({ to }) => wholeIfCut(to)),
    edges.map(({ source }) => source),
    edges.map(({ count }) => count),
    edges.map(({ successes }) => successes),
    edges.map(({ failures }) => failures),
    edges.map(({ firstSeen }) => firstSeen ?? null),
    edges.map(({ lastSeen }) => lastSeen ?? null),
  ]
}

function toEdges(columns: EdgeColumns, fromIds: string): readonly Edge[] {
  const to = JSON.parse(columns.to_ids) as string[]
  const types = JSON.parse(columns.types) as EdgeType[]
  const sources = JSON.parse(columns.sources) as EdgeSource[]
  const counts = JSON.parse(columns.counts) as number[]
  const successes = JSON.parse(columns.successes) as number[]
  const failures = JSON.parse(columns.failures) as number[]
  const firstSeen = JSON.parse(columns.first_seen) as (number | null)[]
  const lastSeen = JSON.parse(columns.last_seen) as (number | null)[]
  return (JSON.parse(fromIds) as string[]).map((from, at) => ({
    from: decodeText(from) as ToolId,
    to: decodeText(to[at]!) as ToolId,
    type: types[at]!,
    source: sources[at]!,
    count: counts[at]!,
    successes: successes[at]!,
    failures: failures[at]!,
    ...(firstSeen[at] === null ? {} : { firstSeen: firstSeen[at]! }),
    ...(lastSeen[at] === null ? {} : { lastSeen: lastSeen[at]! }),
  }))
}
