import type { Analysis } from '../../graph/create-analysis.js'
import { parseToolId, type ToolId } from '../../model/tool.js'
import type { Follow, History } from './create-history.js'
import type { NextToolsOptions } from './next-tools.js'
import { placeOf, signalNames } from './signals.js'
import type { Trail } from './trail.js'
import type { IntentView } from './view-intent.js'

export interface Situation {
  readonly trail: Trail
  readonly intent: IntentView
  readonly history: History
  readonly analysis: Analysis
}

export interface Candidate {
  readonly tool: ToolId
  /** By place, see signals.ts. */
  readonly signals: Float64Array
}

/** Of each source: what it names only further down is no guess. */
const mostFrequent = 100
const mostLatest = 20
const mostAround = 20
/** So many times more as usual: where little was counted, little is said. */
const asUsual = 3
/** Nothing is impossible. */
const rarest = 0.005
const dayMs = 24 * 60 * 60 * 1000

/** The tools that some signal names, and what each says of them. */
export function readSignals(
  situation: Situation,
  { graph, now }: Pick<NextToolsOptions, 'graph' | 'now'>,
): readonly Candidate[] {
  const { trail, intent, history, analysis } = situation
  const last = trail.tool
  const follows = [0, 1, 2, 3].map((order) => history.after(trail, order))
  const onwards = last === undefined ? [] : [1, 2, 3].map((order) => history.onward(trail, order))
  const chain = follows[2] ?? follows[1] ?? follows[0]
  const chainFirst = mostFrequentIn(chain)
  const changes = history.onward(trail, 0)
  const alongside = history.alongside(trail)
  const yetToCome = history.yetToCome(trail)
  const around = last === undefined ? [] : graph.outgoing(last).slice(0, mostAround)
  const home = last === undefined ? undefined : analysis.communities.get(last)

  const tools = new Set<ToolId>([
    ...history.frequent(mostFrequent),
    ...history.latest(mostLatest),
    ...trail.seen.keys(),
    ...follows.slice(1).flatMap((follow) => [...(follow?.counts.keys() ?? [])]),
    ...onwards.flatMap((follow) => [...(follow?.counts.keys() ?? [])]),
    ...around.map(({ edge }) => edge.to),
    ...intent.tools.keys(),
  ])
  const here = transitionsIn(trail)
  const intentNext = intent.after(last)
  const recurring = intent.afterInSame(last)
  const goesOn = history.goesOn(trail)
  const time = now()
  const server = last === undefined ? undefined : `${parseToolId(last)?.server}:`
  const topRank = largestRank(analysis)

  return Array.from(tools, (tool) => {
    const row = new Float64Array(signalNames.length)
    const seen = trail.seen.get(tool)
    const recency = seen === undefined ? 0 : 1 / (trail.length - seen.at + 1)

    const shares = backOff(follows, tool, 1 / (tools.size + 1))
    for (const [order, share] of shares.entries()) row[placeOf.order0 + order] = share
    const [any, usual] = shares as [number, number, number, number]
    row[placeOf.history] = Math.log(shares[3]!)
    if (chain !== undefined) row[placeOf.chain] = (chain.counts.get(tool) ?? 0) / chain.total
    if (tool === chainFirst) row[placeOf.chainFirst] = 1
    if (tool !== last)
      for (const [at, share] of backOff(onwards, tool, any).entries()) row[placeOf.onward1 + at] = share

    if (tool !== last) row[placeOf.alongside] = meanLift(alongside, tool, shareIn(changes, tool, tools.size))
    const later = liftIn(yetToCome, tool, history.share(tool) + rarest)
    row[placeOf.yetToCome] = later
    if (seen === undefined) {
      row[placeOf.yetToComeFresh] = later
      row[placeOf.words] = intent.words(tool)
    }

    if (tool === last) {
      row[placeOf.repeat] = 1
      row[placeOf.run] = goesOn
      if (trail.failed) row[placeOf.retry] = 1
    } else if (seen !== undefined) row[placeOf.again] = history.comesBack(tool)
    row[placeOf.recency] = recency
    row[placeOf.count] = Math.min(1, (seen?.count ?? 0) / 4)
    const lately = seen === undefined ? freshness(history.lastSeen(tool), time) : 0
    row[placeOf.lately] = lately
    row[placeOf.session] = (here.counts.get(tool) ?? 0) / (here.total + 0.5)
    if (server !== undefined && tool.startsWith(server)) row[placeOf.server] = 1
    row[placeOf.failures] = history.failsToo(trail, tool)

    const cooccurrence = last === undefined ? 0 : graph.weight(last, tool)
    const community = home !== undefined && analysis.communities.get(tool) === home ? 1 : 0
    const pagerank = topRank === 0 ? 0 : (analysis.pageRank.get(tool) ?? 0) / topRank
    row[placeOf.cooccurrence] = cooccurrence
    row[placeOf.community] = community
    row[placeOf.pagerank] = pagerank
    row[placeOf.mix] = Math.min(
      1,
      0.6 * cooccurrence + 0.3 * community + 0.1 * Math.max(recency, lately / 2) + 0.1 * pagerank,
    )

    if (intent.total > 0) {
      // One session that used everything as usual beside the like ones; 2 % so that nothing is impossible.
      const base = history.share(tool) + 0.02
      const share = ((intent.tools.get(tool) ?? 0) + base) / (intent.total + 1)
      const lift = Math.log(share / base)
      row[placeOf.intent] = Math.min(1, share)
      if (seen !== undefined) row[placeOf.intentSeen] = Math.min(1, share)
      row[placeOf.intentLift] = lift
      if (seen === undefined) row[placeOf.intentFresh] = lift
    }
    if (intentNext !== undefined) {
      const count = intentNext.counts.get(tool) ?? 0
      row[placeOf.intentNext] = count / (intentNext.total + 0.5)
      row[placeOf.intentNextLift] = Math.log((count + 0.5 * usual) / (intentNext.total + 0.5) / usual)
    }
    if (recurring !== undefined)
      row[placeOf.recurs] = (recurring.counts.get(tool) ?? 0) / (recurring.total + 0.5)
    const named = intent.names(tool)
    row[placeOf.named] = named
    if (seen !== undefined) row[placeOf.namedSeen] = named
    return { tool, signals: row }
  })
}

