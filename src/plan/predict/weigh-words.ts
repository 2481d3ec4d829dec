import type { ToolId } from '../../model/tool.js'
import type { IntentLikeness, PastSequence } from './next-tools.js'

/** A word of one session is as good as a name. */
const fewestSessions = 2
/** So many sessions more that used every tool as usual: a word that was said twice says little. */
const asUsual = 2

/**
 * How far the words of an intent speak for each tool that was used before: the sum, over its words, of how much likelier the tool was used
 * where the word was said. M. E. Maron, "Automatic indexing: an experimental inquiry", Journal of the ACM 8(3), 1961. Words go
 * together, so the sum is divided by the root of their number.
 */
export function weighWords(
  intent: string,
  past: readonly PastSequence[],
  intents: Pick<IntentLikeness, 'words'>,
): ReadonlyMap<ToolId, number> {
  const said = new Set(intents.words(intent))
  const sessionsWith = new Map<ToolId, number>()
  const saying = new Map<string, { sessions: number; readonly tools: Map<ToolId, number> }>()
  let sessions = 0
  for (const { intent: other, steps } of past) {
    if (other === undefined) continue
    sessions += 1
    const tools = new Set(steps.map(({ tool }) => tool))
    for (const tool of tools) add(sessionsWith, tool, 1)
    for (const word of intents.words(other)) {
      if (!said.has(word)) continue
      const known = saying.get(word) ?? { sessions: 0, tools: new Map<ToolId, number>() }
      saying.set(word, known)
      known.sessions += 1
      for (const tool of tools) add(known.tools, tool, 1)
    }
  }

  // Most tools were never used with most words, and what that says is the same for all of them.
  let unused = 0
  const used = new Map<ToolId, number>()
  for (const word of saying.values()) {
    if (word.sessions < fewestSessions) continue
    unused += Math.log(asUsual / (word.sessions + asUsual))
    for (const [tool, count] of word.tools) {
      const usual = sessionsWith.get(tool)! / sessions
      add(used, tool, Math.log(1 + count / usual / asUsual))
    }
  }
  const scale = 1 / Math.sqrt(said.size + 1)
  return new Map(Array.from(sessionsWith.keys(), (tool) => [tool, scale * (unused + (used.get(tool) ?? 0))]))
}

function add<Key>(sums: Map<Key, number>, key: Key, by: number): void {
  sums.set(key, (sums.get(key) ?? 0) + by)
}
