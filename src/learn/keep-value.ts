import { isDeeperThan } from '../model/is-deeper-than.js'
import type { Json } from '../model/json.js'
import { jsonLength } from '../model/json-length.js'
import { type Redact, redactData } from '../model/redact.js'

/** Traces are kept for months: a listing of megabytes teaches no more than its first rows do. */
const largest = 10 * 1024
const deepest = 64

const itemsKept = 3
const keysKept = 40
const lettersKept = 200
const levelsKept = 8

/**
 * What a trace keeps of a value: the value, redacted; above 10 KB of JSON, or 64 levels, its shape: the first items of each
 * list and the beginning of each text, in at most those 10 KB. A text is redacted before it is cut, or half a secret would stay.
 */
export function keepValue(value: Json, redact: Redact): Json {
  if (jsonLength(value, largest) < largest && !isDeeperThan(value, deepest)) return redactData(value, redact)
  let left = largest
  const shape = (item: Json, level: number): Json => {
    if (typeof item === 'string') {
      const text = cut(redact(item))
      left -= text.length + 3
      return text
    }
    left -= 6
    if (item === null || typeof item !== 'object') return item
    if (level > levelsKept || left <= 0)
      return Array.isArray(item) ? `... ${item.length} items` : '... an object'
    return Array.isArray(item)
      ? shapeOfList(item, level)
      : shapeOfObject(item as { [key: string]: Json }, level)
  }
  const shapeOfList = (items: readonly Json[], level: number): Json => {
    const kept = items.slice(0, itemsKept).map((item) => shape(item, level + 1))
    return items.length > itemsKept ? [...kept, `... ${items.length - itemsKept} more`] : kept
  }
  const shapeOfObject = (fields: { readonly [key: string]: Json }, level: number): Json => {
    const kept: [string, Json][] = []
    for (const field in fields) {
      const key = redact(field)
      if (kept.length >= keysKept || left < key.length)
        return Object.fromEntries([...kept, ['...', 'more fields']])
      left -= key.length + 3
      kept.push([key, shape(fields[field]!, level + 1)])
    }
    return Object.fromEntries(kept)
  }
  return shape(value, 0)
}

function cut(text: string): string {
  return text.length > lettersKept
    ? `${text.slice(0, lettersKept)}... ${text.length - lettersKept} more characters`
    : text
}
