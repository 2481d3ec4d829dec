import { parseToolId, type ToolId } from '../model/tool.js'
import { splitWords } from '../model/words/split-words.js'

/** `read_config`, `readConfig` and "Read config" all give `read-config`. */
export function slugOf(name: string): string {
  return splitWords(name).join('-')
}

/** The slug in an id: what stands between `cap:` and the hash. */
export function slugInId(id: ToolId): string {
  return (parseToolId(id)?.tool ?? id).replace(/-[^-]*$/, '')
}
