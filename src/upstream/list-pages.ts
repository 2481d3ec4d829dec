import { UpstreamError } from '../errors.js'
import type { JsonObject } from '../model/json.js'
import type { Log } from '../model/log.js'
import type { RequestOptions } from './request-lane.js'

export interface ListOptions {
  readonly server: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly log: Log
}

/** Whatever answers requests: a connection. */
export interface Answering {
  request(method: string, params: JsonObject, options: RequestOptions): Promise<unknown>
}

/** Against servers whose pages never end. */
const maxPages = 200
const maxEntries = 10_000
/** Deeper than any honest schema; keeps everything that walks an entry far from the end of the stack. */
export const maxEntryDepth = 256

/** Every entry of a list in pages, as it was sent; `keep` says whether it counts. */
export async function listPages(
  connection: Answering,
  method: string,
  field: string,
  options: ListOptions,
  keep: (entry: unknown) => boolean,
): Promise<void> {
  const { server, log, timeoutMs, signal } = options
  const seenCursors = new Set<string>()
  let cursor: string | undefined
  let kept = 0
  for (let page = 0; page < maxPages && kept < maxEntries; page += 1) {
    const params: JsonObject = cursor === undefined ? {} : { cursor }
    const result = (await connection.request(method, params, { timeoutMs, signal })) as Record<
      string,
      unknown
    > | null
    const entries = result?.[field]
    if (!Array.isArray(entries)) throw noList(server, method, field)
    for (const entry of entries) if (kept < maxEntries && keep(entry)) kept += 1
    const next = result?.nextCursor
    if (typeof next !== 'string' || next === '' || seenCursors.has(next)) return
    seenCursors.add(next)
    cursor = next
  }
  log.warn(`Server "${server}" lists ${field} without end: the rest is left out.`, { [field]: kept })
}

function noList(server: string, method: string, field: string): UpstreamError {
  return new UpstreamError(
    server,
    'protocol',
    `its answer to ${method} holds no list of ${field}.`,
    'Check that this is an MCP server and up to date.',
  )
}
