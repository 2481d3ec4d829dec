import type { ClientSide, InputRound } from '../../model/client-side.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { ToolDefinition } from '../../model/tool.js'
import type { ToolProgress, ToolResult } from '../../model/tool-call.js'

/** A tool of our own. `call` may throw PmlErrors: the gateway turns them into results. */
export interface MetaTool {
  readonly definition: ToolDefinition
  call(args: JsonObject, caller: Caller): Promise<ToolResult>
}

/** Who calls, and how to reach them while the call goes on. */
export interface Caller {
  readonly session: string
  /** As the client calls itself: whom a person is told about, and what an approval is bound to. */
  readonly clientName: string
  readonly signal: AbortSignal
  /** Present when the client asked for progress. */
  readonly onProgress?: (progress: ToolProgress) => void
  /** Absent: nobody is there to be asked. */
  readonly client?: ClientSide
  readonly round?: InputRound
  readonly meta?: JsonObject
}

/** A reply of ours: structured, `status` first, and a text that is enough for clients that show nothing else. */
export function reply(structured: { readonly status: string } & JsonObject, text: string): ToolResult {
  return { content: [{ type: 'text', text }], structuredContent: structured as Json }
}
