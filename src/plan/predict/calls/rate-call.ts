import type { JsonObject } from '../../../model/json.js'
import type { ArgumentSource } from '../../../model/predicted-call.js'
import type { ToolId } from '../../../model/tool.js'
import {
  argumentsOf,
  type ProposedArguments,
  sourcesOf,
  weakestSource,
} from '../arguments/propose-arguments.js'
import type { SessionCalls } from '../arguments/session-calls.js'
import { evidenceAt, evidenceNames } from '../arguments/weigh-evidence.js'
import { softmax } from '../create-ranker.js'

/** A proposed call with what speaks for its being made within three calls. */
export interface RatedCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
  readonly sources: Readonly<Record<string, ArgumentSource>>
  readonly weakest: ArgumentSource
  readonly key: string
  /** Of being the very next call, and of its tool's. */
  readonly next: number
  readonly toolNext: number
  /** By ratingNames. */
  readonly features: readonly number[]
  /** What is counted together: predictions like it, from the widest to the narrowest. */
  readonly cells: readonly string[]
}

export const ratingNames = [
  'bias',
  /** Log-odds of the tool, and log of the share among the calls of its tool. */
  'tool',
  'share',
  /** How often it stood among the first and another call was made. */
  'passed',
  'passedOften',
  /** The session's first call; how many there were. */
  'firstCall',
  'length',
  ...evidenceNames,
  /** It is the likeliest, the second likeliest; against the best of another tool, and against the best other one of its own. */
  'top',
  'second',
  'rival',
  'mate',
  /** The last call was of the same tool; the tool was not called yet, or so often. */
  'repeat',
  'fresh tool',
  'calls',
  /** So many of the last calls in a row were the likeliest one; the same where the tool is the last one's. */
  'foretold',
  'foretold again',
] as const

export interface ProposedCalls {
  readonly tool: ToolId
  readonly toolNext: number
  readonly proposed: readonly ProposedArguments[]
  /** Of each, and of all others. */
  readonly rows: readonly Float64Array[]
}

/** Further down, nearly none is ever made. */
const mostRated = 20

/** Of all calls that were proposed, the likeliest to be next, the likeliest first. */
export function rateCalls(
  offers: readonly ProposedCalls[],
  session: SessionCalls,
  weights: Float64Array,
): readonly RatedCall[] {
  const calls = offers
    .flatMap((offer) => likelihoods(offer, weights))
    .sort((a, b) => b.next - a.next || (a.one.key < b.one.key ? -1 : 1))
  const rivals = findRivals(calls)
  return calls.slice(0, mostRated).map((call, rank): RatedCall => {
    const { one, tool, toolNext, next } = call
    const weakest = weakestSource(one)
    return {
      ...{ tool, arguments: argumentsOf(one), sources: sourcesOf(one), weakest },
      ...{ key: one.key, next, toolNext },
      features: featuresOf(call, rank, rivals(call), session),
      cells: cellsOf(session.last?.tool ?? '^', tool, weakest, one),
    }
  })
}

interface LikelyCall {
  readonly one: ProposedArguments
  readonly tool: ToolId
  readonly toolNext: number
  /** Among the calls of its tool. */
  readonly share: number
  readonly next: number
}

function likelihoods({ tool, toolNext, proposed, rows }: ProposedCalls, weights: Float64Array): LikelyCall[] {
  const shares = softmax(Float64Array.from(rows, (row) => dot(row, weights)))
  return proposed.map((one, at) => ({
    ...{ one, tool, toolNext, share: shares[at]!, next: toolNext * shares[at]! },
  }))
}

interface Rivals {
  /** The likelihood of the best call of another tool, and of the best other one of its own. */
  readonly rival: number
  readonly mate: number
}

/** Of calls in the order of their likelihood. */
function findRivals(calls: readonly LikelyCall[]): (call: LikelyCall) => Rivals {
  const byTool = new Map<ToolId, LikelyCall[]>()
  for (const call of calls) {
    const firsts = byTool.get(call.tool) ?? []
    if (firsts.length < 2) byTool.set(call.tool, [...firsts, call])
  }
  const bests = [...byTool.values()].map(([best]) => best!)
  return (call) => ({
    rival: bests.find(({ tool }) => tool !== call.tool)?.next ?? 0,
    mate: byTool.get(call.tool)!.find((other) => other !== call)?.next ?? 0,
  })
}

/** By ratingNames. */
function featuresOf(
  { one, tool, toolNext, share, next }: LikelyCall,
  rank: number,
  { rival, mate }: Rivals,
  session: SessionCalls,
): readonly number[] {
  const passed = session.passedOver(one.key)
  const made = timesMade(tool, one, session)
  const isRepeat = session.last?.tool === tool ? 1 : 0
  const foretold = Math.log(1 + session.foretold)
  return [
    1,
    logit(toolNext),
    Math.log(share + 1e-4),
    Math.log(1 + passed),
    Math.min(3, passed),
    session.length === 0 ? 1 : 0,
    Math.log(1 + session.length),
    ...one.evidence,
    rank === 0 ? 1 : 0,
    rank === 1 ? 1 : 0,
    Math.log((next + 1e-4) / (rival + 1e-3)),
    Math.log((next + 1e-4) / (mate + 1e-3)),
    isRepeat,
    made === 0 ? 1 : 0,
    Math.log(1 + made),
    foretold,
    isRepeat * foretold,
  ]
}

/** Of a tool without arguments it is only known whether it was the last. */
function timesMade(tool: ToolId, { names: [first] }: ProposedArguments, session: SessionCalls): number {
  if (first !== undefined) return session.used(tool, first).count
  return session.last?.tool === tool ? 1 : 0
}

function cellsOf(
  after: string,
  tool: ToolId,
  weakest: ArgumentSource,
  { evidence }: ProposedArguments,
): readonly string[] {
  const by = `${tool} ${weakest}`
  const isMade = evidence[evidenceAt.made] === 1 ? ' made' : ''
  const isLater = evidence[evidenceAt.later]! > evidence[evidenceAt.next]! ? ' later' : ''
  return [by, `${after} ${by}`, `${after} ${by}${isMade}${isLater}`]
}

/** No likelihood is certain: beyond these one outcome would weigh as much as a hundred others. */
export function logit(share: number): number {
  const held = Number.isFinite(share) ? Math.min(0.995, Math.max(0.005, share)) : 0.005
  return Math.log(held / (1 - held))
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!
  return sum
}
