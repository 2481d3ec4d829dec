/**
 * Any JavaScript string as PostgreSQL text, and back.
 *
 * Text there holds neither U+0000 nor half of a surrogate pair, and `::jsonb` refuses both even when escaped. Each of
 * them is written as U+001A (SUBSTITUTE) and its four hex digits; U+001A itself likewise, so that nothing is ambiguous,
 * and a U+FEFF at the beginning, which the embedded database takes for a byte order mark and leaves out.
 * All other text stands as it is, and every JSON column can be cast to jsonb.
 */
import { createHash } from 'node:crypto'
import type { Json } from '../model/json.js'

export function encodeText(text: string): string {
  // With the u flag a surrogate matches only when it stands alone.
  return text.replace(
    /^\ufeff|[\u0000\u001a\ud800-\udfff]/gu,
    (unit) => `\u001a${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function decodeText(text: string): string {
  return text.replace(/\u001a([0-9a-f]{4})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

// In JSON text a `\u` is an escape when an even number of backslashes stands before it.
const unstorable = /(?<!\\)((?:\\\\)*)\\u(0000|001a|d[89a-f][0-9a-f]{2})/g
const substituted = /(?<!\\)((?:\\\\)*)\\u001a([0-9a-f]{4})/g

/** JSON text keeps the order of keys, which jsonb does not: a definition is handed on as it was sent. */
export function encodeJson(value: unknown): string {
  return JSON.stringify(value).replace(unstorable, '$1\\u001a$2')
}

export function decodeJson<T = Json>(json: string): T {
  return JSON.parse(json.replace(substituted, '$1\\u$2'))
}

/** A B-tree entry holds at most 2,704 bytes, and the length of a tool's name is its server's choice. */
const longestKey = 1000

/** An id as a primary key: itself, or its beginning and its hash. The whole id stands in another column. */
export function encodeKey(id: string): string {
  const text = encodeText(id)
  if (Buffer.byteLength(text) <= longestKey) return text
  const hash = createHash('sha256').update(text).digest('hex')
  return `${encodeText(id.slice(0, 64))}\u001asha256-${hash}`
}
