/**
 * Something that takes a look at a whole, by its revision. Promises: `current()` answers at once, with the last that was finished; a newer
 * one is computed in a worker, one at a time, which ends when it is done and so costs no memory; a failure is logged and leaves the
 * last one standing. Never keeps the process alive, but for `settled()`.
 */
import { type TransferListItem, Worker } from 'node:worker_threads'
import type { Log } from '../model/log.js'

export interface WorkerAnalysis<Result> {
  current(): Result
  /** Waits for one that is no older than the whole is now. */
  settled(): Promise<Result>
  close(): Promise<void>
}

export interface WorkerAnalysisOptions<Found, Result> {
  /** Of what is looked at. */
  revision(): number
  /** Before anything was looked at: what there is to say of nothing, which has this revision. */
  readonly first: { readonly revision: number; readonly result: Result }
  /** What the worker is given, and what becomes of its answer. */
  begin(): {
    readonly data: unknown
    readonly transferList: readonly TransferListItem[]
    finish(found: Found): Result
  }
  readonly workerUrl: URL
  /** How long to wait for further changes before computing. */
  readonly debounceMs: number
  /** As the log names it. */
  readonly what: string
  readonly log: Log
}

export function analyseInWorker<Found, Result>(
  options: WorkerAnalysisOptions<Found, Result>,
): WorkerAnalysis<Result> {
  const { debounceMs, workerUrl, what, log } = options
  let latest = options.first
  let running: Run | undefined
  let timer: NodeJS.Timeout | undefined
  let failedRevision: number | undefined
  let closed = false

  const start = (): Run => {
    clearTimeout(timer)
    timer = undefined
    const revision = options.revision()
    const { data, transferList, finish } = options.begin()
    const { found, keepAlive, end } = runWorker<Found>(workerUrl, data, transferList)
    const done = found.then(
      (answer) => {
        running = undefined
        latest = { revision, result: finish(answer) }
      },
      (error: Error) => {
        running = undefined
        failedRevision = revision
        throw error
      },
    )
    // Whoever waits for it is told as well.
    done.catch((error: Error) => {
      if (!closed)
        log.warn(`${what} could not be analysed; the last analysis stays.`, { reason: error.message })
    })
    running = { done, keepAlive, end }
    return running
  }

  return {
    current() {
      const now = options.revision()
      const due = latest.revision !== now && failedRevision !== now
      if (due && running === undefined && !closed) timer ??= setTimeout(start, debounceMs).unref()
      return latest.result
    },
    async settled() {
      const wanted = options.revision()
      while (latest.revision < wanted) {
        if (closed) throw new Error('The analysis is closed.')
        const run = running ?? start()
        run.keepAlive()
        await run.done
      }
      return latest.result
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await running?.end()
    },
  }
}

interface Run {
  readonly done: Promise<void>
  keepAlive(): void
  end(): Promise<unknown>
}

function runWorker<Found>(
  url: URL,
  data: unknown,
  transferList: readonly TransferListItem[],
): { readonly found: Promise<Found>; keepAlive(): void; end(): Promise<unknown> } {
  const worker = new Worker(url, { workerData: data, transferList: [...transferList] })
  worker.unref()
  const found = new Promise<Found>((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('The analysis ended before it was done.')))
  })
  return { found, keepAlive: () => worker.ref(), end: () => worker.terminate() }
}
