import type { Log } from '../../model/log.js'
import { unlessAborted } from '../../model/unless-aborted.js'
import { withinMs } from '../../model/within-ms.js'
import type { Store } from '../../store/store.js'

export interface BatchesOptions<Item> {
  /** Opens in the background; may be away for a while. */
  store(): Promise<Store>
  write(items: readonly Item[], store: Store): Promise<void>
  /** Of two with the same key only the later is written. */
  keyOf(item: Item): string
  /** In the plural, for the log. */
  readonly what: string
  readonly log: Log
}

export interface Batches<Item> {
  /** Costs microseconds: writing comes later, on nobody's path. */
  add(item: Item): void
  /** Forgets what is not written yet. */
  clear(): void
  /** Writes what waits. Never rejects: what could not be written is kept for the next time. */
  flush(): Promise<void>
  /** Within a second. */
  close(): Promise<void>
}

/** DESIGN 9: batches of at most 50 or 5 s; sooner where nothing more comes. */
const mostTogether = 50
const latestMs = 5_000
const idleMs = 250
/** What a database that is away for a while misses: some megabytes. */
const mostWaiting = 5_000
/** A process is gone within 2 s of being asked to end; a store that is still opening then is not waited for. */
const closeWithinMs = 1_000
const storeWithinMs = 250

/** Records on their way to the store: together, off the path of who makes them, and bounded where the store is away. */
export function createBatches<Item>(options: BatchesOptions<Item>): Batches<Item> {
  const { store, write, keyOf, what, log } = options
  /** Oldest first. */
  let waiting = new Map<string, Item>()
  let dropped = 0
  /** The last attempt failed: it is tried again after a while, however many come. */
  let isAway = false
  let idle: NodeJS.Timeout | undefined
  let latest: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let isClosed = false
  const closing = new AbortController()

  const dropOldest = (): void => {
    for (const key of waiting.keys()) {
      if (waiting.size <= mostWaiting) return
      waiting.delete(key)
      dropped += 1
      if (dropped === 1) log.warn(`Too many ${what} wait for the store: the oldest are dropped.`)
    }
  }
  const takeBatch = (): readonly [string, Item][] => {
    const batch: [string, Item][] = []
    for (const entry of waiting) {
      if (batch.length === mostTogether) break
      batch.push(entry)
    }
    for (const [key] of batch) waiting.delete(key)
    return batch
  }
  const writeAll = async (): Promise<void> => {
    const open = await unlessAborted(store(), closing.signal)
    // What comes meanwhile waits for the next time, or a flood would be written in twos and threes.
    for (let left = waiting.size; left > 0 && waiting.size > 0; left -= mostTogether) {
      const batch = takeBatch()
      try {
        await write(
          batch.map(([, item]) => item),
          open,
        )
      } catch (error) {
        // What came meanwhile under the same key is newer.
        waiting = new Map([...batch, ...waiting])
        dropOldest()
        throw error
      }
    }
    isAway = false
    if (dropped > 0) log.warn(`Some ${what} were dropped while the store was away.`, { dropped })
    dropped = 0
  }
  const stopTimers = (): void => {
    clearTimeout(idle)
    clearTimeout(latest)
    idle = undefined
    latest = undefined
  }
  const soon = (before: NodeJS.Timeout | undefined, ms: number): NodeJS.Timeout => {
    clearTimeout(before)
    return setTimeout(flush, ms).unref()
  }
  const flush = (): Promise<void> => {
    stopTimers()
    writing ??= writeAll()
      .catch((error: unknown) => {
        isAway = true
        log.debug(`${what} are not stored yet`, { waiting: waiting.size, error: String(error) })
        if (!isClosed) latest ??= setTimeout(flush, latestMs).unref()
      })
      .finally(() => {
        writing = undefined
      })
    return writing
  }

  return {
    add(item) {
      if (isClosed) return
      waiting.set(keyOf(item), item)
      if (waiting.size > mostWaiting) dropOldest()
      latest ??= setTimeout(flush, latestMs).unref()
      if (isAway || writing !== undefined) return
      if (waiting.size === mostTogether) idle = soon(idle, 0)
      else if (waiting.size > mostTogether) return
      else if (idle === undefined) idle = soon(idle, idleMs)
      else idle.refresh()
    },
    clear() {
      waiting.clear()
    },
    flush,
    async close() {
      isClosed = true
      const giveUp = setTimeout(() => closing.abort(new Error('The store is not open.')), storeWithinMs)
      await withinMs(
        (async () => {
          await writing
          if (waiting.size > 0) await flush()
        })(),
        closeWithinMs,
        undefined,
      )
      clearTimeout(giveUp)
      stopTimers()
      if (waiting.size > 0) log.warn(`Not all ${what} were stored.`, { left: waiting.size })
    },
  }
}
