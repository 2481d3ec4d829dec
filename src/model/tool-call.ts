import type { ClientSide, InputRound } from './client-side.js'
import type { Json, JsonObject } from './json.js'
import type { ToolId } from './tool.js'

/** One call of one tool, however it came to us. */
export interface ToolCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
  /** Who asks: stateful servers get one connection per session. */
  readonly session: string
  readonly signal: AbortSignal
  readonly timeoutMs?: number
  readonly onProgress?: (progress: ToolProgress) => void
  /** Absent: nobody is there to be asked. */
  readonly client?: ClientSide
  readonly round?: InputRound
  /** What the client sent in `_meta` beyond the protocol's own, e.g. trace context. */
  readonly meta?: JsonObject
}

/** A request to one server that is not a tool call: `resources/read`, `prompts/get`, `completion/complete`. */
export interface ServerRequest extends Omit<ToolCall, 'tool' | 'arguments'> {
  readonly server: string
  readonly method: string
  readonly params: JsonObject
}

export interface ToolProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** A tool's answer as the server sent it; fields we do not know pass through. */
export interface ToolResult {
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: Json
  readonly isError?: boolean
  readonly [field: string]: unknown
}

export interface ContentBlock {
  readonly type: string
  readonly text?: string
  readonly [field: string]: unknown
}

export type CallTool = (call: ToolCall) => Promise<ToolResult>

export type SendRequest = (request: ServerRequest) => Promise<JsonObject>
