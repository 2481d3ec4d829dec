/** The thread that holds the embedded database: WebAssembly blocks its thread while it works, so it is not the gateway's. */
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import type { PgliteReply, PgliteRequest, PgliteWorkerData } from './pglite-messages.js'

const { directory } = workerData as PgliteWorkerData
const port = parentPort!

// The default of 128 MB of shared buffers is touched at start: 331 MB resident instead of 186.
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=8MB']
const database = await PGlite.create({ dataDir: directory, startParams })

port.on('message', async (request: PgliteRequest) => {
  reply(await answer(request))
})
reply({ type: 'ready' })

async function answer(request: PgliteRequest): Promise<PgliteReply> {
  const { id } = request
  try {
    if (request.type === 'close') {
      await database.close()
      return { type: 'rows', id, rows: [] }
    }
    const { rows, command } = await database.query<Record<string, unknown>>(request.sql, [
      ...request.parameters,
    ])
    // PGlite swallows an overflow of WebAssembly's stack: a statement without an end did not happen.
    if (command === undefined) throw new Error('a statement was cut off')
    return { type: 'rows', id, rows }
  } catch (error) {
    const { message, code } = error as { readonly message?: string; readonly code?: string }
    return { type: 'error', id, message: message ?? String(error), code: code ?? '' }
  }
}

function reply(message: PgliteReply): void {
  port.postMessage(message)
}
