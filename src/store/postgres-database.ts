import pg from 'pg'
import type { StoreError } from '../errors.js'
import type { Log } from '../model/log.js'
import { withinMs } from '../model/within-ms.js'
import type { Database, Parameter, Queryable, Row } from './database.js'
import { runTransaction } from './run-transaction.js'
import { toStoreError } from './to-store-error.js'

/** A gateway writes a few rows per task: more connections would only take them from other replicas. */
const connections = 4
const connectTimeoutMs = 10_000
/**
 * A server that is frozen, or gone without a word, answers nothing: TCP would notice after 15 minutes and more. The longest
 * statements of ours, the whole graph anew, take seconds.
 */
const answerTimeoutMs = 30_000
const closeTimeoutMs = 5_000

interface PoolOptions {
  readonly url: string
  readonly log: Log
  readonly answerWithinMs: number
}

export function openPostgres(options: { readonly url: string; readonly log: Log }): Database {
  return openPool({ ...options, answerWithinMs: answerTimeoutMs })
}

/** Apart, so that a test need not wait as long as a user would. */
export function openPool({ url, log, answerWithinMs }: PoolOptions): Database {
  const pool = createPool(url, answerWithinMs)
  const { query } = queryable(pool)
  // Without a listener, an idle connection that the server ends would end the process.
  pool.on('error', (error) => log.warn('An idle database connection broke.', { error: error.message }))
  return {
    kind: 'postgres',
    query,
    async execute(sql, parameters) {
      await query(sql, parameters)
    },
    died: new Promise(() => {}),
    async transaction(work) {
      const client = await connect(pool)
      let broken = false
      const onError = () => {
        broken = true
      }
      client.on('error', onError)
      try {
        return await runTransaction(queryable(client), work)
      } catch (error) {
        // What the server did not answer it may answer late: the next one must not get its answers.
        broken ||= !isRefusal(error)
        throw error
      } finally {
        client.off('error', onError)
        client.release(broken)
      }
    },
    // A server that is frozen does not even say good-bye.
    close: once(() => withinMs(pool.end(), closeTimeoutMs, undefined)),
  }
}

function createPool(url: string, answerWithinMs: number): pg.Pool {
  try {
    return new pg.Pool({
      connectionString: url,
      application_name: 'pml',
      max: connections,
      connectionTimeoutMillis: Math.min(connectTimeoutMs, answerWithinMs),
      query_timeout: answerWithinMs,
      keepAlive: true,
    })
  } catch (error) {
    throw toStoreError('The database URL cannot be read', error)
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.cause instanceof pg.DatabaseError
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw unreachable(error)
  }
}

/** A connection that broke, a time that ran out: most of these come without a code. */
function unreachable(error: unknown): StoreError {
  return toStoreError('PostgreSQL cannot be reached', error, 'Check that the database server is up.')
}

function queryable(connection: pg.Pool | pg.PoolClient): Queryable {
  return {
    async query<R extends Row>(sql: string, parameters: readonly Parameter[] = []) {
      try {
        const { rows } = await connection.query(sql, [...parameters])
        return rows as R[]
      } catch (error) {
        throw error instanceof pg.DatabaseError
          ? toStoreError('PostgreSQL refused a statement', error)
          : unreachable(error)
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
