import { StoreError } from '../errors.js'
import type { Database, Queryable } from './database.js'
import type { Migration } from './migrations.js'

/** Any constant would do; ours is the ASCII of "pml". */
const lockKey = 0x706d6c

/**
 * Brings the schema up to date, one transaction per migration. Each takes the same advisory lock and looks again, so
 * that replicas which start together apply every migration once.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  onProgress: (step: string) => void,
): Promise<void> {
  const newest = migrations.at(-1)?.version ?? 0
  let version = await database.transaction((transaction) => currentVersion(transaction))
  if (version > newest) throw newerDatabase(version, newest)
  for (const migration of migrations.filter((candidate) => candidate.version > version)) {
    onProgress(`Updating the database: ${migration.name}`)
    version = await database.transaction((transaction) => applyOnce(transaction, migration))
  }
}

async function applyOnce(transaction: Queryable, migration: Migration): Promise<number> {
  const version = await currentVersion(transaction)
  if (version >= migration.version) return version
  for (const statement of migration.statements) await transaction.query(statement)
  await transaction.query('insert into pml_migration (version, name) values ($1, $2)', [
    migration.version,
    migration.name,
  ])
  return migration.version
}

async function currentVersion(transaction: Queryable): Promise<number> {
  await transaction.query('select pg_advisory_xact_lock($1::integer::bigint)', [lockKey])
  await transaction.query(
    `create table if not exists pml_migration (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`,
  )
  const [row] = await transaction.query<{ readonly version: number }>(
    'select coalesce(max(version), 0) as version from pml_migration',
  )
  return row!.version
}

function newerDatabase(version: number, newest: number): StoreError {
  return new StoreError(
    `The database is at version ${version}, made by a newer PML; this one knows versions up to ${newest}.`,
    'Update PML, or give it another data directory (PML_HOME) or database.',
  )
}
