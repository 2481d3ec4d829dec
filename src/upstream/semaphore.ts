/** So many at once; the others wait in the order they came, and can stop waiting. */
export interface Semaphore {
  /**
   * Resolves with the function that gives the place back; calling it twice does no harm. Who has to wait is handed a
   * function that tells how many are before it.
   */
  acquire(signal: AbortSignal, onWait?: (ahead: () => number) => void): Promise<() => void>
  /** A place at once, or undefined. */
  tryAcquire(): (() => void) | undefined
}

export function createSemaphore(places: number): Semaphore {
  let free = Math.max(1, places)
  const waiting = new Set<() => void>()

  const releaser = (): (() => void) => {
    let given = true
    return () => {
      if (!given) return
      given = false
      free += 1
      const [next] = waiting
      next?.()
    }
  }

  const tryAcquire = (): (() => void) | undefined => {
    if (free === 0) return undefined
    free -= 1
    return releaser()
  }

  return {
    tryAcquire,
    acquire(signal, onWait) {
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.delete(enter)
          signal.removeEventListener('abort', onAbort)
        }
        const onAbort = (): void => {
          leave()
          reject(signal.reason)
        }
        const enter = (): void => {
          leave()
          resolve(tryAcquire()!)
        }
        if (signal.aborted) return onAbort()
        // A place is handed on as it is given back, so while anyone waits none is free: nobody overtakes.
        if (free > 0) return resolve(tryAcquire()!)
        waiting.add(enter)
        onWait?.(() => Math.max(0, [...waiting].indexOf(enter)))
        signal.addEventListener('abort', onAbort)
      })
    },
  }
}
