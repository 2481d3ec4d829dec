import type { Queryable } from './database.js'

/** One transaction on a connection that nobody else uses meanwhile. */
export async function runTransaction<T>(
  connection: Queryable,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  let failure: { readonly error: unknown } | undefined
  const transaction: Queryable = {
    async query(sql, parameters) {
      try {
        return await connection.query(sql, parameters)
      } catch (error) {
        failure ??= { error }
        throw error
      }
    },
  }
  await connection.query('begin')
  try {
    const result = await work(transaction)
    // COMMIT after a failed statement rolls back and reports success: a caught error must not become a silent loss.
    if (failure) throw failure.error
    await connection.query('commit')
    return result
  } catch (error) {
    await connection.query('rollback').catch(() => {})
    throw error
  }
}
