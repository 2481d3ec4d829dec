import type { KnowledgeGraph } from '../graph/knowledge-graph.js'
import type { EdgeType } from '../model/edge.js'
import type { ToolShape } from './describe-tool.js'

/** What past runs say of pairs of tools, in log-odds. */
export interface PairHistory {
  /** Above 0: this one came first and the other needed it; below 0: the other way round; 0: nothing is known. */
  direction(from: ToolShape, to: ToolShape): number
  /** How much more often than a stranger's tasks those of past runs were linked with the next one. */
  base(): number
}

/** One run says little, ten say most of what can be said. */
const directionWeight = 0.8
/** As if so many steps had been seen, of which so many depended on the one before. */
const priorSteps = 40
const priorLinked = 10
const mostBase = 4

export function createPairHistory(graph: Pick<KnowledgeGraph, 'edge' | 'edges' | 'revision'>): PairHistory {
  let known: { readonly revision: number; readonly share: number } | undefined
  const share = (): number => {
    if (known?.revision !== graph.revision) known = { revision: graph.revision, share: linkedShare(graph) }
    return known.share
  }
  const count = (from: ToolShape, to: ToolShape): number => {
    const seen = (type: EdgeType): number => graph.edge({ from: from.tool.id, to: to.tool.id, type })?.successes ?? 0
    // One after the other is less than one because of the other, unless that is how it always was.
    return Math.max(seen('dependency'), seen('provides'), share() * seen('sequence'))
  }
  return {
    direction(from, to) {
      const [there, back] = [count(from, to), count(to, from)]
      return there + back === 0 ? 0 : directionWeight * Math.log((there + 0.5) / (back + 0.5))
    },
    base() {
      const prior = priorLinked / priorSteps
      return Math.max(-1, Math.min(mostBase, logOdds(share()) - logOdds(prior)))
    },
  }
}

/**
 * Of the steps of past runs, how many needed the one before. Pairs that depended on one another the other way round are left
 * out: the graph keeps no circle of dependencies, so for these it does not know.
 */
function linkedShare(graph: Pick<KnowledgeGraph, 'edge' | 'edges'>): number {
  let steps = priorSteps
  let linked = priorLinked
  for (const { type, from, to, successes } of graph.edges()) {
    if (type !== 'sequence') continue
    const dependent = graph.edge({ from, to, type: 'dependency' })?.successes ?? 0
    if (dependent === 0 && graph.edge({ from: to, to: from, type: 'dependency' }) !== undefined) continue
    steps += successes
    linked += Math.min(dependent, successes)
  }
  return Math.min(0.99, linked / steps)
}

function logOdds(share: number): number {
  return Math.log(share / (1 - share))
}
