import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Tool } from '../model/tool.js'
import { writeSnapshot } from '../store/snapshot.js'
import type { Snapshot, Store } from '../store/store.js'
import type { Upstreams } from './upstreams.js'

export interface PersistOptions {
  readonly dataDirectory: string
  readonly upstreams: Upstreams
  store(): Promise<Store>
  onError(error: unknown): void
}

export interface Persist {
  /** Resolves when everything is stored. */
  now(): Promise<void>
  soon(): void
  /** Within the time that a closing process has; what the store missed it learns from the snapshot at the next start. */
  close(): Promise<void>
}

const saveAfterMs = 200
const closeWithinMs = 500

/**
 * Keeps snapshot and store in step with the catalogue, soon after it changed. The snapshot waits for nobody: the store may
 * take seconds to open, and a client that comes meanwhile should find what was learned.
 */
export function persistCatalogue(options: PersistOptions): Persist {
  const { upstreams, onError } = options
  let timer: NodeJS.Timeout | undefined
  let stored = new Map<string, Tool>()
  let storing: Promise<void> = Promise.resolve()

  const read = (): Snapshot => ({
    tools: upstreams.tools(),
    eras: upstreams.eras(),
    offers: upstreams.offers(),
    tried: upstreams.tried(),
  })
  let saved = read()

  const saveSnapshot = async (): Promise<void> => {
    const snapshot = read()
    await writeSnapshot(options.dataDirectory, snapshot)
    saved = snapshot
  }
  const storeChanges = async (): Promise<void> => {
    const store = await options.store()
    const tools = upstreams.tools()
    const changed = tools.filter((tool) => stored.get(tool.id) !== tool)
    if (changed.length > 0) await store.saveTools(changed)
    await store.saveServers(upstreams.servers())
    stored = new Map(tools.map((tool) => [tool.id, tool]))
  }
  const now = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const next = storing.then(storeChanges)
    storing = next.catch(onError)
    await Promise.all([saveSnapshot(), next])
  }
  return {
    now,
    soon() {
      timer ??= setTimeout(() => void now().catch(onError), saveAfterMs)
    },
    async close() {
      const isDue = timer !== undefined
      clearTimeout(timer)
      timer = undefined
      if (isDue) storing = storing.then(storeChanges).catch(onError)
      // Also what changed so lately that nobody was told, and what is being written at this moment.
      if (!isDeepStrictEqual(read(), saved)) await saveSnapshot().catch(onError)
      await Promise.race([storing, sleep(closeWithinMs, undefined, { ref: false })])
    },
  }
}
