import type { Json } from '../model/json.js'
import type { Queryable } from './database.js'
import { auditedPermissionsState } from './store.js'
import { decodeJson, encodeJson, encodeText } from './stored-text.js'

export async function selectLearnedState(database: Queryable, name: string): Promise<Json | undefined> {
  const [row] = await database.query<{ readonly state: string }>(
    'select state from learned_state where name = $1',
    [encodeText(name)],
  )
  return row === undefined ? undefined : decodeJson(row.state)
}

export async function upsertLearnedState(database: Queryable, name: string, state: Json): Promise<void> {
  await database.query(
    `insert into learned_state (name, state) values ($1, $2)
    on conflict (name) do update set state = excluded.state, updated_at = excluded.updated_at`,
    [encodeText(name), encodeJson(state)],
  )
}

/** What is kept by name and was not learned: what the audit knows of mcp-permissions.yaml. */
const notLearned = [auditedPermissionsState]

export async function forgetLearnedStates(transaction: Queryable): Promise<void> {
  await transaction.query('delete from learned_state where name <> all($1::text[])', [notLearned])
}
