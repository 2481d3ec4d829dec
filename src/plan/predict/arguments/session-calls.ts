import type { Json, JsonObject } from '../../../model/json.js'
import { canonicalJson } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'
import { noRequest, type ReadRequest, readRequest } from './read-request.js'
import { nothingSeen, type SeenResult, seeResult } from './see-result.js'

/** The calls of a session, as far as arguments of the next ones may come from them. In memory alone: values as they were. */
export interface SessionCalls {
  /** The newest call of each tool, the newest first. */
  readonly latest: readonly MadeCall[]
  readonly last: MadeCall | undefined
  readonly length: number
  /** What the arguments of this tool have been in this session: their keys, the newest last. */
  used(tool: ToolId, argument: string): readonly string[]
  /** How many calls ago exactly this one was made; undefined: never. */
  madeAgo(tool: ToolId, args: JsonObject): number | undefined
  /** How often this call stood among the first and another was made. */
  passedOver(key: string): number
  /** These stand among the first now. */
  show(keys: readonly string[]): void
  readonly request: ReadRequest
  hear(request: string): void
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
  readonly arguments: JsonObject
  readonly seen: SeenResult
  /** The number of the call in its session. */
  readonly at: number
}

/** Tools whose newest result is still looked into, and values of an argument that count as used. */
const mostTools = 12
const mostUsed = 200
const mostMade = 100

export function createSessionCalls(): SessionCalls {
  let latest: MadeCall[] = []
  let request = noRequest
  let heard: string | undefined
  let length = 0
  const used = new Map<string, string[]>()
  const made = new Map<string, number>()
  const passed = new Map<string, number>()
  let shown: readonly string[] = []

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
    used: (tool, argument) => used.get(placeOf(tool, argument)) ?? [],
    madeAgo(tool, args) {
      const at = made.get(callKey(tool, args))
      return at === undefined ? undefined : length - at
    },
    passedOver: (key) => passed.get(key) ?? 0,
    show(keys) {
      shown = keys
    },
    hear(text) {
      if (text === heard) return
      heard = text
      request = readRequest(text)
    },
    push({ tool, arguments: args, result }) {
      length += 1
      const seen = result === undefined ? nothingSeen : seeResult(result)
      // A call that failed has given nothing: what the one before gave is still what is known.
      const known = latest.find((call) => call.tool === tool)
      const call: MadeCall = {
        tool,
        arguments: args,
        seen: result === undefined ? (known?.seen ?? nothingSeen) : seen,
        at: length,
      }
      latest = [call, ...latest.filter((other) => other !== known)].slice(0, mostTools)
      for (const [argument, value] of Object.entries(args)) {
        const place = placeOf(tool, argument)
        const keys = used.get(place) ?? []
        if (keys.length === 0) used.set(place, keys)
        keys.push(keyOf(value))
        if (keys.length > mostUsed) keys.shift()
      }
      const key = callKey(tool, args)
      made.delete(key)
      made.set(key, length)
      if (made.size > mostMade) made.delete(made.keys().next().value!)
      for (const other of shown) if (other !== key) passed.set(other, (passed.get(other) ?? 0) + 1)
      passed.delete(key)
      while (passed.size > mostMade) passed.delete(passed.keys().next().value!)
      shown = []
    },
  }
}

function placeOf(tool: ToolId, argument: string): string {
  return `${tool}\n${argument}`
}

export function callKey(tool: ToolId, args: JsonObject): string {
  return `${tool}\n${canonicalJson(args)}`
}

/** What values are compared by: `42` and `"42"` are the same. */
export function keyOf(value: Json): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'object' ? canonicalJson(value) : String(value)
}
