/** The thread that holds the embedded database: WebAssembly blocks its thread while it works, so it is not the gateway's. */
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, protocol } from '@electric-sql/pglite'
import type { PgliteReply, PgliteRequest, PgliteWorkerData } from './pglite-messages.js'
import { toLiteral } from './to-literal.js'

const { directory } = workerData as PgliteWorkerData
const port = parentPort!

// The default of 128 MB of shared buffers is touched at start: 331 MB resident instead of 186.
// Segments of the write-ahead log that are done with are kept for use again, 80 MB of them by default.
const startParams = [
  ...PGlite.defaultStartParams,
  ...['-c', 'shared_buffers=8MB'],
  ...['-c', 'min_wal_size=32MB'],
]
/** SQL -> the name under which it is prepared. */
const statements = new Map<string, string>()
let isCutOff = false
const database = await PGlite.create({ dataDir: directory, startParams })

port.on('message', async (request: PgliteRequest) => {
  const given = await answer(request)
  reply(given)
  // A refusal has an SQLSTATE. Without one something broke, and a database that is not whole had better be opened anew.
  if (given.type === 'error' && given.code === '' && (isCutOff || !(await isAlive()))) process.exit(1)
})
reply({ type: 'ready' })

async function answer(request: PgliteRequest): Promise<PgliteReply> {
  const { id } = request
  try {
    if (request.type === 'close') {
      await database.close()
      return { type: 'rows', id, rows: [] }
    }
    if (request.type === 'execute') {
      await execute(request.sql, request.parameters.map(toLiteral))
      return { type: 'rows', id, rows: [] }
    }
    const { rows, command } = await database.query<Record<string, unknown>>(request.sql, [
      ...request.parameters,
    ])
    if (command === undefined) throw cutOff()
    return { type: 'rows', id, rows }
  } catch (error) {
    const { message, code } = error as { readonly message?: string; readonly code?: string }
    return { type: 'error', id, message: message ?? String(error), code: code ?? '' }
  }
}

async function isAlive(): Promise<boolean> {
  try {
    return (await database.query('select 1')).rows.length === 1
  } catch (error) {
    // In a transaction that has failed every statement is refused.
    return Boolean((error as { readonly code?: string }).code)
  }
}

/**
 * `query` parses, describes and plans each time, which is most of the time that a small statement takes (0.5 of 1 ms for a
 * checkpoint). Here that is done once: the statement keeps its name on the one connection there is.
 */
async function execute(sql: string, values: (string | null)[]): Promise<void> {
  await database.runExclusive(async () => {
    const { parse, bind, execute, sync } = protocol.serialize
    let name = statements.get(sql)
    if (name === undefined) {
      name = `statement_${statements.size}`
      await database.execProtocol(Buffer.concat([parse({ name, text: sql }), sync()]))
      statements.set(sql, name)
    }
    const { messages } = await database.execProtocol(
      Buffer.concat([bind({ statement: name, values }), execute({}), sync()]),
    )
    if (!messages.some((message) => message.name === 'commandComplete')) throw cutOff()
  })
}

/**
 * PGlite swallows an overflow of WebAssembly's stack: a statement without an end did not happen. What it was doing is never cleaned
 * up: the next one to overflow runs for ever, and everybody behind it waits.
 */
function cutOff(): Error {
  isCutOff = true
  return new Error('a statement was cut off')
}

function reply(message: PgliteReply): void {
  port.postMessage(message)
}
