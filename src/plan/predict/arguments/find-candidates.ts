import type { Json, JsonObject } from '../../../model/json.js'
import type { ArgumentSource } from '../../../model/predicted-call.js'
import type { ToolId } from '../../../model/tool.js'
import { type Pick, type Way, wayClass } from './argument-way.js'
import type { CountedWay } from './counted-way.js'
import type { Templates } from './create-templates.js'
import { type Found, followWay, type Target } from './follow-way.js'
import { ownValue } from './own-value.js'
import type { SessionCalls } from './session-calls.js'
import { spellValue } from './spell-value.js'
import { keyOf } from './value-key.js'

/** A value that an argument may get, and all that leads to it. */
export interface Candidate {
  readonly value: Json
  readonly key: string
  /** The best rate by class of way. */
  readonly rates: ReadonlyMap<string, number>
  /** Rows and arguments that it stands in, and the calls that these are of. */
  readonly origins: ReadonlySet<string>
  readonly calls: ReadonlySet<string>
  /** The best rate, and the way that has it. */
  readonly best: number
  readonly source: ArgumentSource
  readonly ago: number
  /** That no class of ways is right, if each were by itself. */
  readonly miss: number
}

export interface Candidates {
  /** The best first. */
  of(argument: string): readonly Candidate[]
  /** What rows put forward for an argument, the best row first. */
  fromRows(argument: string): readonly Candidate[]
}

/** Of one argument, the best of each look. */
export const mostValues = 6
/** Rows whose values stay among the candidates, however good others are. */
const mostRows = 4

/** The values that known ways lead to, for each of these arguments of a tool. */
export function findCandidates(
  tool: ToolId,
  names: Iterable<string>,
  session: SessionCalls,
  templates: Templates,
): Candidates {
  const after = session.last?.tool ?? ''
  const known = new Map<string, Map<string, GrowingCandidate>>()
  const valuesOf = (argument: string): Map<string, GrowingCandidate> => {
    const values = known.get(argument) ?? new Map<string, GrowingCandidate>()
    known.set(argument, values)
    return values
  }
  const add = (target: Target, name: WayName, rate: number, value: Json, found: Found): void => {
    const values = valuesOf(target.argument)
    const key = keyOf(value)
    const one = values.get(key) ?? newCandidate(spellValue(value, target), key)
    values.set(key, one)
    grow(one, name, rate, found)
  }
  const addRows = (): readonly RatedRow[] =>
    templates.ways(tool, '').flatMap((counted) => {
      const { way } = counted
      const found = followWay(way, { tool, argument: '' }, session)
      if (found === undefined) return []
      const rate = templates.rate(counted, after)
      for (const [argument, value] of Object.entries(found.values))
        add(templates.target(tool, argument), nameOf(way), rate, value, found)
      return [{ values: found.values, rate }]
    })
  const addWay = (target: Target, { way }: CountedWay, rate: number): void => {
    const found = followWay(way, target, session)
    if (found === undefined) return
    add(target, nameOf(way), rate, found.values[target.argument]!, found)
    for (const { pick, share } of followersOf(way)) {
      const later = followWay({ ...way, pick } as Way, target, session)
      if (later === undefined) return
      add(target, nameOf({ ...way, pick } as Way), rate * share, later.values[target.argument]!, later)
    }
  }
  /** A constant that so many are better than is no candidate, unless something else leads to it. */
  const addConstants = (target: Target, constants: readonly RatedConstant[]): void => {
    const values = valuesOf(target.argument)
    let left = mostValues
    for (const { key, value, rate } of constants.toSorted(byRate))
      if (values.has(key) || left-- > 0) add(target, constantName, rate, value, nowhereFound)
  }

  const rows = addRows()
  for (const argument of names) {
    const target = templates.target(tool, argument)
    const constants: RatedConstant[] = []
    for (const counted of templates.ways(tool, argument)) {
      const rate = templates.rate(counted, after)
      if (counted.way.kind !== 'constant') addWay(target, counted, rate)
      else constants.push({ key: keyOf(counted.way.value), value: counted.way.value, rate })
    }
    addConstants(target, constants)
  }
  const bestRows = rows.toSorted((a, b) => b.rate - a.rate).slice(0, mostRows)
  return {
    of: (argument) => [...valuesOf(argument).values()].sort(byBest).slice(0, mostValues),
    fromRows: (argument) =>
      bestRows.flatMap(({ values }) => {
        const value = ownValue(values, argument)
        return (value !== undefined && valuesOf(argument).get(keyOf(value))) || []
      }),
  }
}

interface RatedRow {
  readonly values: JsonObject
  readonly rate: number
}

interface RatedConstant {
  readonly key: string
  readonly value: Json
  readonly rate: number
}

function byRate(a: RatedConstant, b: RatedConstant): number {
  return b.rate - a.rate || (a.key < b.key ? -1 : 1)
}

function byBest(a: Candidate, b: Candidate): number {
  return b.best - a.best || (a.key < b.key ? -1 : 1)
}

interface WayName {
  readonly kind: ArgumentSource
  readonly wayClass: string
}

function nameOf(way: Way): WayName {
  return { kind: way.kind, wayClass: wayClass(way) }
}

const constantName: WayName = { kind: 'constant', wayClass: 'constant' }
const nowhereFound: Found = { values: {}, ago: 0 }

interface Follower {
  readonly pick: Pick
  readonly share: number
}

/** Who goes through a list comes to the one after the next, too: soon, if not at once. */
function followersOf(way: Way): readonly Follower[] {
  if (!('pick' in way)) return []
  return way.pick === 'unused0' ? unusedFollowers : way.pick === 'after0' ? afterFollowers : []
}

/** Below the next one's, in the order they will come. */
const shareOfSecond = 0.4
const shareOfThird = 0.25
const unusedFollowers: readonly Follower[] = [
  { pick: 'unused1', share: shareOfSecond },
  { pick: 'unused2', share: shareOfThird },
]
const afterFollowers: readonly Follower[] = [
  { pick: 'after1', share: shareOfSecond },
  { pick: 'after2', share: shareOfThird },
]

interface GrowingCandidate extends Candidate {
  readonly rates: Map<string, number>
  origins: Set<string>
  calls: Set<string>
  best: number
  source: ArgumentSource
  ago: number
  miss: number
}

function newCandidate(value: Json, key: string): GrowingCandidate {
  return {
    value,
    key,
    rates: new Map(),
    origins: nowhere,
    calls: nowhere,
    best: 0,
    source: 'constant',
    ago: 0,
    miss: 1,
  }
}

/** Most candidates are constants, thousands of a look: one for all of them. */
const nowhere = new Set<string>()

function grow(
  one: GrowingCandidate,
  { kind, wayClass }: WayName,
  rate: number,
  { origin, ago }: Found,
): void {
  const before = one.rates.get(wayClass) ?? 0
  if (rate > before) {
    one.rates.set(wayClass, rate)
    one.miss *= (1 - rate) / (1 - before)
  }
  if (origin !== undefined) {
    if (one.origins === nowhere) {
      one.origins = new Set()
      one.calls = new Set()
    }
    one.origins.add(`${origin.from}${origin.row}`)
    one.calls.add(origin.from)
  }
  if (rate <= one.best) return
  one.best = rate
  one.source = kind
  one.ago = ago
}
