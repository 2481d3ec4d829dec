import { canonicalJson, isObject, type JsonObject } from '../../model/json.js'
import { jsonLength } from '../../model/json-length.js'
import type { ToolId } from '../../model/tool.js'

/** A call whose arguments are larger writes something rather than reads; its key would cost more than it could save. */
const longestArguments = 64 * 1024

/**
 * The same call has the same key, whatever the order of its arguments. Undefined: it has none, as it is too large, too deep, or no JSON;
 * it is then not run ahead, and goes to its server as if there were no prediction.
 */
export function callKey(tool: ToolId, args: JsonObject): string | undefined {
  try {
    if (!isObject(args) || jsonLength(args, longestArguments) >= longestArguments) return undefined
    // JSON escapes the ends of lines, so the last one parts the two, whatever the name holds.
    return `${tool}\n${canonicalJson(args)}`
  } catch {
    return undefined
  }
}
