import type { Analysis } from '../graph/create-analysis.js'
import { createKnowledgeGraph } from '../graph/create-knowledge-graph.js'
import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import { louvain } from '../graph/louvain.js'
import { pageRank } from '../graph/page-rank.js'
import type { ToolId } from '../model/tool.js'
import { createNextTools } from '../plan/predict/create-next-tools.js'
import type { NextTools, PastSequence } from '../plan/predict/next-tools.js'
import { createWordLikeness } from '../plan/predict/word-likeness.js'

export interface ToolSession {
  readonly id: string
  /** Undefined: nobody said what it is about. */
  readonly query: string | undefined
  readonly tools: readonly ToolId[]
}

/** Any whole hour will do: nothing in a set has a time. */
export const endOfPast = Date.UTC(2026, 0, 15, 12)

const msPerSession = 60_000
const msPerStep = 1_000

/** As the gateway would have: every session into the graph and into what is foretold, then the weights fitted once. */
export function learnNext(sessions: readonly ToolSession[]): NextTools {
  const past = sessions.map((session, at) => toPast(session, sessions.length - at))
  const graph = createKnowledgeGraph({ now: () => endOfPast, cosine: () => undefined })
  for (const { steps } of past)
    graph.observe(
      steps.slice(1).flatMap(({ tool, at }, before) => {
        const from = steps[before]!.tool
        return from === tool ? [] : [{ from, to: tool, type: 'sequence' as const, success: true, at }]
      }),
    )
  const analysis = analyse(graph)
  const next = createNextTools({
    graph,
    analysis: () => analysis,
    now: () => endOfPast,
    intents: createWordLikeness(),
    episodic: () => 0,
  })
  next.replay(past)
  next.refit()
  return next
}

function analyse(graph: KnowledgeGraph): Analysis {
  const { nodes, pairs } = graph.weightedPairs()
  if (nodes.length === 0) return { revision: graph.revision, pageRank: new Map(), communities: new Map() }
  const [ranks, groups] = [pageRank(pairs), louvain(pairs)]
  return {
    revision: graph.revision,
    pageRank: new Map(nodes.map((node, at) => [node, ranks[at]!])),
    communities: new Map(nodes.map((node, at) => [node, groups[at]!])),
  }
}

/** So many sessions before the end; 0: it goes on after all of them. */
export function toPast({ id, query, tools }: ToolSession, sessionsAgo: number): PastSequence {
  const startedAt = endOfPast - sessionsAgo * msPerSession
  return {
    session: id,
    ...(query !== undefined && { intent: query }),
    // A set does not say which calls failed.
    steps: tools.map((tool, at) => ({ tool, success: true, at: startedAt + at * msPerStep })),
  }
}
