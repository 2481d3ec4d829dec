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
