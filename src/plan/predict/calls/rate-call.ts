import type { JsonObject } from '../../../model/json.js'
import type { ArgumentSource } from '../../../model/predicted-call.js'
import type { ToolId } from '../../../model/tool.js'
import type { ProposedArguments } from '../arguments/propose-arguments.js'
import { callKey, type SessionCalls } from '../arguments/session-calls.js'
import { evidenceAt, evidenceNames } from '../arguments/weigh-evidence.js'
import { softmax } from '../create-ranker.js'

/** A proposed call with what speaks for its being made within three calls. */
export interface RatedCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
  readonly sources: ProposedArguments['sources']
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

/** All calls that were proposed, the likeliest to be next first. */
export function rateCalls(
  offers: readonly ProposedCalls[],
  session: SessionCalls,
  weights: Float64Array,
): readonly RatedCall[] {
  const calls = offers
    .flatMap(({ tool, toolNext, proposed, rows }) => {
      const shares = softmax(Float64Array.from(rows, (row) => dot(row, weights)))
      return proposed.map((one, at) => ({
        ...{ one, tool, toolNext, share: shares[at]!, next: toolNext * shares[at]! },
        key: callKey(tool, one.arguments),
      }))
    })
    .sort((a, b) => b.next - a.next || (a.key < b.key ? -1 : 1))
  const bestOf = new Map<ToolId, (typeof calls)[number]>()
  for (const call of calls) if (!bestOf.has(call.tool)) bestOf.set(call.tool, call)
  const secondOf = new Map<ToolId, (typeof calls)[number]>()
  for (const call of calls)
    if (bestOf.get(call.tool) !== call && !secondOf.has(call.tool)) secondOf.set(call.tool, call)
  const after = session.last?.tool ?? '^'
  return calls.map(({ one, tool, toolNext, share, next, key }, at): RatedCall => {
    const rival = [...bestOf.values()].find((other) => other.tool !== tool)?.next ?? 0
    const mate = (bestOf.get(tool)!.key === key ? secondOf : bestOf).get(tool)?.next ?? 0
    const [first] = Object.keys(one.arguments)
    const made = first === undefined ? (session.last?.tool === tool ? 1 : 0) : session.used(tool, first).count
    const passed = session.passedOver(key)
    const { arguments: args, sources, weakest, evidence } = one
    return {
      ...{ tool, arguments: args, sources, weakest, key, next, toolNext },
      features: [
        1,
        logit(toolNext),
        Math.log(share + 1e-4),
        Math.log(1 + passed),
        Math.min(3, passed),
        session.length === 0 ? 1 : 0,
        Math.log(1 + session.length),
        ...evidence,
        at === 0 ? 1 : 0,
        at === 1 ? 1 : 0,
        Math.log((next + 1e-4) / (rival + 1e-3)),
        Math.log((next + 1e-4) / (mate + 1e-3)),
        session.last?.tool === tool ? 1 : 0,
        made === 0 ? 1 : 0,
        Math.log(1 + made),
        Math.log(1 + session.foretold),
        session.last?.tool === tool ? Math.log(1 + session.foretold) : 0,
      ],
      cells: cellsOf(after, tool, one),
    }
  })
}

function cellsOf(after: string, tool: ToolId, { weakest, evidence }: ProposedArguments): readonly string[] {
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
