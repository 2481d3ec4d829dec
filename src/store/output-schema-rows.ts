import type { ToolId } from '../model/tool.js'
import type { Parameter, Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { wholeIfCut } from './optional-columns.js'
import type { OutputSchema, OutputSchemaChange } from './store.js'
import { decodeJson, decodeText, encodeJson, encodeKey } from './stored-text.js'

/** Both hold schemas in the same columns. */
export type OutputSchemaTable = 'tool_output_schema' | 'output_schema_baseline'

/** A schema has some 10 KB at most: a message stays below 5 MB. */
const schemasPerStatement = 500

interface OutputSchemaRow {
  readonly [column: string]: unknown
  readonly tool: string
  readonly schema: string
  readonly version: number
  readonly samples: number
  readonly updated_at: number
}

export async function selectOutputSchemas(
  database: Queryable,
  table: OutputSchemaTable,
): Promise<readonly OutputSchema[]> {
  const rows = await database.query<OutputSchemaRow>(
    `select coalesce(whole_tool, tool) as tool, schema, version, samples, ${epochMs('updated_at')} as updated_at
    from ${table} order by ${table}.tool collate "C"`,
  )
  return rows.map((row) => ({
    tool: decodeText(row.tool) as ToolId,
    schema: decodeJson(row.schema),
    version: row.version,
    samples: row.samples,
    updatedAt: row.updated_at,
  }))
}

/**
 * Gives the tools that were not written: the row is another than the one that was read. A schema of the same version is the
 * same: naming its column leaves it where it lies, where the same text given anew would be written once more for each result.
 * New rows first and then the others, each by their keys: gateways that save at once lock the rows in the same order.
 */
export async function replaceOutputSchemas(
  database: Queryable,
  changes: readonly OutputSchemaChange[],
): Promise<readonly ToolId[]> {
  if (changes.length === 0) return []
  const unique = [...new Map(changes.map((change) => [change.schema.tool, change])).values()]
  const rows = await database.query<{ readonly tool: string }>(
    `with given as (
      select * from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::double precision[],
        $7::integer[], $8::integer[])
        as given (tool, whole_tool, schema, version, samples, updated_at, replaced_version, replaced_samples)
    ), added as (
      insert into tool_output_schema (tool, whole_tool, schema, version, samples, updated_at)
      select tool, whole_tool, schema, version, samples, to_timestamp(updated_at / 1000)
      from given where replaced_version is null order by tool
      on conflict (tool) do nothing returning tool
    ), locked as (
      select known.tool from tool_output_schema as known
      where known.tool in (select tool from given where replaced_version is not null)
      order by known.tool for update
    ), updated as (
      update tool_output_schema as known
      set schema = case when known.version = given.version then known.schema else given.schema end,
        version = given.version, samples = given.samples, updated_at = to_timestamp(given.updated_at / 1000)
      from locked join given on given.tool = locked.tool
      where known.tool = locked.tool and known.version = given.replaced_version and known.samples = given.replaced_samples
      returning known.tool
    )
    select tool from added union all select tool from updated`,
    [
      ...toColumns(unique.map(({ schema }) => schema)),
      unique.map(({ replaced }) => replaced?.version ?? null),
      unique.map(({ replaced }) => replaced?.samples ?? null),
    ],
  )
  const written = new Set(rows.map(({ tool }) => tool))
  return unique.map(({ schema }) => schema.tool).filter((tool) => !written.has(encodeKey(tool)))
}

/** Truncated, not deleted, as the edges are (edge-rows.ts). */
export async function insertAllOutputSchemas(
  transaction: Queryable,
  table: OutputSchemaTable,
  schemas: readonly OutputSchema[],
): Promise<void> {
  const unique = [...new Map(schemas.map((schema) => [schema.tool, schema])).values()]
  await transaction.query(`truncate table ${table}`)
  for (let start = 0; start < unique.length; start += schemasPerStatement)
    await transaction.query(insertInto(table), toColumns(unique.slice(start, start + schemasPerStatement)))
}

/** To what is known and to the baseline, of tools whose results nobody has seen here: what was seen says more. */
export async function addUnknownOutputSchemas(
  transaction: Queryable,
  schemas: readonly OutputSchema[],
): Promise<void> {
  const unique = [...new Map(schemas.map((schema) => [schema.tool, schema])).values()]
  for (let start = 0; start < unique.length; start += schemasPerStatement)
    await transaction.query(
      `with added as (
        ${insertInto('tool_output_schema')}
        on conflict (tool) do nothing returning *
      )
      insert into output_schema_baseline select * from added`,
      toColumns(unique.slice(start, start + schemasPerStatement)),
    )
}

function insertInto(table: OutputSchemaTable): string {
  return `
    insert into ${table} (tool, whole_tool, schema, version, samples, updated_at)
    select tool, whole_tool, schema, version, samples, to_timestamp(updated_at / 1000)
    from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::double precision[])
      as given (tool, whole_tool, schema, version, samples, updated_at)`
}

function toColumns(schemas: readonly OutputSchema[]): readonly Parameter[] {
  return [
    schemas.map(({ tool }) => encodeKey(tool)),
    schemas.map(({ tool }) => wholeIfCut(tool)),
    schemas.map(({ schema }) => encodeJson(schema)),
    schemas.map(({ version }) => version),
    schemas.map(({ samples }) => samples),
    schemas.map(({ updatedAt }) => updatedAt),
  ]
}
