import type { ToolId } from '../model/tool.js'
import type { Queryable } from './database.js'
import { packVectors, unpackVector } from './packed-vectors.js'
import type { ToolEmbedding } from './store.js'
import { decodeText, encodeKey, encodeText } from './stored-text.js'

/** Of 1,024 numbers each, one message to the database is 4 MB, and nobody else waits for it long. */
const vectorsPerStatement = 500
const vectorsPerBatch = 2_000

interface EmbeddingRow {
  readonly [column: string]: unknown
  readonly tool_id: string
  readonly tool: string
  readonly text_hash: string
  readonly vector: string
}

export async function selectEmbeddings(
  database: Queryable,
  model: string,
): Promise<readonly ToolEmbedding[]> {
  const found: ToolEmbedding[] = []
  let after = ''
  for (;;) {
    const rows = await database.query<EmbeddingRow>(
      // The limit inside: the vectors of all other batches would be packed as well, only to be left out.
      `select tool_id, coalesce(whole_tool, tool_id) as tool, text_hash, encode(array_send(vector), 'base64') as vector
      from (
        select * from tool_embedding where model = $1 and tool_id > $2
        order by tool_id limit ${vectorsPerBatch}
      ) as batch`,
      [encodeKey(model), after],
    )
    for (const { tool, text_hash, vector } of rows)
      found.push({
        tool: decodeText(tool) as ToolId,
        textHash: decodeText(text_hash),
        vector: unpackVector(Buffer.from(vector, 'base64')),
      })
    if (rows.length < vectorsPerBatch) return found
    after = rows.at(-1)!.tool_id
  }
}

export async function upsertEmbeddings(
  transaction: Queryable,
  model: string,
  embeddings: readonly ToolEmbedding[],
): Promise<void> {
  const unique = [...new Map(embeddings.map((embedding) => [embedding.tool, embedding])).values()]
  // Replicas that save at once lock the rows in the same order.
  unique.sort((a, b) => (a.tool < b.tool ? -1 : 1))
  for (const size of new Set(unique.map(({ vector }) => vector.length))) {
    const alike = unique.filter(({ vector }) => vector.length === size)
    for (let start = 0; start < alike.length; start += vectorsPerStatement) {
      const part = alike.slice(start, start + vectorsPerStatement)
      const keys = part.map(({ tool }) => encodeKey(tool))
      await transaction.query(upsert, [
        encodeKey(model),
        keys,
        part.map(({ tool }, at) => (keys[at] === encodeText(tool) ? null : encodeText(tool))),
        part.map(({ textHash }) => encodeText(textHash)),
        packVectors(part.map(({ vector }) => vector)),
        size,
      ])
    }
  }
}

export async function deleteOtherEmbeddings(
  database: Queryable,
  exceptModels: readonly string[],
): Promise<number> {
  const [counted] = await database.query<{ readonly count: number }>(
    `with gone as (delete from tool_embedding where model <> all($1::text[]) returning 1)
    select count(*)::integer as count from gone`,
    [exceptModels.map(encodeKey)],
  )
  return counted!.count
}

/** All vectors come as one array, one after the other, and each row takes its slice. */
const upsert = `
  insert into tool_embedding (model, tool_id, whole_tool, text_hash, vector)
  select $1, tool_id, whole_tool, text_hash,
    ($5::real[])[(ordinality - 1) * $6::integer + 1 : ordinality * $6::integer]
  from unnest($2::text[], $3::text[], $4::text[]) with ordinality
    as given (tool_id, whole_tool, text_hash, ordinality)
  on conflict (model, tool_id) do update set text_hash = excluded.text_hash, vector = excluded.vector`
