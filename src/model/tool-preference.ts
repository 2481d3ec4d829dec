import type { ToolId } from './tool.js'

/** What a person's answers about a tool say, within the floor of its risk: a dangerous tool asks whatever was approved. */
export interface ToolPreference {
  readonly tool: ToolId
  /** Answers by people since it was last undone. */
  readonly approvals: number
  readonly rejections: number
  /** Approvals in a row (above 0) or rejections in a row (below). */
  readonly streak: number
  readonly updatedAt: number
}
