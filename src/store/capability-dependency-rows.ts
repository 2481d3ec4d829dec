import type { CapabilityDependency, CapabilityId } from '../model/capability.js'
import type { Queryable } from './database.js'
import { epochMs } from './epoch-ms.js'
import type { CapabilityDependencyKey } from './store.js'
import { decodeText, encodeKey } from './stored-text.js'

/**
 * Who adds, names or forgets capabilities, and who writes dependencies, does it alone: names stay apart, and circles open. Uses are noted
 * beside it.
 */
export async function lockCapabilities(transaction: Queryable): Promise<void> {
  await transaction.query('lock table capability_dependency in share row exclusive mode')
}

/** One row, as JSON: the columns in the order in which they are selected. */
type DependencyRow = readonly [
  from: string,
  to: string,
  type: CapabilityDependency['type'],
  count: number,
  successes: number,
  lastSeen: number,
  isManual: boolean,
]

export function selectCapabilityDependencies(database: Queryable): Promise<readonly CapabilityDependency[]> {
  return selectWhere(database, 'true', [])
}

export function selectCapabilityDependenciesOf(
  database: Queryable,
  id: CapabilityId,
): Promise<readonly CapabilityDependency[]> {
  return selectWhere(database, '$1 in (from_id, to_id)', [encodeKey(id)])
}

/** One by one, because each may be a part of the circle that a later one would close. Under the lock of the capabilities. */
export async function addToCapabilityDependencies(
  transaction: Queryable,
  added: readonly CapabilityDependency[],
): Promise<void> {
  for (const { from, to, type, count, successes, lastSeen, isManual } of added)
    await transaction.query(addUnlessClosing, [
      ...[encodeKey(from), encodeKey(to), type],
      ...[count, successes, lastSeen, isManual],
    ])
}

/** Whatever a dependency that is there leads to does not lead back, so that it is never the one that is left out. */
const addUnlessClosing = `
  insert into capability_dependency as known (from_id, to_id, type, count, successes, last_seen, is_manual)
  select $1::text, $2::text, $3::text, $4::integer, $5::integer, to_timestamp($6::double precision / 1000), $7::boolean
  where $1::text <> $2::text
    and exists (select 1 from capability where id = $1::text) and exists (select 1 from capability where id = $2::text)
    and not ($3::text in ('dependency', 'contains') and exists (
      with recursive reached (id) as (
        select $2::text union select to_id from capability_dependency join reached on from_id = id where type = $3::text
      )
      select 1 from reached where id = $1::text
    ))
  on conflict (from_id, to_id, type) do update set count = known.count + excluded.count,
    successes = known.successes + excluded.successes, last_seen = greatest(known.last_seen, excluded.last_seen),
    is_manual = known.is_manual or excluded.is_manual`

export async function deleteCapabilityDependency(
  database: Queryable,
  { from, to, type }: CapabilityDependencyKey,
): Promise<boolean> {
  const deleted = await database.query(
    'delete from capability_dependency where from_id = $1 and to_id = $2 and type = $3 returning 1 as one',
    [encodeKey(from), encodeKey(to), type],
  )
  return deleted.length > 0
}

/** As one text, because the embedded database spends 20 microseconds on each row it hands over (edge-rows.ts). */
async function selectWhere(
  database: Queryable,
  condition: string,
  parameters: readonly string[],
): Promise<readonly CapabilityDependency[]> {
  const [all] = await database.query<{ readonly dependencies: string | null }>(
    `select json_agg(json_build_array(coalesce(whole_from, from_id), coalesce(whole_to, to_id), type, count, successes,
      ${epochMs('last_seen')}, is_manual))::text as dependencies
    from (
      select dependency.*, needing.whole_id as whole_from, needed.whole_id as whole_to
      from capability_dependency as dependency
      join capability as needing on needing.id = from_id join capability as needed on needed.id = to_id
      where ${condition}
      order by from_id collate "C", to_id collate "C", type collate "C"
    ) as dependency`,
    parameters,
  )
  const rows: readonly DependencyRow[] = JSON.parse(all!.dependencies ?? '[]')
  return rows.map(([from, to, type, count, successes, lastSeen, isManual]) => ({
    from: decodeText(from) as CapabilityId,
    to: decodeText(to) as CapabilityId,
    ...{ type, count, successes, lastSeen, isManual },
  }))
}
