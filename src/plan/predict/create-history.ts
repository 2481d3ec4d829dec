/**
 * How sessions went: what came after what, counted. Everything is bounded, and what is not seen again fades: a count is worth half
 * after 30 days of others coming instead.
 */
import type { ToolId } from '../../model/tool.js'
import type { Trail } from './trail.js'

export interface History {
  /** The trail as it was before this step. */
  count(trail: Trail, step: { readonly tool: ToolId; readonly success: boolean; readonly at: number }): void
  /** What came after the last `order` steps; undefined where nobody was there yet. */
  after(trail: Trail, order: number): Follow | undefined
  /** The same where runs of one tool are one step, of what ended a run; order 0 is all that ever ended one. */
  onward(trail: Trail, order: number): Follow | undefined
  /** What ended a run after each of the tools that this session used, whenever that was: one for each but the last tool. */
  alongside(trail: Trail): readonly Follow[]
  /** How often each tool was yet to come, at whatever distance, of all the times that something came after the last tool. */
  yetToCome(trail: Trail): Follow | undefined
  /** How often a run of the last tool, as long as this one, went on: smoothed to runs of one. */
  goesOn(trail: Trail): number
  /** How often a tool that was used before came back, at each step. */
  comesBack(tool: ToolId): number
  /** Share of failures of `tool` right after the last one failed; 0 unless it did. */
  failsToo(trail: Trail, tool: ToolId): number
  /** Share of sessions that used it. */
  share(tool: ToolId): number
  lastSeen(tool: ToolId): number | undefined
  /** Tools of the project, the latest first, at most so many and at most 50. */
  latest(most: number): readonly ToolId[]
  /** The most frequent first, at most so many. */
  frequent(most: number): readonly ToolId[]
  /** How many things are kept, for who checks that they are bounded. */
  size(): number
}

/** How often each tool came in one context. */
export interface Follow {
  readonly total: number
  readonly counts: ReadonlyMap<ToolId, number>
}

interface Context {
  total: number
  at: number
  readonly counts: Map<ToolId, number>
}

const halfLifeMs = 30 * 24 * 60 * 60 * 1000
/** Some 10 MB at most; the one that was not seen for longest goes first. */
const mostContexts = 20_000
/** Whatever comes more seldom than 64 others there is no guess. */
const mostFollowers = 64
const mostTools = 10_000
const mostRecent = 50
/** A tool that was used 20 others ago, or 20 steps, says no more about what comes than history does. */
const farthestBack = 20
const orders = [0, 1, 2, 3] as const
/** Longer runs are all alike. */
const longestRun = 4

