/**
 * Candidate arguments of a call, and what speaks for each. Every argument gets the values that known ways lead to; sets of them are put together
 * from the best of each, those of one row as a whole.
 */
import { canonicalJson, type Json, type JsonObject } from '../../../model/json.js'
import type { ArgumentSource } from '../../../model/predicted-call.js'
import type { ToolId } from '../../../model/tool.js'
import { type Way, wayClass } from './argument-way.js'
import type { Templates } from './create-templates.js'
import { followWay } from './follow-way.js'
import { keyOf, type SessionCalls } from './session-calls.js'

export interface ProposedArguments {
  readonly arguments: JsonObject
  readonly sources: Readonly<Record<string, ArgumentSource>>
  readonly weakest: ArgumentSource
  /** By evidenceNames. */
  readonly evidence: Float64Array
}

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
  /** The values were given to these arguments before. */
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

type EvidenceName = (typeof evidenceNames)[number]
const evidenceAt = Object.fromEntries(evidenceNames.map((name, at) => [name, at])) as Readonly<Record<EvidenceName, number>>

/** What stands for all arguments that were not proposed. */
export function otherArguments(proposed: number): Float64Array {
  const evidence = new Float64Array(evidenceNames.length)
  evidence[evidenceAt.other] = 1
  evidence[evidenceAt.otherMany] = Math.log(1 + proposed)
  return evidence
}

const valuesPerArgument = 6
const mostSets = 3
const mostProposed = 24

interface Candidate {
  readonly value: Json
  readonly key: string
  /** The best rate by class of way. */
  readonly rates: Map<string, number>
  readonly origins: Set<string>
  best: number
  source: ArgumentSource
  miss: number
  ago: number
}

export function proposeArguments(
  tool: ToolId,
  session: SessionCalls,
  templates: Templates,
): readonly ProposedArguments[] {
  const after = session.last?.tool ?? ''
  const known = new Map<string, Map<string, Candidate>>()
  const add = (argument: string, way: Way, value: Json, rate: number, origin: string, ago: number): void => {
    const values = known.get(argument) ?? new Map<string, Candidate>()
    known.set(argument, values)
    const key = keyOf(value)
    const one = values.get(key) ?? {
      ...{ value, key, rates: new Map(), origins: new Set(), best: 0, miss: 1, ago },
      source: way.kind,
    }
    values.set(key, one)
    const name = wayClass(way)
    const before = one.rates.get(name) ?? 0
    if (rate > before) {
      one.rates.set(name, rate)
      one.miss *= (1 - rate) / (1 - before)
    }
    if (origin !== '') one.origins.add(origin)
    if (rate > one.best) {
      one.best = rate
      one.source = way.kind
      one.ago = ago
    }
  }
  const rows: { readonly values: JsonObject; readonly rate: number }[] = []
  for (const counted of templates.ways(tool, '')) {
    const found = followWay(counted.way, { tool, argument: '' }, session)
    if (found === undefined) continue
    const rate = templates.rate(counted, after)
    rows.push({ values: found.values, rate })
    for (const [argument, value] of Object.entries(found.values))
      add(argument, counted.way, value, rate, found.origin, found.ago)
  }
  const sets = templates.argumentSets(tool).slice(0, mostSets)
  for (const argument of new Set(sets.flatMap(({ names }) => names))) {
    const target = templates.target(tool, argument)
    for (const counted of templates.ways(tool, argument)) {
      const found = followWay(counted.way, target, session)
      if (found === undefined) continue
      add(argument, counted.way, found.values[argument]!, templates.rate(counted, after), found.origin, found.ago)
    }
  }
  rows.sort((a, b) => b.rate - a.rate)
  const proposed = new Map<string, ProposedArguments>()
  for (const { names, share } of sets) {
    const lists = names.map((argument) =>
      [...(known.get(argument)?.values() ?? [])].sort((a, b) => b.best - a.best).slice(0, valuesPerArgument),
    )
    for (const [at, list] of lists.entries()) {
      // What a row puts forward stays among them.
      for (const { values } of rows.slice(0, 4)) {
        const value = values[names[at]!]
        const one = value === undefined ? undefined : known.get(names[at]!)?.get(keyOf(value))
        if (one !== undefined && !list.includes(one)) list.push(one)
      }
    }
    if (lists.some((list) => list.length === 0)) continue
    for (const chosen of combine(lists, mostProposed)) {
      const args = Object.fromEntries(names.map((argument, at) => [argument, chosen[at]!.value]))
      const key = canonicalJson(args)
      if (!proposed.has(key)) proposed.set(key, propose(tool, args, names, chosen, share, session))
    }
  }
  return [...proposed.values()]
    .sort((a, b) => b.evidence[evidenceAt.best]! + b.evidence[evidenceAt.oneRow]! - (a.evidence[evidenceAt.best]! + a.evidence[evidenceAt.oneRow]!))
    .slice(0, mostProposed)
}

