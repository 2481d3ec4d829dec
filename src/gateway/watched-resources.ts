/** Who watches which resource. A server is asked to watch one for us as long as somebody here does. */
import { ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { Log } from '../model/log.js'
import type { OffersView } from './offers-view.js'

export interface WatchedResources {
  /** Rejects when no server has it, or the one that has it refuses. */
  watch(watcher: object, uri: string): Promise<void>
  /** The same for what may come later: it is tried again whenever `retry` is called. */
  watchWhenThere(watcher: object, uri: string): Promise<void>
  /** Servers or what they offer have changed. */
  retry(): void
  unwatch(watcher: object, uri: string): void
  /** The watcher is gone. */
  drop(watcher: object): void
  isWatched(watcher: object, uri: string): boolean
}

export interface WatchedResourcesOptions {
  readonly offers: OffersView
  watch(server: string, uri: string): Promise<() => void>
  /** Waits, within bounds, for servers that have never been seen. */
  firstSettled(): Promise<void>
  readonly log: Log
}

export function createWatchedResources(options: WatchedResourcesOptions): WatchedResources {
  const { offers, watch, log } = options
  /** By watcher and address: what ends it. */
  const watching = new Map<object, Map<string, Promise<() => void>>>()
  /** What nobody could watch yet. */
  const wanted = new Map<object, Set<string>>()

  const start = async (uri: string): Promise<() => void> => {
    let refusal: unknown
    if (offers.findResource(uri).length === 0) await options.firstSettled()
    for (const { server, name } of offers.findResource(uri)) {
      try {
        return await watch(server, name)
      } catch (error) {
        refusal ??= error
      }
    }
    throw refusal ?? new ResourceNotFoundError(uri)
  }
  const stop = (ending: Promise<() => void> | undefined): void => {
    ending?.then((end) => end()).catch(() => {})
  }

  const begin = async (watcher: object, uri: string): Promise<void> => {
    const mine = watching.get(watcher) ?? new Map<string, Promise<() => void>>()
    watching.set(watcher, mine)
    const known = mine.get(uri)
    if (known !== undefined) return void (await known)
    const started = start(uri)
    mine.set(uri, started)
    try {
      await started
    } catch (error) {
      if (mine.get(uri) === started) mine.delete(uri)
      log.debug('a resource is not watched', { uri, error: String(error) })
      throw error
    }
  }
  const beginWhenThere = async (watcher: object, uri: string): Promise<void> => {
    const mine = wanted.get(watcher) ?? new Set<string>()
    wanted.set(watcher, mine)
    mine.add(uri)
    await begin(watcher, uri).then(
      () => mine.delete(uri),
      () => {},
    )
  }

  return {
    watch: begin,
    watchWhenThere: beginWhenThere,
    retry() {
      for (const [watcher, uris] of wanted) for (const uri of uris) void beginWhenThere(watcher, uri)
    },
    unwatch(watcher, uri) {
      const mine = watching.get(watcher)
      stop(mine?.get(uri))
      mine?.delete(uri)
    },
    drop(watcher) {
      for (const ending of watching.get(watcher)?.values() ?? []) stop(ending)
      watching.delete(watcher)
      wanted.delete(watcher)
    },
    isWatched: (watcher, uri) => watching.get(watcher)?.has(uri) ?? false,
  }
}
