import type { Json, JsonObject } from '../../../model/json.js'
import type { ArgumentSource } from '../../../model/predicted-call.js'
import type { ToolId } from '../../../model/tool.js'
import { type Way, wayClass } from './argument-way.js'
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
  const targets = new Map<string, Target>()
  const targetOf = (argument: string): Target => {
    const target = targets.get(argument) ?? templates.target(tool, argument)
    targets.set(argument, target)
    return target
  }
  const known = new Map<string, Map<string, GrowingCandidate>>()
  const add = (argument: string, way: Way, rate: number, found: Found): void => {
    const values = known.get(argument) ?? new Map<string, GrowingCandidate>()
    known.set(argument, values)
    const value = ownValue(found.values, argument)!
    const key = keyOf(value)
    const one = values.get(key) ?? newCandidate(spellValue(value, targetOf(argument)), key)
    values.set(key, one)
    grow(one, way, rate, found)
  }
  const rows: { readonly values: JsonObject; readonly rate: number }[] = []
  for (const counted of templates.ways(tool, '')) {
    const found = followWay(counted.way, { tool, argument: '' }, session)
    if (found === undefined) continue
    const rate = templates.rate(counted, after)
    rows.push({ values: found.values, rate })
    for (const argument of Object.keys(found.values)) add(argument, counted.way, rate, found)
  }
  for (const argument of names) {
    const target = targetOf(argument)
    for (const counted of templates.ways(tool, argument)) {
      const rate = templates.rate(counted, after)
      for (const { way, share } of withFollowers(counted.way)) {
        const found = followWay(way, target, session)
        if (found === undefined) break
        add(argument, way, rate * share, found)
      }
    }
  }
  const bestRows = rows.sort((a, b) => b.rate - a.rate).slice(0, mostRows)
  return {
    of: (argument) => [...(known.get(argument)?.values() ?? [])].sort(byBest),
    fromRows: (argument) =>
      bestRows.flatMap(({ values }) => {
        const value = ownValue(values, argument)
        return (value !== undefined && known.get(argument)?.get(keyOf(value))) || []
      }),
  }
}

function byBest(a: Candidate, b: Candidate): number {
  return b.best - a.best || (a.key < b.key ? -1 : 1)
}

/** Who goes through a list comes to the one after the next, too: soon, if not at once. */
function withFollowers(way: Way): readonly { readonly way: Way; readonly share: number }[] {
  const first = { way, share: 1 }
  if (!('pick' in way) || !(way.pick === 'unused0' || way.pick === 'after0')) return [first]
  const [second, third] =
    way.pick === 'unused0' ? (['unused1', 'unused2'] as const) : (['after1', 'after2'] as const)
  return [
    first,
    { way: { ...way, pick: second }, share: shareOfSecond },
    { way: { ...way, pick: third }, share: shareOfThird },
  ]
}

/** Below the next one's, in the order they will come. */
const shareOfSecond = 0.4
const shareOfThird = 0.25

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

function grow(one: GrowingCandidate, way: Way, rate: number, { origin, ago }: Found): void {
  const name = wayClass(way)
  const before = one.rates.get(name) ?? 0
  if (rate > before) {
    one.rates.set(name, rate)
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
  one.source = way.kind
  one.ago = ago
}
