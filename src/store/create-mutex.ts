export type Mutex = <T>(work: () => Promise<T>) => Promise<T>

/** One piece of work at a time, in the order of asking; one that fails holds up nobody. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}
