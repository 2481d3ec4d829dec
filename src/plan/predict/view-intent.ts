import type { ToolId } from '../../model/tool.js'
import type { Follow } from './create-history.js'
import type { IntentLikeness, PastSequence } from './next-tools.js'
import { weighWords } from './weigh-words.js'

/** What sessions with a like intent did. */
export interface IntentView {
  /** Likeness of all of them together; 0 where there is none, or no intent. */
  readonly total: number
  /** Likeness of those that used each tool. */
  readonly tools: ReadonlyMap<ToolId, number>
  /** What came there after a tool, or first. */
  after(tool: ToolId | undefined): Follow | undefined
  /** The same in sessions about the very same thing. */
  afterInSame(tool: ToolId | undefined): Follow | undefined
  /** How far its words speak for this tool's being used, in log-odds; 0 where they say nothing. */
  words(tool: ToolId): number
  /** How far the intent says this tool's name. */
  names(tool: ToolId): number
}

/** Chosen over 10, 30 and 40 on the development sets, all within .02 of one another. */
const mostAlike = 20
/** Another number or name, no more. */
const same = 0.95

/**
 * The most alike, each by the square of its likeness: a session about the very same thing counts more than several about
 * something similar.
 */
export function viewIntent(
  intent: string | undefined,
  past: readonly PastSequence[],
  intents: IntentLikeness,
): IntentView {
  if (intent === undefined) return noIntent
  const alike = past
    .flatMap((sequence) => {
      const likeness = sequence.intent === undefined ? 0 : intents.between(intent, sequence.intent)
      return likeness > 0 ? [{ sequence, weight: likeness ** 2 }] : []
    })
    .sort((a, b) => b.weight - a.weight)
    .slice(0, mostAlike)

  const tools = new Map<ToolId, number>()
  const inSame = followsIn(alike.filter(({ weight }) => weight >= same ** 2))
  const follows = followsIn(alike)
  for (const { sequence, weight } of alike)
    for (const tool of new Set(sequence.steps.map(({ tool }) => tool)))
      tools.set(tool, (tools.get(tool) ?? 0) + weight)
  const words = weighWords(intent, past, intents)
  const named = new Map<ToolId, number>()
  return {
    total: alike.reduce((sum, { weight }) => sum + weight, 0),
    tools,
    after: (tool) => follows.get(tool),
    afterInSame: (tool) => inSame.get(tool),
    words: (tool) => words.get(tool) ?? 0,
    names(tool) {
      const known = named.get(tool) ?? intents.names(intent, tool)
      named.set(tool, known)
      return known
    },
  }
}

/** Of a session that nobody said anything of. */
export const noIntent: IntentView = {
  total: 0,
  tools: new Map(),
  after: () => undefined,
  afterInSame: () => undefined,
  words: () => 0,
  names: () => 0,
}

function followsIn(
  alike: readonly { readonly sequence: PastSequence; readonly weight: number }[],
): ReadonlyMap<ToolId | undefined, Follow> {
  const follows = new Map<ToolId | undefined, { total: number; counts: Map<ToolId, number> }>()
  for (const { sequence, weight } of alike) {
    let last: ToolId | undefined
    for (const { tool } of sequence.steps) {
      const follow = follows.get(last) ?? { total: 0, counts: new Map<ToolId, number>() }
      follows.set(last, follow)
      follow.total += weight
      follow.counts.set(tool, (follow.counts.get(tool) ?? 0) + weight)
      last = tool
    }
  }
  return follows
}
