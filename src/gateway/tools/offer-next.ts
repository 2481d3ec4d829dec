import { isObject, type Json } from '../../model/json.js'
import type { ToolId } from '../../model/tool.js'
import type { MetaTool } from './meta-tool.js'

export interface LikelyNext {
  readonly tool: ToolId
  /** How probable it is that it is called next. */
  readonly p: number
}

/** A workflow that is complete also says what is likely to be wanted next, where that is sure enough to be said. */
export function offerNext(tool: MetaTool, likelyNext: (session: string) => readonly LikelyNext[]): MetaTool {
  return {
    definition: tool.definition,
    async call(args, caller) {
      const result = await tool.call(args, caller)
      const { structuredContent } = result
      if (!isObject(structuredContent) || structuredContent.status !== 'complete') return result
      const offered = likelyNext(caller.session).map(({ tool: id, p }) => ({
        tool: id,
        p: Math.round(p * 100) / 100,
      }))
      if (offered.length === 0) return result
      return {
        ...result,
        structuredContent: { ...structuredContent, likely_next: offered as unknown as Json },
      }
    },
  }
}
