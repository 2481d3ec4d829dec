import { join } from 'node:path'
import type { Log } from '../model/log.js'
import type { Database } from './database.js'
import { migrate } from './migrate.js'
import { migrations } from './migrations.js'
import { SqlStore } from './sql-store.js'
import type { Store } from './store.js'

export interface OpenStoreOptions {
  readonly dataDirectory: string
  /** A PostgreSQL to use instead of the embedded database. */
  readonly databaseUrl?: string | undefined
  /** Gives up an embedded database that is still opening; an open store is closed instead. */
  readonly signal: AbortSignal
  onProgress(step: string): void
  readonly log: Log
}

/** The embedded database has no lock of its own: its data directory must be held (holder/) before this is called. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const database = await openDatabase(options)
  try {
    await migrate(database, migrations, options.onProgress)
    return new SqlStore(database)
  } catch (error) {
    await database.close().catch(() => {})
    throw error
  }
}

async function openDatabase({
  dataDirectory,
  databaseUrl,
  signal,
  onProgress,
  log,
}: OpenStoreOptions): Promise<Database> {
  if (databaseUrl !== undefined) {
    const { openPostgres } = await import('./postgres-database.js')
    return openPostgres({ url: databaseUrl, log })
  }
  const { openPglite } = await import('./pglite-database.js')
  return openPglite({ directory: join(dataDirectory, 'db'), signal, onProgress, log })
}
