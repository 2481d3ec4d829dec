import { Worker } from 'node:worker_threads'
import { builtUrl } from '../model/built-url.js'

/**
 * Exact o200k counts, off the main thread: the encoding takes 190 ms and 60 MB to load, so a worker loads it when there is
 * something to count and ends after `idleMs` without work, which gives the memory back.
 */
export interface TokenCounter {
  count(texts: readonly string[]): Promise<number[]>
  close(): Promise<void>
}

const idleMs = 2_000

export function createTokenCounter(
  workerUrl: URL = builtUrl('./token-worker.js', import.meta.url),
): TokenCounter {
  let current: CountingWorker | undefined
  let idle: NodeJS.Timeout | undefined
  let closed = false

  const open = (): CountingWorker => {
    const opened = openWorker(workerUrl, {
      onIdle() {
        clearTimeout(idle)
        idle = setTimeout(() => {
          current = undefined
          void opened.end()
        }, idleMs).unref()
      },
      onExit() {
        if (current === opened) current = undefined
      },
    })
    return opened
  }

  return {
    count(texts) {
      if (texts.length === 0) return Promise.resolve([])
      if (closed) return Promise.reject(new Error('The token counter is closed.'))
      clearTimeout(idle)
      current ??= open()
      return current.count(texts)
    },
    async close() {
      closed = true
      clearTimeout(idle)
      await current?.end()
    },
  }
}

interface CountingWorker {
  count(texts: readonly string[]): Promise<number[]>
  end(): Promise<unknown>
}

interface Waiting {
  resolve(counts: number[]): void
  reject(error: Error): void
}

/** A worker with those who wait for it: its end is theirs, and not of those who wait for the next one. */
function openWorker(url: URL, handlers: { onIdle(): void; onExit(): void }): CountingWorker {
  const worker = new Worker(url)
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  const fail = (error: Error): void => {
    for (const one of waiting.values()) one.reject(error)
    waiting.clear()
  }
  worker.unref()
  worker.on('message', ({ id, counts }: { id: number; counts: number[] }) => {
    waiting.get(id)?.resolve(counts)
    waiting.delete(id)
    if (waiting.size === 0) handlers.onIdle()
  })
  worker.on('error', fail)
  worker.on('exit', () => {
    handlers.onExit()
    fail(new Error('The token counter ended before it had answered.'))
  })
  return {
    count(texts) {
      lastId += 1
      const id = lastId
      const answer = new Promise<number[]>((resolve, reject) => waiting.set(id, { resolve, reject }))
      worker.postMessage({ id, texts })
      return answer
    },
    end: () => worker.terminate(),
  }
}