/** The best products of all, the best first: a beam over the lists. Those of one row stand together where they are near the best. */
function combine(lists: readonly (readonly Candidate[])[], most: number): readonly (readonly Candidate[])[] {
  let beam: { readonly chosen: readonly Candidate[]; readonly score: number; readonly origins: ReadonlySet<string> | undefined }[] = [
    { chosen: [], score: 0, origins: undefined },
  ]
  for (const list of lists) {
    beam = beam
      .flatMap(({ chosen, score, origins }) =>
        list.map((one) => {
          const common = origins === undefined ? one.origins : new Set([...one.origins].filter((o) => origins.has(o)))
          const bonus = origins !== undefined && common.size > 0 ? 1 : 0
          return { chosen: [...chosen, one], score: score + Math.log(one.best + 0.01) + bonus, origins: common }
        }),
      )
      .sort((a, b) => b.score - a.score)
      .slice(0, most)
  }
  return beam.map(({ chosen }) => chosen)
}

function propose(
  tool: ToolId,
  args: JsonObject,
  names: readonly string[],
  chosen: readonly Candidate[],
  share: number,
  session: SessionCalls,
): ProposedArguments {
  const evidence = new Float64Array(evidenceNames.length)
  const put = (name: EvidenceName, value: number): void => {
    evidence[evidenceAt[name]] = value
  }
  const mean = (of: (one: Candidate) => number): number =>
    chosen.length === 0 ? 0 : chosen.reduce((sum, one) => sum + of(one), 0) / chosen.length
  const byPart = (one: Candidate, part: (name: string) => boolean): number => {
    let most = 0
    for (const [name, rate] of one.rates) if (part(name) && rate > most) most = rate
    return most
  }
  put('best', mean(({ best }) => Math.log(best + 0.01)))
  put('together', mean(({ miss }) => Math.log(1.01 - miss)))
  put('weakest', chosen.length === 0 ? 0 : Math.min(...chosen.map(({ best }) => Math.log(best + 0.01))))
  for (const kind of ['constant', 'same', 'step', 'argument', 'result', 'row', 'request', 'join'] as const)
    put(kind, mean((one) => byPart(one, (name) => name === kind || name.startsWith(`${kind} `))))
  put('first', mean((one) => byPart(one, (name) => name.endsWith(' first'))))
  put('last', mean((one) => byPart(one, (name) => name.endsWith(' last'))))
  put('next', mean((one) => byPart(one, (name) => /(?:unused|after)0$/.test(name))))
  put('later', mean((one) => byPart(one, (name) => /(?:unused|after)[12]$/.test(name))))
  put('named', mean((one) => byPart(one, (name) => name.endsWith(' named'))))
  const ago = session.madeAgo(tool, args)
  put('made', ago === undefined ? 0 : 1)
  put('madeLast', ago === 0 ? 1 : 0)
  put('used', names.length === 0 ? 0 : names.filter((name) => session.used(tool, name).includes(keyOf(args[name]!))).length / names.length)
  put('fresh', mean((one) => (one.origins.size > 0 && one.ago === 0 ? 1 : 0)))
  if (chosen.length > 1) {
    const common = [...chosen[0]!.origins].filter((origin) => chosen.every(({ origins }) => origins.has(origin)))
    put('oneRow', common.length > 0 ? 1 : 0)
    const calls = chosen.map(({ origins }) => new Set([...origins].map((origin) => origin.split('/')[0]!)))
    put('oneCall', [...calls[0]!].some((call) => calls.every((one) => one.has(call))) ? 1 : 0)
  }
  put('set', Math.log(share))
  const weakest = chosen.toSorted((a, b) => a.best - b.best)[0]?.source ?? 'none'
  return {
    arguments: args,
    sources: Object.fromEntries(names.map((name, at) => [name, chosen[at]!.source])),
    weakest,
    evidence,
  }
}
