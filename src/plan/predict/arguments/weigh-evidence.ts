import type { JsonObject } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'
import type { Candidate } from './find-candidates.js'
import type { SessionCalls } from './session-calls.js'

export const evidenceNames = [
  /** Log of the best way's rate, of all ways together, and of the argument that is believed least; means over the arguments. */
  'best',
  'together',
  'weakest',
  /** The rate of the best way of each kind. */
  'constant',
  'same',
  'step',
  'argument',
  'result',
  'row',
  'request',
  'join',
  /** The rate of the best way that picks so. */
  'first',
  'last',
  'next',
  'later',
  'named',
  /** The very call was made in this session: at all, and just before. */
  'made',
  'madeLast',
  /** The share of arguments that had these values before. */
  'used',
  /** The share of arguments that come from the newest call. */
  'fresh',
  /** All arguments come from one row, from one call. */
  'oneRow',
  'oneCall',
  /** Log of the share of calls with these arguments. */
  'set',
  /** Of no candidate but the one that stands for all others. */
  'other',
  'otherMany',
] as const

export type EvidenceName = (typeof evidenceNames)[number]

export const evidenceAt = Object.fromEntries(evidenceNames.map((name, at) => [name, at])) as Readonly<
  Record<EvidenceName, number>
>

/** What stands for all arguments that were not proposed. */
export function otherArguments(proposed: number): Float64Array {
  const evidence = new Float64Array(evidenceNames.length)
  evidence[evidenceAt.other] = 1
  evidence[evidenceAt.otherMany] = Math.log(1 + proposed)
  return evidence
}

/** A candidate with what speaks for it alone, by evidenceNames. */
export interface WeighedCandidate extends Candidate {
  readonly evidence: Float64Array
}

export function weighCandidate(one: Candidate, isUsed: boolean): WeighedCandidate {
  const evidence = new Float64Array(evidenceNames.length)
  const raise = (name: EvidenceName, rate: number): void => {
    evidence[evidenceAt[name]] = Math.max(rate, evidence[evidenceAt[name]]!)
  }
  for (const [wayClass, rate] of one.rates) for (const name of namesOf(wayClass)) raise(name, rate)
  evidence[evidenceAt.best] = logOf(one.best)
  evidence[evidenceAt.together] = logOf(1 - one.miss)
  evidence[evidenceAt.used] = isUsed ? 1 : 0
  evidence[evidenceAt.fresh] = one.origins.size > 0 && one.ago === 0 ? 1 : 0
  return { ...one, evidence }
}

export interface WeighedCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
  readonly chosen: readonly WeighedCandidate[]
  /** Of calls with these arguments. */
  readonly share: number
}

/** What speaks for a call with these arguments: the mean of what speaks for each, and what they are together. */
export function weighCall(
  { tool, arguments: args, chosen, share }: WeighedCall,
  session: SessionCalls,
): Float64Array {
  const evidence = meanOf(chosen.map((one) => one.evidence))
  const put = (name: EvidenceName, value: number): void => {
    evidence[evidenceAt[name]] = value
  }
  const ago = session.madeAgo(tool, args)
  put(
    'weakest',
    chosen.reduce((least, { best }) => Math.min(least, logOf(best)), chosen.length === 0 ? 0 : Infinity),
  )
  put('made', ago === undefined ? 0 : 1)
  put('madeLast', ago === 0 ? 1 : 0)
  put('set', Math.log(share))
  if (chosen.length > 1) {
    put('oneRow', haveCommon(chosen.map(({ origins }) => origins)) ? 1 : 0)
    put('oneCall', haveCommon(chosen.map(({ calls }) => calls)) ? 1 : 0)
  }
  return evidence
}

/** `result unused0` -> result, next. */
function namesOf(wayClass: string): readonly EvidenceName[] {
  const [kind, pick] = wayClass.split(' ') as [EvidenceName, string | undefined]
  return pick === undefined || picked[pick] === undefined ? [kind] : [kind, picked[pick]]
}

const picked: Readonly<Record<string, EvidenceName>> = {
  first: 'first',
  last: 'last',
  unused0: 'next',
  after0: 'next',
  unused1: 'later',
  unused2: 'later',
  after1: 'later',
  after2: 'later',
  named: 'named',
}

/** Nothing is impossible. */
function logOf(rate: number): number {
  return Math.log(rate + 0.01)
}

function meanOf(rows: readonly Float64Array[]): Float64Array {
  const mean = new Float64Array(evidenceNames.length)
  for (const row of rows) for (let at = 0; at < row.length; at++) mean[at]! += row[at]! / rows.length
  return mean
}

function haveCommon([first, ...others]: readonly ReadonlySet<string>[]): boolean {
  for (const one of first!) if (others.every((other) => other.has(one))) return true
  return false
}
