import type { Json } from './json.js'
import type { ToolId } from './tool.js'

/**
 * One way in which an argument of a tool was filled, and how often that would have been right: counted at every call of the tool, whether
 * or not anything was predicted. Learned from the calls themselves; holds no value but a constant's, which is redacted.
 */
export interface DataflowTemplate {
  readonly tool: ToolId
  /** The argument; of several that come from one row, their names joined by `+`. */
  readonly parameter: string
  /** The tool called just before, or empty for whatever came before. */
  readonly after: ToolId | ''
  /** How: `result airline:get_user reservations[*] unused`. Made and read by plan/predict alone. */
  readonly source: string
  /** Of a constant. */
  readonly value?: Json
  /** How often it gave a value, and how often that was the one; both fade with time. */
  readonly count: number
  readonly hits: number
  readonly lastAt: number
}