/**
 * Shares of a tool in ever longer contexts, each mixed with the one before by how many different tools came there: where
 * anything may follow, the shorter one is believed. I. Witten, T. Bell, "The zero-frequency problem", IEEE Transactions on
 * Information Theory 37(4), 1991.
 */
function backOff(follows: readonly (Follow | undefined)[], tool: ToolId, floor: number): readonly number[] {
  let share = floor
  return follows.map((follow) => {
    if (follow !== undefined) {
      const kinds = follow.counts.size
      share = ((follow.counts.get(tool) ?? 0) + kinds * share) / (follow.total + kinds)
    }
    return share
  })
}

/** The one that came first, of several. */
function mostFrequentIn(follow: Follow | undefined): ToolId | undefined {
  let first: ToolId | undefined
  let most = 0
  for (const [tool, count] of follow?.counts ?? []) {
    if (count <= most) continue
    most = count
    first = tool
  }
  return first
}

/** One more of each tool, so that none is impossible. */
function shareIn(follow: Follow | undefined, tool: ToolId, tools: number): number {
  return ((follow?.counts.get(tool) ?? 0) + 1) / ((follow?.total ?? 0) + tools + 1)
}

/** How much likelier than `usual`, as a logarithm. */
function liftIn(follow: Follow | undefined, tool: ToolId, usual: number): number {
  if (follow === undefined) return 0
  return Math.log(((follow.counts.get(tool) ?? 0) / usual + asUsual) / (follow.total + asUsual))
}

function meanLift(follows: readonly Follow[], tool: ToolId, usual: number): number {
  if (follows.length === 0) return 0
  return follows.reduce((sum, follow) => sum + liftIn(follow, tool, usual), 0) / follows.length
}

/** What came after the last tool earlier in this session. */
function transitionsIn({ steps, tool: last }: Trail): Follow {
  const counts = new Map<ToolId, number>()
  let total = 0
  for (let at = 0; at + 1 < steps.length; at++) {
    if (steps[at]!.tool !== last) continue
    const next = steps[at + 1]!.tool
    counts.set(next, (counts.get(next) ?? 0) + 1)
    total += 1
  }
  return { total, counts }
}

/** 1 just now, 0 a day ago and before. */
function freshness(seenAt: number | undefined, time: number): number {
  return seenAt === undefined ? 0 : Math.min(1, Math.max(0, 1 - (time - seenAt) / dayMs))
}

const largest = new WeakMap<Analysis, number>()

/** Once for each analysis: it holds every tool. */
function largestRank(analysis: Analysis): number {
  const known = largest.get(analysis)
  if (known !== undefined) return known
  let top = 0
  for (const rank of analysis.pageRank.values()) top = Math.max(top, rank)
  largest.set(analysis, top)
  return top
}
