import type { JsonObject } from './json.js'
import type { ToolId } from './tool.js'

/** A situation and what really happened in it. Kept for 30 days. */
export interface Episode {
  /** UUIDv7. */
  readonly id: string
  readonly at: number
  /** A tool was called; a person decided about a call; what was offered was taken up or not. */
  readonly kind: 'call' | 'decision' | 'suggestion'
  readonly tool: ToolId
  readonly session?: string
  readonly runId?: string
  /** The scoring decision that led to it. */
  readonly algorithmTraceId?: string
  readonly workflowType: string
  /** Of the tool, at that time. */
  readonly alpha: number
  /** Whether it worked; of a decision, whether it was approved. */
  readonly success: boolean
  readonly durationMs?: number
  /** Beside that: the tools before it, an error code, who decided. */
  readonly data: JsonObject
}

/** What is asked for situations like it. */
export interface Situation {
  readonly tool: ToolId
  readonly alpha: number
  readonly workflowType: string
}

export interface SimilarEpisodes {
  readonly count: number
  readonly successRate: number
}
