import { StoreError } from '../errors.js'
import { type OpenStoreOptions, openStore } from './open-store.js'
import type { Store } from './store.js'

export interface LateStoreOptions extends Omit<OpenStoreOptions, 'signal'> {
  /** Done before anybody else gets the store; again with each one that is opened in the place of one that died. */
  onOpen(store: Store): Promise<void>
  onTrouble(error: unknown): void
}

export interface LateStore {
  /** The store, or why the last attempt to open it failed; before the first attempt it is waited for. */
  current(): Promise<Store>
  open(): void
  close(): Promise<void>
}

const firstReopenMs = 1_000
const slowestReopenMs = 30_000

/**
 * A store that is opened when the time has come, and again while that fails: a database may come up after us. One that dies is opened
 * anew in the same way; until then everyone who asks is told why.
 */
export function createLateStore(options: LateStoreOptions): LateStore {
  const givenUp = new AbortController()
  let begin: (store: Promise<Store>) => void = () => {}
  let attempt = new Promise<Store>((resolve) => {
    begin = resolve
  })
  // Nobody may be waiting for it.
  attempt.catch(() => {})
  let begun = false
  let retry: NodeJS.Timeout | undefined

  const open = (delayMs: number): void => {
    begun = true
    attempt = openStore({ ...options, signal: givenUp.signal }).then(async (store) => {
      try {
        await options.onOpen(store)
        return store
      } catch (error) {
        // The next attempt must not find this one on the same directory.
        await store.close().catch(() => {})
        throw error
      }
    })
    begin(attempt)
    attempt.then(
      (store) => reopenAfterDeath(store, delayMs),
      (error: unknown) => openLater(error, delayMs),
    )
  }

  const reopenAfterDeath = async (store: Store, delayMs: number): Promise<void> => {
    const openedAt = performance.now()
    const error = await store.died
    if (givenUp.signal.aborted) return
    attempt = Promise.reject(error)
    attempt.catch(() => {})
    await store.close().catch(() => {})
    // One that dies again and again is not opened ten times a second.
    openLater(error, performance.now() - openedAt > slowestReopenMs ? firstReopenMs : delayMs)
  }

  const openLater = (error: unknown, delayMs: number): void => {
    if (givenUp.signal.aborted) return
    options.onTrouble(error)
    retry = setTimeout(open, delayMs, Math.min(delayMs * 2, slowestReopenMs))
  }

  return {
    current: () => attempt,
    open: () => open(firstReopenMs),
    async close() {
      givenUp.abort()
      clearTimeout(retry)
      if (!begun)
        return begin(
          Promise.reject(
            new StoreError('The gateway closed before its store was opened.', 'Start it again.'),
          ),
        )
      await attempt.then(
        (store) => store.close(),
        () => {},
      )
    },
  }
}
