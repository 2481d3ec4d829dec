import { existsSync } from 'node:fs'
import { chmod, mkdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Log } from '../model/log.js'
import { createMutex } from './create-mutex.js'
import type { Database } from './database.js'
import { connectPglite } from './pglite-connection.js'
import { runTransaction } from './run-transaction.js'
import { toStoreError } from './to-store-error.js'

export interface PgliteOptions {
  readonly directory: string
  readonly signal: AbortSignal
  onProgress(step: string): void
  readonly log: Log
}

export async function openPglite(options: PgliteOptions): Promise<Database> {
  const { directory, signal, onProgress, log } = options
  if (!existsSync(join(directory, 'PG_VERSION'))) await createPglite(options)
  onProgress('Opening the database')
  const connection = await connectPglite({ directory, signal, log })
  // There is one connection: a statement beside an open transaction would become a part of it.
  const exclusive = createMutex()
  return {
    kind: 'pglite',
    query: (sql, parameters) => exclusive(() => connection.query(sql, parameters)),
    transaction: (work) => exclusive(() => runTransaction(connection, work)),
    execute: (sql, parameters) => exclusive(() => connection.execute(sql, parameters)),
    died: connection.died,
    close: () => exclusive(() => connection.close()),
  }
}

/**
 * Made beside its place and moved there when it is whole: a process killed meanwhile leaves no half of a database.
 * Its worker ends with it, because WebAssembly memory never shrinks: 480 MB would stay resident.
 */
async function createPglite({ directory, signal, onProgress, log }: PgliteOptions): Promise<void> {
  onProgress('Creating the database (first start only, some seconds)')
  const unfinished = `${directory}.new`
  try {
    await mkdir(dirname(directory), { recursive: true, mode: 0o700 })
    await removeEmpty(directory)
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { mode: 0o700 })
    const connection = await connectPglite({ directory: unfinished, signal, log })
    await connection.close()
    await chmod(unfinished, 0o700)
    await rename(unfinished, directory)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true }).catch(() => {})
    throw toStoreError(`No database could be made in ${directory}`, error)
  }
}

/** A folder that holds something is not ours to replace: rmdir refuses it, before the long work. */
async function removeEmpty(directory: string): Promise<void> {
  if (existsSync(directory)) await rmdir(directory)
}
