import { createHash } from 'node:crypto'
import { canonicalJson } from '../../model/json.js'
import { jsonLength } from '../../model/json-length.js'
import type { ToolResult } from '../../model/tool-call.js'

/**
 * Some 2 ms for rows (7.5 were measured for four times as much): one slice of the idle queue. What is larger is not compared, and its tool
 * stays as if never seen.
 */
const longestHashed = 64 * 1024

/** Of what a caller sees: `_meta` holds ids and times that differ each time. Undefined: too large, or no JSON. */
export function hashResult({ content, structuredContent, isError }: ToolResult): string | undefined {
  const seen = { content, structuredContent, isError }
  if (jsonLength(seen, longestHashed) >= longestHashed) return undefined
  try {
    return createHash('sha256').update(canonicalJson(seen)).digest('base64')
  } catch {
    return undefined
  }
}
