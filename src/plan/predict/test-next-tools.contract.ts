/** Small worlds for the tests of this room. */
import { createKnowledgeGraph } from '../../graph/create-knowledge-graph.js'
import type { ToolId } from '../../model/tool.js'
import { createNextTools } from './create-next-tools.js'
import type { NextTools, NextToolsOptions, PastSequence } from './next-tools.js'
import { createWordLikeness } from './word-likeness.js'

export const noon = Date.UTC(2026, 0, 15, 12)

export function tool(name: string): ToolId {
  return (name.includes(':') ? name : `s:${name}`) as ToolId
}

export function openNextTools(rest: Partial<NextToolsOptions> = {}): NextTools {
  return createNextTools({
    graph: createKnowledgeGraph({ now: () => noon, cosine: () => undefined }),
    analysis: () => ({ revision: 0, pageRank: new Map(), communities: new Map() }),
    now: () => noon,
    intents: createWordLikeness(),
    episodic: () => 0,
    ...rest,
  })
}

/** `a b! c`: b failed. A second apart, an hour ago. */
export function sequence(session: string, steps: string, intent?: string): PastSequence {
  return {
    session,
    ...(intent !== undefined && { intent }),
    steps: steps.split(' ').map((name, at) => ({
      tool: tool(name.replace('!', '')),
      success: !name.endsWith('!'),
      at: noon - 3_600_000 + at * 1_000,
    })),
  }
}

export function walk(next: NextTools, session: string, steps: string, intent?: string): void {
  for (const step of sequence(session, steps).steps)
    next.follow({ session, ...step, ...(intent !== undefined && { intent }) })
}

export function many(count: number, steps: string, intent?: string): readonly PastSequence[] {
  return Array.from({ length: count }, (_, at) => sequence(`${steps}/${at}`, steps, intent))
}
