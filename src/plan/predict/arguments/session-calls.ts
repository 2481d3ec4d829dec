import type { Json, JsonObject } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'
import { noRequest, type ReadRequest, readRequest } from './read-request.js'
import { nothingSeen, type SeenResult, seeResult } from './see-result.js'
import { createUsedInSession, type UsedValues } from './used-values.js'
import { callKey, keyOf, type Scalar } from './value-key.js'

export { callKey } from './value-key.js'

/** The calls of a session, as far as arguments of the next ones may come from them. In memory alone: values as they were. */
export interface SessionCalls {
  /** The newest call of each tool, the newest first. */
  readonly latest: readonly MadeCall[]
  readonly last: MadeCall | undefined
  readonly length: number
  /** What these arguments of this tool have been in this session. */
  used(tool: ToolId, ...names: readonly string[]): UsedValues
  /** How many calls ago exactly this one was made, by its key; undefined: never. */
  madeAgo(key: string): number | undefined
  /** How often this call stood among the first and another was made. */
  passedOver(key: string): number
  /** How many of the last calls in a row were the one that stood first. */
  readonly foretold: number
  /** These stand among the first now. */
  show(keys: readonly string[]): void
  readonly request: ReadRequest
  hear(request: string): void
  /** Whether the request says this value, or what stands beside it in its row. */
  isNamed(result: SeenResult, one: { readonly value?: Scalar; readonly row: string }): boolean
  push(call: NewCall): void
}

export interface NewCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
  /** Absent where it failed or gave none. */
  readonly result?: Json
}

export interface MadeCall {
  readonly tool: ToolId
  /** Without those that nobody would pass on: whole files. */
  readonly arguments: JsonObject
  readonly seen: SeenResult
  /** The arguments that gave what is seen: those of an earlier call, where the newest one failed. */
  readonly seenWith: JsonObject
  /** The number of the call in its session. */
  readonly at: number
}

/** Tools whose newest result is still looked into. */
const mostTools = 12
/** Calls that are known to have been made, and those that are known to have been passed over. */
const mostMade = 100
const longestArgument = 10_000

export function createSessionCalls(): SessionCalls {
  let latest: readonly MadeCall[] = []
  let request = noRequest
  let heard: string | undefined
  let length = 0
  let foretold = 0
  let shown: readonly string[] = []
  const used = createUsedInSession()
  const made = new Map<string, number>()
  const passed = new Map<string, number>()
  let namedRows = new WeakMap<SeenResult, ReadonlySet<string>>()

  const namedRowsOf = (result: SeenResult): ReadonlySet<string> => {
    const known = namedRows.get(result) ?? findNamedRows(result, request)
    namedRows.set(result, known)
    return known
  }
  const keepLatest = ({ tool, arguments: args, result }: NewCall): void => {
    const before = latest.find((call) => call.tool === tool)
    const kept = withoutLong(args)
    // A call that failed has given nothing: what the one before gave is still what is known.
    const given =
      result === undefined
        ? { seen: before?.seen ?? nothingSeen, seenWith: before?.seenWith ?? kept }
        : { seen: seeResult(result), seenWith: kept }
    const call = { tool, arguments: kept, ...given, at: length }
    latest = [call, ...latest.filter((other) => other !== before)].slice(0, mostTools)
  }
  const keepMade = (key: string): void => {
    made.delete(key)
    made.set(key, length)
    forgetFirst(made, mostMade)
    foretold = shown[0] === key ? foretold + 1 : 0
    for (const other of shown) if (other !== key) passed.set(other, (passed.get(other) ?? 0) + 1)
    passed.delete(key)
    forgetFirst(passed, mostMade)
    shown = []
  }

  return {
    get latest() {
      return latest
    },
    get last() {
      return latest[0]
    },
    get length() {
      return length
    },
    get request() {
      return request
    },
    get foretold() {
      return foretold
    },
    used: (tool, ...names) => used.of(tool, names),
    madeAgo(key) {
      const at = made.get(key)
      return at === undefined ? undefined : length - at
    },
    passedOver: (key) => passed.get(key) ?? 0,
    show(keys) {
      shown = keys
    },
    hear(text) {
      const key = keyOf(text)
      if (key === heard) return
      heard = key
      request = readRequest(text)
      namedRows = new WeakMap()
    },
    isNamed(result, { value, row }) {
      if (request === noRequest) return false
      if (row !== '' && namedRowsOf(result).has(row)) return true
      return value !== undefined && typeof value !== 'boolean' && request.says(String(value))
    },
    push(call) {
      length += 1
      keepLatest(call)
      used.push(call.tool, call.arguments)
      keepMade(callKey(call.tool, call.arguments))
    },
  }
}

function findNamedRows(result: SeenResult, request: ReadRequest): ReadonlySet<string> {
  const rows = new Set<string>()
  for (const list of result.lists.values())
    for (const { value, row } of list) if (typeof value === 'string' && request.says(value)) rows.add(row)
  return rows
}

function withoutLong(args: JsonObject): JsonObject {
  const entries = Object.entries(args)
  const kept = entries.filter(([, value]) => !isLong(value))
  return kept.length === entries.length ? args : Object.fromEntries(kept)
}

function isLong(value: Json): boolean {
  if (typeof value === 'string') return value.length > longestArgument
  return typeof value === 'object' && value !== null && JSON.stringify(value).length > longestArgument
}

function forgetFirst(map: Map<string, unknown>, most: number): void {
  while (map.size > most) map.delete(map.keys().next().value!)
}
