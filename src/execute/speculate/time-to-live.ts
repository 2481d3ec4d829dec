/**
 * How long a result that was read ahead may be given, for each tool, learned from how its results change by themselves.
 *
 * Changes are taken to come at random at a constant rate, a Poisson process. Whenever the same call was answered twice and no call that
 * may write came in between, the gap shows either that nothing changed for that long or that something did:
 *
 *     rate = (changes + 1) / (time without a change + prior time)
 *     a result has changed within t with the probability 1 - exp(-rate * t), so with 1 % within t = -ln(.99) / rate
 *
 * One change in the prior time of 50 minutes is what is believed of a tool that was never seen: 30 s. A gap that ends with a change adds
 * no time, since nobody knows when in it that was; so the estimate errs towards a shorter time.
 */
import { isObject, type Json, type JsonObject } from '../../model/json.js'
import type { ToolId } from '../../model/tool.js'

export interface TimesToLive {
  ofTool(tool: ToolId): number
  note(answer: Answer): void
  /** What is known of the tools; the calls behind it are not kept. */
  state(): JsonObject
  /** Takes the place of what was known. What cannot be read of it is left out. */
  load(state: Json): void
}

export interface Answer {
  readonly tool: ToolId
  /** Of the call: call-key.ts. */
  readonly key: string
  /** Of its server, while the call was under way. */
  readonly epoch: number
  /** Of what it answered. */
  readonly hash: string
  readonly at: number
}

/** Of a result that is given, how probable it may be that the server would say something else by now. */
const mostChanged = 0.01
const unseenMs = 30_000
const shortestMs = 1_000
const longestMs = 10 * 60_000
const perRate = -Math.log(1 - mostChanged)
const priorChanges = 1
const priorMs = (unseenMs * priorChanges) / perRate
/** A quiet night shows less than its length: one call alone must not speak for all others of its tool. */
const longestGapMs = 60 * 60_000
/** Beyond it everything counts half, so that a tool which changes its ways is followed; half of it is still ten minutes. */
const mostQuietMs = 48 * 60 * 60_000
const mostTools = 1_000
/** Some 200 bytes each. */
const mostCalls = 5_000

interface Seen {
  readonly changes: number
  readonly quietMs: number
}

export function createTimesToLive(): TimesToLive {
  /** Both: what was not touched for longest first. */
  let tools = new Map<ToolId, Seen>()
  const calls = new Map<string, Answer>()

  return {
    ofTool: (tool) => ttlOf(tools.get(tool) ?? unseen),
    note(answer) {
      const before = calls.get(answer.key)
      calls.delete(answer.key)
      calls.set(answer.key, answer)
      trim(calls, mostCalls)
      const gapMs = answer.at - (before?.at ?? answer.at)
      if (before === undefined || before.epoch !== answer.epoch || gapMs < 0) return
      const seen = tools.get(answer.tool) ?? unseen
      tools.delete(answer.tool)
      tools.set(answer.tool, learned(seen, gapMs, before.hash !== answer.hash))
      trim(tools, mostTools)
    },
    state: () => ({ tools: [...tools].map(([tool, { changes, quietMs }]) => [tool, changes, quietMs]) }),
    load(state) {
      const rows = isObject(state) && Array.isArray(state.tools) ? (state.tools as readonly Json[]) : []
      tools = new Map(rows.flatMap(readRow).slice(-mostTools))
    },
  }
}

const unseen: Seen = { changes: 0, quietMs: 0 }

function ttlOf({ changes, quietMs }: Seen): number {
  const rate = (changes + priorChanges) / (quietMs + priorMs)
  return Math.min(longestMs, Math.max(shortestMs, perRate / rate))
}

function learned({ changes, quietMs }: Seen, gapMs: number, hasChanged: boolean): Seen {
  if (hasChanged) return { changes: changes + 1, quietMs }
  const quiet = quietMs + Math.min(gapMs, longestGapMs)
  return quiet > mostQuietMs ? { changes: changes / 2, quietMs: quiet / 2 } : { changes, quietMs: quiet }
}

function readRow(row: Json): readonly (readonly [ToolId, Seen])[] {
  if (!Array.isArray(row)) return []
  const [tool, changes, quietMs] = row as readonly Json[]
  if (typeof tool !== 'string' || !isCount(changes) || !isCount(quietMs)) return []
  return [[tool as ToolId, { changes, quietMs: Math.min(quietMs, mostQuietMs) }]]
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value)
}

function trim<Key>(map: Map<Key, unknown>, most: number): void {
  if (map.size > most) map.delete(map.keys().next().value!)
}
