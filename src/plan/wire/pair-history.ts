import type { Embedder } from '../../embed/embedder.js'
import type { KnowledgeGraph } from '../../graph/knowledge-graph.js'
import { orderTypes, shortestPath } from '../../graph/shortest-path.js'
import type { Experience, PastRun } from '../../model/experience.js'
import type { ToolId } from '../../model/tool.js'
import { cosine } from './place-tools.js'

/** What past runs say of pairs of tools, in log-odds. */
export interface PairHistory {
  /** Above 0: this one came first and the other needed it; below 0: the other way round; 0: nothing is known. */
  direction(from: ToolId, to: ToolId): number
  /** How strong the way from one to the other is over others, of two or three steps; 0 where there is none, or they are neighbours. */
  path(from: ToolId, to: ToolId): number
  /** How many runs say anything of the two. */
  count(a: ToolId, b: ToolId): number
  /** How much more often than usual the tasks of past runs needed one another. */
  readonly base: number
  /** Runs that say so for this direction, the one with the likest intent first. */
  runs(from: ToolId, to: ToolId): readonly string[]
}

export interface PairHistories {
  /** For the tools of one intent, whose vector is given. */
  of(tools: readonly ToolId[], intent: Float32Array): Promise<PairHistory>
}

export interface PairHistoryDeps {
  readonly graph: Pick<KnowledgeGraph, 'incoming' | 'outgoing'>
  readonly experience: Pick<Experience, 'runsAmong' | 'steps'>
  readonly embedder: Embedder
}

/** One run says little, ten say most of what can be said. */
const directionWeight = 1
/** A run whose intent is .1 less like this one counts a third. */
const sharpness = 12
/** As if so many steps had been seen, of which so many needed another: in ordinary requests six in ten do. */
const priorSteps = 40
const priorLinked = 24
const [leastBase, mostBase] = [-1, 4]
/** A way is looked for in some 30 microseconds, and among so many tools for 130 pairs. More tools than that have neighbours enough. */
const mostForPaths = 12
/** Intents of past runs, a kilobyte each. */
const mostVectors = 3_000

/**
 * Runs in which both took part, weighed by how like their intents are; where none is remembered, the counts of the graph. The
 * graph keeps no circle of dependencies, so `sequence` counts as well: of two that go either way it knows more.
 */
export function createPairHistories({ graph, experience, embedder }: PairHistoryDeps): PairHistories {
  const vectors = new Map<string, Float32Array>()
  const never = new AbortController().signal
  /** Of each run, by id. Those in use are the last to be forgotten. */
  const embed = async (runs: readonly PastRun[]): Promise<ReadonlyMap<string, Float32Array>> => {
    const found = new Map(runs.map(({ id }) => [id, vectors.get(id)]))
    const fresh = runs.filter(({ id }) => found.get(id) === undefined)
    const made = await embedder.embed(
      fresh.map(({ intent }) => intent),
      'query',
      never,
    )
    for (const [at, { id }] of fresh.entries()) found.set(id, made[at])
    const whole = found as ReadonlyMap<string, Float32Array>
    for (const [id, vector] of whole) {
      vectors.delete(id)
      vectors.set(id, vector)
    }
    for (const id of vectors.keys()) {
      if (vectors.size <= mostVectors) break
      vectors.delete(id)
    }
    return whole
  }
  return {
    async of(tools, intent) {
      const runs = experience.runsAmong(tools)
      const vectorOf = await embed(runs)
      const votes = collectVotes(runs, new Set(tools), ({ id }) => cosine(vectorOf.get(id)!, intent))
      const counts = countEdges(graph, new Set(tools))
      const counted = (from: ToolId, to: ToolId): number => counts.get(from)?.get(to) ?? 0
      return {
        direction(from, to) {
          const [there, back] = weigh(votes, from, to) ?? [counted(from, to), counted(to, from)]
          return there + back === 0 ? 0 : directionWeight * Math.log((there + 0.5) / (back + 0.5))
        },
        path(from, to) {
          if (tools.length > mostForPaths) return 0
          const found = shortestPath(graph, { from, to, types: orderTypes })
          return found === undefined || found.edges.length < 2 ? 0 : 1 / found.cost
        },
        count(a, b) {
          const remembered = [pairKey(a, b), pairKey(b, a)].reduce(
            (sum, key) => sum + (votes.get(key)?.length ?? 0),
            0,
          )
          return remembered > 0 ? remembered : counted(a, b) + counted(b, a)
        },
        base: baseOf(experience.steps()),
        runs: (from, to) =>
          (votes.get(pairKey(from, to)) ?? [])
            .toSorted((a, b) => b.similarity - a.similarity)
            .map(({ run }) => run),
      }
    },
  }
}

/** How often runs showed one of the tools before another. One after the other is half of one because of the other. */
function countEdges(
  graph: Pick<KnowledgeGraph, 'outgoing'>,
  tools: ReadonlySet<ToolId>,
): ReadonlyMap<ToolId, ReadonlyMap<ToolId, number>> {
  const counts = new Map<ToolId, Map<ToolId, number>>()
  for (const from of tools) {
    const after = new Map<ToolId, number>()
    for (const { edge } of graph.outgoing(from)) {
      if (!tools.has(edge.to) || !orderTypes.has(edge.type)) continue
      const count = edge.type === 'sequence' ? edge.successes / 2 : edge.successes
      after.set(edge.to, Math.max(after.get(edge.to) ?? 0, count))
    }
    counts.set(from, after)
  }
  return counts
}

interface Vote {
  readonly run: string
  readonly similarity: number
}

/** By pair: the runs in which the second needed the first. */
function collectVotes(
  runs: readonly PastRun[],
  tools: ReadonlySet<ToolId>,
  similarityOf: (run: PastRun) => number,
): ReadonlyMap<string, readonly Vote[]> {
  const votes = new Map<string, Vote[]>()
  for (const run of runs) {
    const toolOf = new Map(run.tasks.map(({ id, tool }) => [id, tool]))
    let vote: Vote | undefined
    for (const { tool, dependsOn } of run.tasks) {
      if (!tools.has(tool)) continue
      for (const id of dependsOn) {
        const before = toolOf.get(id)
        if (before === undefined || before === tool || !tools.has(before)) continue
        vote ??= { run: run.id, similarity: similarityOf(run) }
        const key = pairKey(before, tool)
        const known = votes.get(key)
        if (known === undefined) votes.set(key, [vote])
        // Twice in one run is one run.
        else if (known.at(-1) !== vote) known.push(vote)
      }
    }
  }
  return votes
}

function weigh(
  votes: ReadonlyMap<string, readonly Vote[]>,
  from: ToolId,
  to: ToolId,
): readonly [number, number] | undefined {
  const [there, back] = [votes.get(pairKey(from, to)) ?? [], votes.get(pairKey(to, from)) ?? []]
  if (there.length + back.length === 0) return undefined
  const best = [...there, ...back].reduce((most, { similarity }) => Math.max(most, similarity), -1)
  const sum = (side: readonly Vote[]): number =>
    side.reduce((total, { similarity }) => total + Math.exp(sharpness * (similarity - best)), 0)
  return [sum(there), sum(back)]
}

function pairKey(from: ToolId, to: ToolId): string {
  return `${from.length} ${from} ${to}`
}

function baseOf({ total, linked }: { readonly total: number; readonly linked: number }): number {
  const share = Math.min(0.99, (linked + priorLinked) / (total + priorSteps))
  return Math.max(leastBase, Math.min(mostBase, logOdds(share) - logOdds(priorLinked / priorSteps)))
}

function logOdds(share: number): number {
  return Math.log(share / (1 - share))
}
