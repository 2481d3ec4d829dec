import { Worker } from 'node:worker_threads'
import { StoreError } from '../errors.js'
import { builtUrl } from '../model/built-url.js'
import type { Log } from '../model/log.js'
import type { Database, Queryable, Row } from './database.js'
import type { PgliteReply, PgliteRequest, PgliteWorkerData } from './pglite-messages.js'
import { toStoreError } from './to-store-error.js'

export interface PgliteConnection extends Queryable, Pick<Database, 'execute' | 'died'> {
  /** The database is shut down and its thread is gone when it resolves. */
  close(): Promise<void>
}

interface Waiting {
  resolve(rows: readonly Row[]): void
  reject(error: StoreError): void
}

type Message = PgliteRequest extends infer R ? (R extends PgliteRequest ? Omit<R, 'id'> : never) : never

/** Starts a worker on a directory; resolves when its database answers. */
export async function connectPglite({
  directory,
  signal,
  log,
}: PgliteWorkerData & { readonly signal: AbortSignal; readonly log: Log }): Promise<PgliteConnection> {
  const worker = startWorker({ directory }, log)
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let closing: Promise<void> | undefined
  let end: StoreError | undefined
  let tellDeath: (reason: StoreError) => void = () => {}
  const death = new Promise<StoreError>((resolve) => {
    tellDeath = resolve
  })

  const ready = new Promise<readonly Row[]>((resolve, reject) => waiting.set(0, { resolve, reject }))
  worker.on('message', (reply: PgliteReply) => {
    const id = reply.type === 'ready' ? 0 : reply.id
    const request = waiting.get(id)
    waiting.delete(id)
    if (reply.type === 'error') request?.reject(refused(reply.message, reply.code))
    else request?.resolve(reply.type === 'rows' ? reply.rows : [])
  })
  worker.on('error', (error) => finish(died(directory, error)))
  worker.on('exit', (code) => finish(died(directory, new Error(`its thread ended with code ${code}`))))

  /** The first reason is the true one: an exit follows every error. */
  function finish(reason: StoreError): void {
    end ??= reason
    for (const request of waiting.values()) request.reject(end)
    waiting.clear()
    if (!closing) tellDeath(end)
  }

  function send(message: Message): Promise<readonly Row[]> {
    if (end) return Promise.reject(end)
    return new Promise((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      worker.postMessage({ ...message, id })
    })
  }

  const giveUp = (): void => finish(closed())
  try {
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    await ready
  } catch (error) {
    await worker.terminate()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
  return {
    died: death,
    query: <R extends Row>(sql: string, parameters = [] as const) =>
      send({ type: 'query', sql, parameters }) as Promise<readonly R[]>,
    async execute(sql, parameters) {
      await send({ type: 'execute', sql, parameters })
    },
    close() {
      closing ??= (async () => {
        try {
          if (!end) await send({ type: 'close' })
        } finally {
          end ??= closed()
          await worker.terminate()
        }
      })()
      return closing
    },
  }
}

/** The process's stdout may be an MCP wire, its flags and its environment are not the worker's business. */
function startWorker(workerData: PgliteWorkerData, log: Log): Worker {
  const worker = new Worker(builtUrl('./pglite-worker.js', import.meta.url), {
    workerData,
    name: 'pml-store',
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  for (const stream of [worker.stdout, worker.stderr]) {
    stream.on('data', (text: Buffer) =>
      log.debug('The embedded database says.', { text: String(text).trimEnd() }),
    )
  }
  return worker
}

function closed(): StoreError {
  return new StoreError('The store is closed.', 'Nothing is saved or read after close().')
}

function refused(message: string, code: string): StoreError {
  return toStoreError(
    'The embedded database refused a statement',
    Object.assign(new Error(message), { code }),
  )
}

function died(directory: string, cause: Error): StoreError {
  return new StoreError(
    `The embedded database in ${directory} stopped: ${cause.message}`,
    `Start PML again. If that does not help, move ${directory} away: a new one is made, without the old runs.`,
    { cause },
  )
}
