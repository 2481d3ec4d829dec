import { isObject, type Json } from '../../model/json.js'
import type { ReadyCall } from '../ready-calls.js'
import type { MetaTool } from './meta-tool.js'

/** A reply also says which calls were run ahead and are there to be taken, where there are any. */
export function offerPrepared(tool: MetaTool, ready: (session: string) => readonly ReadyCall[]): MetaTool {
  return {
    definition: tool.definition,
    async call(args, caller) {
      const result = await tool.call(args, caller)
      const { structuredContent, content, isError } = result
      if (isError === true || !isObject(structuredContent)) return result
      const prepared = ready(caller.session)
      if (prepared.length === 0) return result
      const calls = prepared.map(({ tool: id, arguments: given }) => `${id} ${JSON.stringify(given)}`)
      return {
        ...result,
        content: [
          ...content,
          { type: 'text', text: `Ready to be called without waiting: ${calls.join('; ')}` },
        ],
        structuredContent: { ...structuredContent, prepared: prepared as unknown as Json },
      }
    },
  }
}
