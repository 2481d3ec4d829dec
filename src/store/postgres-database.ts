import pg from 'pg'
import type { Log } from '../model/log.js'
import type { Database, Parameter, Queryable, Row } from './database.js'
import { runTransaction } from './run-transaction.js'
import { toStoreError } from './to-store-error.js'

/** A gateway writes a few rows per task: more connections would only take them from other replicas. */
const connections = 4
const connectTimeoutMs = 10_000

export function openPostgres({ url, log }: { readonly url: string; readonly log: Log }): Database {
  const pool = createPool(url)
  // Without a listener, an idle connection that the server ends would end the process.
  pool.on('error', (error) => log.warn('An idle database connection broke.', { error: error.message }))
  return {
    kind: 'postgres',
    query: queryable(pool).query,
    async transaction(work) {
      const client = await connect(pool)
      let broken = false
      const onError = () => {
        broken = true
      }
      client.on('error', onError)
      try {
        return await runTransaction(queryable(client), work)
      } finally {
        client.off('error', onError)
        client.release(broken)
      }
    },
    close: once(() => pool.end()),
  }
}

function createPool(url: string): pg.Pool {
  try {
    return new pg.Pool({
      connectionString: url,
      application_name: 'pml',
      max: connections,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    })
  } catch (error) {
    throw toStoreError('The database URL cannot be read', error)
  }
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw toStoreError('PostgreSQL cannot be reached', error)
  }
}

function queryable(connection: pg.Pool | pg.PoolClient): Queryable {
  return {
    async query<R extends Row>(sql: string, parameters: readonly Parameter[] = []) {
      try {
        const { rows } = await connection.query(sql, [...parameters])
        return rows as R[]
      } catch (error) {
        throw toStoreError('PostgreSQL refused a statement', error)
      }
    },
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= work()
    return done
  }
}
