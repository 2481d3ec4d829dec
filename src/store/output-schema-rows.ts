import type { ToolId } from '../model/tool.js'
import type { Parameter, Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { wholeIfCut } from './optional-columns.js'
import type { OutputSchema } from './store.js'
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
 * Gives whether it was written: not where the row is another than the one that was read. A schema of the same version is the
 * same: naming its column leaves it where it lies, where the same text given anew would be written once more for each result.
 */
export async function replaceOutputSchema(
  database: Queryable,
  schema: OutputSchema,
  replaced: OutputSchema | undefined,
): Promise<boolean> {
  const columns = toColumns([schema])
  const written =
    replaced === undefined
      ? await database.query(
          `${insertInto('tool_output_schema')} on conflict (tool) do nothing returning 1`,
          columns,
        )
      : await database.query(
          `update tool_output_schema set schema = case when version = $3::integer then schema else $2 end, version = $3::integer, samples = $4::integer,
            updated_at = to_timestamp($5::double precision / 1000)
          where tool = $1 and version = $6::integer and samples = $7::integer returning 1`,
          [
            encodeKey(schema.tool),
            encodeJson(schema.schema),
            schema.version,
            schema.samples,
            schema.updatedAt,
            replaced.version,
            replaced.samples,
          ],
        )
  return written.length > 0
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
