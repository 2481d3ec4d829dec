/**
 * Takes up changes of the configuration while the gateway runs. The directory is watched, not the file: editors replace
 * a file by renaming another over it, and a watch on the old inode would hear nothing more. Where the directory's events
 * do not arrive (network drives, a linked file, a folder that was replaced), a slow look at the file finds the change.
 */
import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { ConfigError } from '../errors.js'
import type { PmlConfig } from '../model/config.js'

export interface ConfigWatch {
  /** Reads the file again though it has not changed: something it refers to has. */
  again(): Promise<void>
  close(): void
}

export interface ConfigListeners<Config = PmlConfig> {
  onConfig(config: Config): void
  /** The content is invalid or the file is gone; the configuration in force stays. */
  onError(error: Error): void
}

/** Long enough for an editor to finish its writes, short enough to feel immediate. */
const settleMs = 100
const defaultPollMs = 2000
/** Some editors delete the file before they write it again. */
const goneForMs = 1000

/**
 * Watches the file that was read; or, where there was none, all places where one may be made: the first that has a file
 * counts, so a first configuration is taken up as it is written.
 */
export function watchConfig<Config = PmlConfig>(
  places: readonly [string, ...string[]],
  load: () => Promise<Config>,
  listeners: ConfigListeners<Config>,
  { pollMs = defaultPollMs }: { readonly pollMs?: number } = {},
): ConfigWatch {
  let closed = false
  let seen: string | undefined
  let file = places[0]
  let missingSince: number | undefined
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> = start()

  const names = new Set(places.map((place) => basename(place)))
  const watchers = [...new Set(places.map((place) => dirname(place)))].map((folder) =>
    watchDirectory(folder, (name) => {
      if (name === null || names.has(name)) soon()
    }),
  )
  const poll = setInterval(soon, pollMs)
  poll.unref()

  return {
    async again() {
      seen = undefined
      looking = looking.then(look)
      await looking
    },
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(poll)
      for (const watcher of watchers) watcher?.close()
    },
  }

  async function start(): Promise<void> {
    // Of several places none was read: whatever is there now is new.
    if (places.length === 1) seen = await signature(places[0])
  }

  async function current(): Promise<string | undefined> {
    for (const place of places) {
      const found = await signature(place)
      if (found === undefined) continue
      file = place
      return places.length === 1 ? found : `${place} ${found}`
    }
    return undefined
  }

  /** Every further event begins the wait anew, so a burst of writes is one load. */
  function soon(): void {
    if (closed) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      looking = looking.then(look)
    }, settleMs)
    timer.unref()
  }

  async function look(): Promise<void> {
    const now = await current()
    if (closed || now === seen) return
    if (now === undefined) return lookForMissing()
    missingSince = undefined
    seen = now
    try {
      const config = await load()
      if (!closed) listeners.onConfig(config)
    } catch (error) {
      if (!closed) listeners.onError(error as Error)
    }
    // Written again while it was read: what was loaded may be the older half.
    if ((await current()) !== seen) soon()
  }

  function lookForMissing(): void {
    missingSince ??= Date.now()
    if (Date.now() - missingSince < goneForMs) {
      timer = setTimeout(soon, goneForMs)
      timer.unref()
      return
    }
    seen = undefined
    listeners.onError(
      new ConfigError(file, undefined, 'the file is gone or empty; the configuration read before stays'),
    )
  }
}

function watchDirectory(directory: string, onEvent: (name: string | null) => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, (_, name) => onEvent(name))
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    return undefined
  }
}

/** Changes with every write and every replacement; undefined when there is no such file, or one that is still to be written. */
async function signature(file: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs } = await stat(file, { bigint: true })
    return size === 0n ? undefined : `${ino} ${size} ${mtimeNs}`
  } catch {
    return undefined
  }
}
