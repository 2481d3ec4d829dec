import { formatToolId, type Tool } from '../model/tool.js'
import type { Parameter, Queryable } from './database.js'
import { decodeJson, decodeText, encodeJson, encodeKey, encodeText } from './stored-text.js'

/** One message to the database stays small, however large the catalogue is. */
const toolsPerStatement = 500

interface ToolRow {
  readonly [column: string]: unknown
  readonly server: string
  readonly name: string
  readonly definition: string
  readonly hash: string
  readonly tokens: number | null
  readonly listed: boolean
  readonly changed: string | null
  readonly flags: string
}

export async function selectTools(database: Queryable): Promise<readonly Tool[]> {
  const rows = await database.query<ToolRow>(
    'select server, name, definition, hash, tokens, listed, changed, flags from tools order by id collate "C"',
  )
  return rows.map(toTool)
}

/** Rows that say the same already are left alone: a rewrite would only leave dead rows behind, which nothing vacuums. */
export async function upsertTools(transaction: Queryable, tools: readonly Tool[]): Promise<void> {
  const unique = [...new Map(tools.map((tool) => [tool.id, tool])).values()]
  // Replicas that save at once lock the rows in the same order.
  unique.sort((a, b) => (a.id < b.id ? -1 : 1))
  for (let start = 0; start < unique.length; start += toolsPerStatement) {
    const part = unique.slice(start, start + toolsPerStatement)
    await transaction.query(upsert, toColumns(part))
    const seen = part.filter((tool) => tool.listed).map((tool) => encodeKey(tool.id))
    await transaction.query('update tools set last_seen = now() where id = any($1::text[])', [seen])
  }
}

const upsert = `
  insert into tools (id, server, name, definition, hash, tokens, listed, changed, flags, first_seen, last_seen)
  select *, now(), now() from unnest(
    $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::boolean[], $8::text[], $9::text[]
  )
  on conflict (id) do update set
    definition = excluded.definition, hash = excluded.hash, listed = excluded.listed,
    changed = excluded.changed, flags = excluded.flags,
    tokens = coalesce(excluded.tokens, case when tools.hash = excluded.hash then tools.tokens end)
  where (tools.definition, tools.hash, tools.listed, tools.changed, tools.flags)
      is distinct from (excluded.definition, excluded.hash, excluded.listed, excluded.changed, excluded.flags)
    or excluded.tokens <> tools.tokens
    or (excluded.tokens is not null and tools.tokens is null)`

function toColumns(tools: readonly Tool[]): readonly Parameter[] {
  return [
    tools.map((tool) => encodeKey(tool.id)),
    tools.map((tool) => encodeText(tool.server)),
    tools.map((tool) => encodeText(tool.name)),
    tools.map((tool) => encodeJson(tool.definition)),
    tools.map((tool) => tool.hash),
    tools.map((tool) => tool.tokens ?? null),
    tools.map((tool) => tool.listed),
    tools.map((tool) => (tool.changed ? encodeJson(tool.changed) : null)),
    tools.map((tool) => encodeJson(tool.flags)),
  ]
}

function toTool(row: ToolRow): Tool {
  const server = decodeText(row.server)
  const name = decodeText(row.name)
  return {
    id: formatToolId(server, name),
    server,
    name,
    definition: decodeJson(row.definition),
    hash: row.hash,
    ...(row.tokens === null ? {} : { tokens: row.tokens }),
    listed: row.listed,
    ...(row.changed === null ? {} : { changed: decodeJson(row.changed) }),
    flags: decodeJson(row.flags),
  }
}
