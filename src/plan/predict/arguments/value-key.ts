import { createHash } from 'node:crypto'
import { canonicalJson, type Json, type JsonObject } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'

export type Scalar = string | number | boolean

/** What values are compared by: `42` and `"42"` are the same. */
export function keyOf(value: Json): string {
  if (typeof value === 'string') return shortened(value.trim())
  return typeof value === 'object' ? shortened(canonicalJson(value)) : String(value)
}

/** What calls are compared by: tool and canonical arguments. */
export function callKey(tool: ToolId, args: JsonObject): string {
  return `${tool}\n${shortened(canonicalJson(args))}`
}

/** Keys are kept for as long as their session, and an argument may be a whole file. */
const longestKey = 1_000

function shortened(text: string): string {
  return text.length <= longestKey ? text : createHash('sha256').update(text).digest('hex')
}
