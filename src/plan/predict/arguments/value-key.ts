import { canonicalJson, type Json, type JsonObject } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'
import { ownText } from './own-text.js'

export type Scalar = string | number | boolean

/** What values are compared by: `42` and `"42"` are the same. */
export function keyOf(value: Json): string {
  if (typeof value === 'string') return shortened(value.trim())
  return typeof value === 'object' ? shortened(canonicalJson(value)) : String(value)
}

/** What calls of a session are compared by: tool and canonical arguments, of which the middle of very long ones does not count. */
export function callKey(tool: ToolId, args: JsonObject): string {
  return canonicalCallKey(tool, canonicalJson(args))
}

/** The same for arguments that are canonical JSON already. */
export function canonicalCallKey(tool: ToolId, args: string): string {
  return `${tool}\n${shortened(args)}`
}

/** Keys are kept for as long as their session, and an argument may be a whole file: of such a one its ends and its length tell it from others. */
const longestKey = 1_000

function shortened(text: string): string {
  if (text.length <= longestKey) return text
  return ownText(`${text.length} ${text.slice(0, longestKey / 2)} ${text.slice(-longestKey / 2)}`)
}
