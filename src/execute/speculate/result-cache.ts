/**
 * Calls that were run ahead, under way or ready, each for the session it was made for. Bounded in number and in size: what is too much puts
 * the oldest out. Knows nothing of epochs and times; whoever holds it drops what they end.
 */
import type { JsonObject } from '../../model/json.js'
import { jsonLength } from '../../model/json-length.js'
import type { PreparedCall } from '../../model/speculation.js'
import type { ToolId } from '../../model/tool.js'
import type { ToolResult } from '../../model/tool-call.js'
import type { Row } from './ledger.js'

export interface Ahead {
  readonly session: string
  readonly tool: ToolId
  readonly arguments: JsonObject
  readonly key: string
  readonly server: string
  /** Of the server, when it began. */
  readonly epoch: number
  readonly startedAt: number
  readonly row: Row
  /** Never rejects. Undefined: it came to nothing. */
  readonly ended: Promise<ToolResult | undefined>
  stop(): void
  /** It has no limit any more but the server's. */
  keepOn(): void
  /** It was of use, and so no waste. */
  used(): void
  /** Somebody waits for it, and nobody else may. */
  isTaken: boolean
  ready?: Ready
}

export interface Ready {
  readonly result: ToolResult
  readonly tookMs: number
  readonly expiresAt: number
}

export interface ResultCache {
  readonly size: number
  add(ahead: Ahead): void
  find(session: string, key: string): Ahead | undefined
  holds(ahead: Ahead): boolean
  /** False: it is too large to be kept, and is put out. */
  keep(ahead: Ahead, ready: Ready): boolean
  /** Without a word to anybody: it is being used. */
  remove(ahead: Ahead): void
  /** Puts out whatever this says. */
  drop(isToGo: (ahead: Ahead) => boolean): void
  prepared(session: string, isFit: (ahead: Ahead) => boolean): readonly PreparedCall[]
}

/** In characters of JSON, which is about what a text takes in memory. */
const mostBytes = 64 * 1024 * 1024
const largestResult = 4 * 1024 * 1024
/** Three at once for ten minutes would be more; so many nobody asks for. */
const mostKept = 500

export function createResultCache({ onOut }: { onOut(ahead: Ahead): void }): ResultCache {
  /** Oldest first. */
  const sizes = new Map<Ahead, number>()
  const sessions = new Map<string, Map<string, Ahead>>()
  let bytes = 0

  const remove = (ahead: Ahead): void => {
    const size = sizes.get(ahead)
    if (size === undefined) return
    bytes -= size
    sizes.delete(ahead)
    const ofSession = sessions.get(ahead.session)!
    ofSession.delete(ahead.key)
    if (ofSession.size === 0) sessions.delete(ahead.session)
  }
  const putOut = (ahead: Ahead): void => {
    remove(ahead)
    onOut(ahead)
  }
  const makeRoom = (): void => {
    while (bytes > mostBytes || sizes.size > mostKept) putOut(sizes.keys().next().value!)
  }
  return {
    get size() {
      return sizes.size
    },
    add(ahead) {
      const ofSession = sessions.get(ahead.session) ?? new Map<string, Ahead>()
      sessions.set(ahead.session, ofSession.set(ahead.key, ahead))
      sizes.set(ahead, ahead.key.length)
      bytes += ahead.key.length
      makeRoom()
    },
    find: (session, key) => sessions.get(session)?.get(key),
    holds: (ahead) => sizes.has(ahead),
    keep(ahead, ready) {
      const length = jsonLength(ready.result, largestResult)
      if (length >= largestResult) {
        putOut(ahead)
        return false
      }
      ahead.ready = ready
      const size = sizes.get(ahead)!
      sizes.set(ahead, size + length)
      bytes += length
      makeRoom()
      return true
    },
    remove,
    drop(isToGo) {
      for (const ahead of sizes.keys()) if (isToGo(ahead)) putOut(ahead)
    },
    prepared: (session, isFit) =>
      [...(sessions.get(session)?.values() ?? [])].filter(isFit).map(({ tool, arguments: args, ready }) => ({
        tool,
        arguments: args,
        isReady: ready !== undefined,
      })),
  }
}