export function createHistory(): History {
  const contexts = new Map<string, Context>()
  const runs = new Map<string, { again: number; of: number }>()
  const returns = new Map<ToolId, { again: number; of: number }>()
  const pairs = new Map<string, { failed: number; of: number }>()
  const sessionsWith = new Map<ToolId, number>()
  const seenAt = new Map<ToolId, number>()
  /** The last few tools, each once, the newest last. */
  let recent: readonly ToolId[] = []
  let sessions = 0
  let ranked: readonly ToolId[] = []
  let sinceRanked = 0

  const countIn = (key: string, tool: ToolId, at: number, most: number): void => {
    const known = contexts.get(key) ?? { total: 0, at, counts: new Map<ToolId, number>() }
    touch(contexts, key, known, mostContexts)
    fade(known, at)
    known.counts.set(tool, (known.counts.get(tool) ?? 0) + 1)
    known.total += 1
    if (known.counts.size > most) dropRarest(known, most)
  }

  const history: History = {
    count(trail, { tool, success, at }) {
      for (const order of orders)
        countIn(keyOf('then', trail.last(order)), tool, at, order === 0 ? mostTools : mostFollowers)
      const last = trail.tool
      if (last === undefined) sessions += 1
      else {
        if (tool !== last) {
          for (const order of orders)
            countIn(keyOf('onward', trail.lastRuns(order)), tool, at, order === 0 ? mostTools : mostFollowers)
          for (const used of usedBefore(trail)) countIn(keyOf('with', [used]), tool, at, mostFollowers)
        }
        for (const earlier of notYetFollowed(trail, tool))
          countIn(keyOf('later', [earlier]), tool, at, mostFollowers)
        tally(runs, runKey(last, trail.run), tool === last)
        for (const seen of trail.seen.keys()) if (seen !== last) tally(returns, seen, seen === tool)
        if (trail.failed) {
          const key = keyOf('failed', [last, tool])
          const pair = pairs.get(key) ?? { failed: 0, of: 0 }
          pair.of += 1
          if (!success) pair.failed += 1
          touch(pairs, key, pair, mostContexts)
        }
      }
      if (!trail.seen.has(tool)) touch(sessionsWith, tool, (sessionsWith.get(tool) ?? 0) + 1, mostTools)
      touch(seenAt, tool, at, mostTools)
      recent = [...recent.filter((other) => other !== tool).slice(-mostRecent), tool]
      sinceRanked += 1
    },
    after: (trail, order) => contexts.get(keyOf('then', trail.last(order))),
    onward: (trail, order) => contexts.get(keyOf('onward', trail.lastRuns(order))),
    alongside: (trail) => usedBefore(trail).flatMap((used) => contexts.get(keyOf('with', [used])) ?? []),
    yetToCome(trail) {
      const later = contexts.get(keyOf('later', trail.last(1)))
      const times = contexts.get(keyOf('then', trail.last(1)))
      return later && times && { total: times.total, counts: later.counts }
    },
    goesOn(trail) {
      if (trail.tool === undefined) return 0
      const first = runs.get(runKey(trail.tool, 1)) ?? { again: 0, of: 0 }
      const here = runs.get(runKey(trail.tool, trail.run)) ?? { again: 0, of: 0 }
      // Where nothing is known a third goes on, as of real steps.
      const usual = (first.again + 0.6) / (first.of + 2)
      return (here.again + 2 * usual) / (here.of + 2)
    },
    comesBack(tool) {
      const { again, of } = returns.get(tool) ?? { again: 0, of: 0 }
      return (again + 0.2) / (of + 2)
    },
    failsToo(trail, tool) {
      if (!trail.failed || trail.tool === undefined) return 0
      const { failed, of } = pairs.get(keyOf('failed', [trail.tool, tool])) ?? { failed: 0, of: 0 }
      return failed / (of + 2)
    },
    share: (tool) => (sessionsWith.get(tool) ?? 0) / (sessions + 1),
    lastSeen: (tool) => seenAt.get(tool),
    latest: (most) => recent.slice(-most).reverse(),
    frequent(most) {
      const all = contexts.get(keyOf('then', []))?.counts
      // A rare newcomer does not matter, and sorting thousands at each step would.
      if (all !== undefined && (ranked.length < most || sinceRanked > 50)) {
        ranked = [...all]
          .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
          .slice(0, most)
          .map(([tool]) => tool)
        sinceRanked = 0
      }
      return ranked
    },
    size: () =>
      [...contexts.values()].reduce((sum, { counts }) => sum + counts.size, 0) +
      runs.size +
      returns.size +
      pairs.size +
      sessionsWith.size +
      seenAt.size,
  }
  return history
}

function usedBefore(trail: Trail): readonly ToolId[] {
  return [...trail.seen.keys()].slice(-farthestBack).filter((used) => used !== trail.tool)
}

/** The steps that `tool` is yet to come after for the first time: those since it was there. */
function notYetFollowed(trail: Trail, tool: ToolId): readonly ToolId[] {
  const since = trail.length - (trail.seen.get(tool)?.at ?? 1) + 1
  return trail.steps.slice(-Math.min(since, farthestBack)).map((step) => step.tool)
}

/** Names of tools may hold any character but a line's end, which the gateway takes for none. */
function keyOf(kind: string, tools: readonly string[]): string {
  return [kind, ...tools].join('\n')
}

function runKey(tool: ToolId, run: number): string {
  return keyOf(String(Math.min(run, longestRun)), [tool])
}

/** The newest last; where there are too many, the oldest tenth goes at once: looking for the first one of a map costs as much. */
function touch<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, most: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size <= most) return
  let toDrop = Math.ceil(most / 10)
  for (const oldest of map.keys()) {
    if (toDrop-- <= 0) return
    map.delete(oldest)
  }
}

function tally<Key>(map: Map<Key, { again: number; of: number }>, key: Key, again: boolean): void {
  const known = map.get(key) ?? { again: 0, of: 0 }
  known.of += 1
  if (again) known.again += 1
  touch(map, key, known, mostContexts)
}

function fade(context: Context, at: number): void {
  const factor = 0.5 ** (Math.max(0, at - context.at) / halfLifeMs)
  // Within an hour nothing fades that anybody could see; hours add up, as the time stays that of the last fading.
  if (factor > 0.999) return
  context.at = at
  context.total = 0
  for (const [tool, count] of context.counts) {
    context.counts.set(tool, count * factor)
    context.total += count * factor
  }
}

/** A tenth at once, the rarest first and the oldest of equals: one by one would be a look at all for each newcomer. */
function dropRarest(context: Context, most: number): void {
  const rarest = [...context.counts]
    .sort(([, a], [, b]) => a - b)
    .slice(0, context.counts.size - Math.ceil(most * 0.9))
  for (const [tool, count] of rarest) {
    context.counts.delete(tool)
    context.total -= count
  }
}
