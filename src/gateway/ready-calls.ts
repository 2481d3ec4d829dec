import type { JsonObject } from '../model/json.js'
import { jsonLength } from '../model/json-length.js'
import { type Redact, redactData } from '../model/redact.js'
import type { PreparedCall } from '../model/speculation.js'
import type { ToolId } from '../model/tool.js'

/** A call whose result is there. */
export interface ReadyCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
}

/** What a client is told of in passing: it may take one of these at once, and must not pay for reading of many. */
const mostTold = 3
const longestArguments = 300
/** What is longer by the estimate of jsonLength, which may count three times too much, is not written out to be measured. */
const longestEstimate = 4 * longestArguments

/** Only whole calls are told: one with arguments that are cut, or without their secrets, would be another call. */
export function readyCalls(prepared: readonly PreparedCall[], redact: Redact): readonly ReadyCall[] {
  const told: ReadyCall[] = []
  for (const { tool, arguments: args, isReady } of prepared) {
    if (!isReady || jsonLength(args, longestEstimate) >= longestEstimate) continue
    const text = JSON.stringify(args)
    if (text.length > longestArguments || JSON.stringify(redactData(args, redact)) !== text) continue
    told.push({ tool, arguments: args })
    if (told.length === mostTold) break
  }
  return told
}
