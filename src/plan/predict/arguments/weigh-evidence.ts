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

/** What speaks for one candidate by itself, by evidenceNames. */
export function weighCandidate(
  { rates, best, miss, origins, ago }: Candidate,
  isUsed: boolean,
): Float64Array {
  const evidence = new Float64Array(evidenceNames.length)
  for (const [wayClass, rate] of rates)
    for (const at of placesOf(wayClass)) if (rate > evidence[at]!) evidence[at] = rate
  evidence[evidenceAt.best] = logOf(best)
  evidence[evidenceAt.together] = logOf(1 - miss)
  evidence[evidenceAt.used] = isUsed ? 1 : 0
  evidence[evidenceAt.fresh] = origins.size > 0 && ago === 0 ? 1 : 0
  return evidence
}

export interface WeighedCandidate {
  readonly candidate: Candidate
  readonly evidence: Float64Array
}

export interface WeighedCall {
  readonly key: string
  readonly chosen: readonly WeighedCandidate[]
  /** Of calls with these arguments. */
  readonly share: number
}

/** What speaks for a call with these arguments: the mean of what speaks for each, and what they are together. */
export function weighCall({ key, chosen, share }: WeighedCall, session: SessionCalls): Float64Array {
  const evidence = new Float64Array(evidenceNames.length)
  let weakest = chosen.length === 0 ? 0 : Number.POSITIVE_INFINITY
  for (const one of chosen) {
    for (let at = 0; at < evidence.length; at++) evidence[at]! += one.evidence[at]! / chosen.length
    weakest = Math.min(weakest, one.evidence[evidenceAt.best]!)
  }
  const ago = session.madeAgo(key)
  evidence[evidenceAt.weakest] = weakest
  evidence[evidenceAt.made] = ago === undefined ? 0 : 1
  evidence[evidenceAt.madeLast] = ago === 0 ? 1 : 0
  evidence[evidenceAt.set] = Math.log(share)
  if (chosen.length > 1) {
    evidence[evidenceAt.oneRow] = haveCommon(chosen, ({ origins }) => origins) ? 1 : 0
    evidence[evidenceAt.oneCall] = haveCommon(chosen, ({ calls }) => calls) ? 1 : 0
  }
  return evidence
}

/** `result unused0` -> the places of `result` and `next`. */
function placesOf(wayClass: string): readonly number[] {
  const known = places.get(wayClass) ?? findPlaces(wayClass)
  places.set(wayClass, known)
  return known
}

/** As many as there are classes. */
const places = new Map<string, readonly number[]>()

function findPlaces(wayClass: string): readonly number[] {
  const [kind, pick = ''] = wayClass.split(' ') as [EvidenceName, string?]
  const name = picked[pick]
  return name === undefined ? [evidenceAt[kind]] : [evidenceAt[kind], evidenceAt[name]]
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

function haveCommon(
  chosen: readonly WeighedCandidate[],
  of: (one: Candidate) => ReadonlySet<string>,
): boolean {
  for (const one of of(chosen[0]!.candidate))
    if (chosen.every(({ candidate }) => of(candidate).has(one))) return true
  return false
}
