import type { Json } from '../model/json.js'
import { jsonLength } from '../model/json-length.js'
import { wholeCharacter } from './result-store.js'

/** The start and the end of a text, most of it the start: errors and totals tend to stand at the end. */
export function headAndTail(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const head = text.slice(0, wholeCharacter(text, Math.ceil(maxChars * 0.75)))
  const tail = text.slice(wholeCharacter(text, text.length - Math.floor(maxChars * 0.25)))
  const missing = text.length - head.length - tail.length
  return `${head}\n[... ${missing} characters left out ...]\n${tail}`
}

/** Each attempt keeps less: characters of a string, entries of an array or object, levels. */
const attempts = [
  { chars: 2_000, entries: 50, depth: 8 },
  { chars: 300, entries: 10, depth: 6 },
  { chars: 60, entries: 2, depth: 5 },
] as const

/**
 * The same shape with less in it: strings and arrays are shortened and nothing changes its type, so that what is left still
 * fits the tool's output schema in all but strict cases. Undefined when nothing small enough is left.
 */
export function shrinkJson(value: Json, maxChars: number): Json | undefined {
  for (const attempt of attempts) {
    const small = shrink(value, attempt, attempt.depth)
    if (jsonLength(small, maxChars) < maxChars) return small
  }
  return undefined
}

function shrink(value: Json, to: { chars: number; entries: number }, depth: number): Json {
  if (typeof value === 'string')
    return value.length <= to.chars ? value : `${value.slice(0, wholeCharacter(value, to.chars))}...`
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return depth === 0 ? [] : value.slice(0, to.entries).map((one: Json) => shrink(one, to, depth - 1))
  if (depth === 0) return {}
  const entries = Object.entries(value).slice(0, to.entries * 5)
  return Object.fromEntries(entries.map(([key, one]) => [key, shrink(one, to, depth - 1)]))
}
