/**
 * Results of capabilities whose tools are all safe, by capability and arguments, for a while. Bounded in number and in size: what is too
 * much puts the oldest out. Whether a capability may be kept at all is the caller's to say.
 */
import type { CapabilityId } from '../model/capability.js'
import { hashArguments } from '../model/hash-arguments.js'
import type { Json, JsonObject } from '../model/json.js'
import { jsonLength } from '../model/json-length.js'

export interface CapabilityResultCache {
  readonly size: number
  /** Undefined: there is none, or it is too old. */
  get(id: CapabilityId, args: JsonObject): { readonly value: Json; readonly keptAt: number } | undefined
  keep(id: CapabilityId, args: JsonObject, result: KeptResult): void
  /** Whatever came of calls to this server: something there may have changed. */
  drop(server: string): void
  /** Everything of one capability. */
  forget(id: CapabilityId): void
  clear(): void
}

export interface KeptResult {
  readonly value: Json
  /** That it was made from. */
  readonly servers: Iterable<string>
  /** 60 s where it is not said. */
  readonly timeToLiveMs?: number
}

export interface ResultCacheOptions {
  readonly now: () => number
  /** Results at most. */
  readonly most: number
}

export function createResultCache({ now, most }: ResultCacheOptions): CapabilityResultCache {
  /** Oldest first. */
  const entries = new Map<string, Entry>()
  let characters = 0

  const remove = (key: string): void => {
    characters -= entries.get(key)?.characters ?? 0
    entries.delete(key)
  }
  const removeWhere = (isToGo: (entry: Entry) => boolean): void => {
    for (const [key, entry] of entries) if (isToGo(entry)) remove(key)
  }
  return {
    get size() {
      return entries.size
    },
    get(id, args) {
      const key = keyOf(id, args)
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (now() < entry.expiresAt) return { value: entry.value, keptAt: entry.keptAt }
      remove(key)
      return undefined
    },
    keep(id, args, { value, servers, timeToLiveMs = defaultTimeToLiveMs }) {
      const key = keyOf(id, args)
      remove(key)
      const length = jsonLength(value, largestResult)
      if (length >= largestResult || timeToLiveMs <= 0) return
      const keptAt = now()
      const entry = { id, value, servers: new Set(servers), characters: length + key.length }
      entries.set(key, { ...entry, keptAt, expiresAt: keptAt + timeToLiveMs })
      characters += length + key.length
      while (entries.size > most || characters > mostCharacters) remove(entries.keys().next().value!)
    },
    drop: (server) => removeWhere(({ servers }) => servers.has(server)),
    forget: (id) => removeWhere((entry) => entry.id === id),
    clear() {
      entries.clear()
      characters = 0
    },
  }
}

interface Entry {
  readonly id: CapabilityId
  readonly value: Json
  readonly servers: ReadonlySet<string>
  readonly characters: number
  readonly keptAt: number
  readonly expiresAt: number
}

const defaultTimeToLiveMs = 60_000
/** In characters of JSON, which is about what a text takes in memory. */
const mostCharacters = 32 * 1024 * 1024
const largestResult = 2 * 1024 * 1024

function keyOf(id: CapabilityId, args: JsonObject): string {
  return `${id} ${hashArguments(args)}`
}
