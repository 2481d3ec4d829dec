import { createHash } from 'node:crypto'
import type { DataflowTemplate } from '../model/dataflow-template.js'
import { canonicalJson } from '../model/json.js'
import type { ToolId } from '../model/tool.js'
import type { Parameter, Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import { jsonOrNull } from './optional-columns.js'
import { decodeJson, decodeText, encodeText } from './stored-text.js'

/** One message to the database stays small, however much was learned. */
const templatesPerStatement = 5_000

/** One row, as JSON: the columns in the order in which they are selected. */
type TemplateRow = readonly [
  tool: string,
  parameter: string,
  after: string,
  source: string,
  value: string | null,
  count: number,
  hits: number,
  lastAt: number,
]

/** As one text, because the embedded database spends 20 microseconds on each row it hands over (edge-rows.ts). */
export async function selectDataflowTemplates(database: Queryable): Promise<readonly DataflowTemplate[]> {
  const [all] = await database.query<{ readonly templates: string | null }>(
    `select json_agg(json_build_array(tool, parameter, after, source, value, count, hits, ${epochMs('last_at')}))::text
      as templates
    from (
      select * from dataflow_template
      order by tool collate "C", parameter collate "C", after collate "C", source collate "C", key collate "C"
    ) as template`,
  )
  const rows: readonly TemplateRow[] = JSON.parse(all!.templates ?? '[]')
  return rows.map(toTemplate)
}

export async function upsertDataflowTemplates(
  transaction: Queryable,
  templates: readonly DataflowTemplate[],
): Promise<void> {
  for (const part of partsOf(byKey(templates)))
    await transaction.query(
      `${insert}
      on conflict (key) do update set count = excluded.count, hits = excluded.hits, last_at = excluded.last_at`,
      toColumns(part),
    )
}

export async function deleteDataflowTemplates(
  transaction: Queryable,
  templates: readonly DataflowTemplate[],
): Promise<void> {
  for (const part of partsOf(byKey(templates)))
    await transaction.query('delete from dataflow_template where key = any($1::text[])', [
      part.map(([key]) => key),
    ])
}

/** Truncated, not deleted, as the edges are (edge-rows.ts). */
export async function insertAllDataflowTemplates(
  transaction: Queryable,
  templates: readonly DataflowTemplate[],
): Promise<void> {
  await transaction.query('truncate table dataflow_template')
  for (const part of partsOf(byKey(templates))) await transaction.query(insert, toColumns(part))
}

type Keyed = readonly [key: string, template: DataflowTemplate]

/** Of one that is given twice the last counts; all in one order, so that replicas lock the rows in the same one. */
function byKey(templates: readonly DataflowTemplate[]): readonly Keyed[] {
  const unique = new Map(templates.map((template) => [keyOf(template), template]))
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** JSON text writes half of a surrogate pair as an escape, where the hash itself would take all of them for the same. */
function keyOf({ tool, parameter, after, source, value }: DataflowTemplate): string {
  const parts = [tool, parameter, after, source, ...(value === undefined ? [] : [canonicalJson(value)])]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

function partsOf(templates: readonly Keyed[]): readonly (readonly Keyed[])[] {
  const parts: (readonly Keyed[])[] = []
  for (let start = 0; start < templates.length; start += templatesPerStatement)
    parts.push(templates.slice(start, start + templatesPerStatement))
  return parts
}

const insert = `
  insert into dataflow_template (key, tool, parameter, after, source, value, count, hits, last_at)
  select key, tool, parameter, after, source, value, count, hits, to_timestamp(last_at / 1000)
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::double precision[],
    $8::double precision[], $9::double precision[])
    as given (key, tool, parameter, after, source, value, count, hits, last_at)`

function toColumns(templates: readonly Keyed[]): readonly Parameter[] {
  return [
    templates.map(([key]) => key),
    templates.map(([, { tool }]) => encodeText(tool)),
    templates.map(([, { parameter }]) => encodeText(parameter)),
    templates.map(([, { after }]) => encodeText(after)),
    templates.map(([, { source }]) => encodeText(source)),
    templates.map(([, { value }]) => jsonOrNull(value)),
    templates.map(([, { count }]) => count),
    templates.map(([, { hits }]) => hits),
    templates.map(([, { lastAt }]) => lastAt),
  ]
}

function toTemplate([
  tool,
  parameter,
  after,
  source,
  value,
  count,
  hits,
  lastAt,
]: TemplateRow): DataflowTemplate {
  return {
    tool: decodeText(tool) as ToolId,
    parameter: decodeText(parameter),
    after: decodeText(after) as ToolId | '',
    source: decodeText(source),
    ...(value === null ? {} : { value: decodeJson(value) }),
    ...{ count, hits, lastAt },
  }
}
