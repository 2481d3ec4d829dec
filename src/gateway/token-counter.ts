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

interface Waiting {
  resolve(counts: number[]): void
  reject(error: Error): void
}

const idleMs = 2_000

export function createTokenCounter(
  workerUrl: URL = builtUrl('./token-worker.js', import.meta.url),
): TokenCounter {
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let closed = false
  let lastId = 0
  const waiting = new Map<number, Waiting>()

  const fail = (error: Error): void => {
    for (const one of waiting.values()) one.reject(error)
    waiting.clear()
  }

  const open = (): Worker => {
    const opened = new Worker(workerUrl)
    opened.unref()
    opened.on('message', ({ id, counts }: { id: number; counts: number[] }) => {
      waiting.get(id)?.resolve(counts)
      waiting.delete(id)
      if (waiting.size === 0) rest()
    })
    opened.on('error', fail)
    opened.on('exit', () => {
      if (worker === opened) worker = undefined
      fail(new Error('The token counter ended before it had answered.'))
    })
    return opened
  }

  const rest = (): void => {
    clearTimeout(idle)
    idle = setTimeout(() => {
      if (waiting.size > 0) return
      const resting = worker
      worker = undefined
      void resting?.terminate()
    }, idleMs).unref()
  }

  return {
    count(texts) {
      if (texts.length === 0) return Promise.resolve([])
      if (closed) return Promise.reject(new Error('The token counter is closed.'))
      clearTimeout(idle)
      worker ??= open()
      lastId += 1
      const id = lastId
      const answer = new Promise<number[]>((resolve, reject) => waiting.set(id, { resolve, reject }))
      worker.postMessage({ id, texts })
      return answer
    },
    async close() {
      closed = true
      clearTimeout(idle)
      const open = worker
      worker = undefined
      await open?.terminate()
      fail(new Error('The token counter was closed.'))
    },
  }
}
