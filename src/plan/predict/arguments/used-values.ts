import type { JsonObject } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'
import { keyOf } from './value-key.js'

/** What an argument of a tool has been in a session, or several together. */
export interface UsedValues {
  /** Several together: their keys, each on a line. */
  has(key: string): boolean
  /** The newest. */
  readonly last: string | undefined
  /** How often it was given; of the last 200 calls. */
  readonly count: number
}

export interface UsedInSession {
  of(tool: ToolId, names: readonly string[]): UsedValues
  push(tool: ToolId, args: JsonObject): void
}

/** Calls of one tool that are looked at, and tools: those that were called last. */
const mostCalls = 200
const mostTools = 50

/** Which values were given to which arguments; each question is answered once between two calls of a tool. */
export function createUsedInSession(): UsedInSession {
  const calls = new Map<ToolId, ReadonlyMap<string, string>[]>()
  const answers = new Map<ToolId, Map<string, UsedValues>>()
  return {
    of(tool, names) {
      const made = calls.get(tool)
      if (made === undefined) return noneUsed
      const known = answers.get(tool) ?? new Map<string, UsedValues>()
      answers.set(tool, known)
      const name = names.join('\n')
      const used = known.get(name) ?? usedIn(made, names)
      known.set(name, used)
      return used
    },
    push(tool, args) {
      answers.delete(tool)
      const made = calls.get(tool) ?? []
      calls.delete(tool)
      calls.set(tool, made)
      if (calls.size > mostTools) calls.delete(calls.keys().next().value!)
      made.push(new Map(Object.entries(args).map(([name, value]) => [name, keyOf(value)])))
      if (made.length > mostCalls) made.shift()
    },
  }
}

const noneUsed: UsedValues = { has: () => false, last: undefined, count: 0 }

/** Of the calls that had all of these arguments. */
function usedIn(calls: readonly ReadonlyMap<string, string>[], names: readonly string[]): UsedValues {
  const keys = calls
    .filter((call) => names.every((name) => call.has(name)))
    .map((call) => names.map((name) => call.get(name)).join('\n'))
  const unique = new Set(keys)
  return { has: (key) => unique.has(key), last: keys.at(-1), count: keys.length }
}
