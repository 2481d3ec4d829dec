import type { ToolChoice } from '../model/plan.js'
import type { Tool } from '../model/tool.js'

/** A tool on its way into a plan; its place in the list of them is what others refer to. */
export interface PickedTool {
  readonly tool: Tool
  readonly score: number
  /** Index of the clause it serves. */
  readonly clause: number
  readonly serves: string
  readonly by: ToolChoice['by']
  /** The id of a task that has been done: it is wired to, and not planned. */
  readonly done?: string
  /**
   * It is there for another's sake: whose input it gives, by place; `each`: that one is done for each that it gives. Of what is
   * done: who took its result.
   */
  readonly feeds?: { readonly to: number; readonly input: string; readonly each: boolean }
}
