/**
 * How arguments were filled, counted. Promises: every call counts each way that led anywhere, whether or not it was right, so that a rate is of
 * all that it would have given; old counts fade; memory is bounded. Holds no value but constants, and of those none that was redacted.
 */
import type { DataflowTemplate } from '../../../model/dataflow-template.js'
import { canonicalJson, type Json, type JsonObject } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'
import { formatWay, readWay, type Way, wayClass } from './argument-way.js'
import { findRowWays, findWays } from './find-ways.js'
import { followWay, type Target } from './follow-way.js'
import { keyOf, type SessionCalls } from './session-calls.js'

export interface Templates {
  /** Those of one argument, or of several together where `argument` is empty. */
  ways(tool: ToolId, argument: string): readonly CountedWay[]
  /** How likely the value that a way gives is right: by its own count after this tool, at all, and by ways of its class. */
  rate(way: CountedWay, after: ToolId | ''): number
  /** Which arguments the tool was given, most often first; with the share of calls. */
  argumentSets(tool: ToolId): readonly { readonly names: readonly string[]; readonly share: number }[]
  target(tool: ToolId, argument: string): Target
  /** A call was made, from where the session was before it. */
  count(call: { readonly tool: ToolId; readonly arguments: JsonObject; readonly at: number }, session: SessionCalls): void
  readonly size: number
  /** Those that changed since they were last asked for, and those that are gone. */
  changes(): { readonly changed: readonly DataflowTemplate[]; readonly removed: readonly DataflowTemplate[] }
  /** In the place of all. */
  load(templates: readonly DataflowTemplate[]): void
}

export interface CountedWay {
  readonly way: Way
  count: number
  hits: number
  lastAt: number
  /** The same where this tool was called just before. */
  readonly after: Map<ToolId, { count: number; hits: number }>
}

/** Of one argument: more ways than these lead to the same few values. */
const mostWays = 48
const mostConstants = 40
const mostAfter = 4
const mostSets = 8
/** Some 40 MB. Places that were not called for longest are forgotten first. */
const mostInAll = 40_000
/** Some fifty calls count: who works differently is followed within an hour. */
const keep = 0.98
/** So many calls of its class, and of the way at all, stand beside its own. */
const trustInClass = 3
const trustInWay = 4
const mostConstantLength = 500

interface Place {
  readonly ways: Map<string, CountedWay>
  /** By key. */
  readonly constants: Map<string, CountedWay>
  year: string | undefined
}

interface ToolTemplates {
  readonly places: Map<string, Place>
  readonly sets: Map<string, { readonly names: readonly string[]; count: number; lastAt: number }>
  size: number
}

export interface TemplatesOptions {
  /** Of constants: one that is not the same afterwards is not kept. */
  redact(text: string): string
}

export function createTemplates({ redact }: TemplatesOptions): Templates {
  /** The one that was called last is the last. */
  const tools = new Map<ToolId, ToolTemplates>()
  const classes = new Map<string, { count: number; hits: number }>()
  const changed = new Map<string, DataflowTemplate>()
  const removed = new Map<string, DataflowTemplate>()
  let size = 0

  const toolOf = (id: ToolId): ToolTemplates => {
    const known = tools.get(id) ?? { places: new Map(), sets: new Map(), size: 0 }
    tools.delete(id)
    tools.set(id, known)
    return known
  }
  const placeOf = (tool: ToolTemplates, argument: string): Place => {
    const known = tool.places.get(argument)
    if (known !== undefined) return known
    const place: Place = { ways: new Map(), constants: new Map(), year: undefined }
    tool.places.set(argument, place)
    return place
  }
  const classRate = (way: Way): number => {
    const name = wayClass(way)
    const { count, hits } = classes.get(name) ?? { count: 0, hits: 0 }
    return (hits + classTrust * (classPriors[name] ?? 0.2)) / (count + classTrust)
  }
  const resize = (tool: ToolTemplates, by: number): void => {
    tool.size += by
    size += by
  }

  const see = (counted: CountedWay, isHit: boolean, after: ToolId | undefined, at: number): void => {
    const rated = wayClass(counted.way)
    const all = classes.get(rated) ?? { count: 0, hits: 0 }
    classes.set(rated, { count: all.count * 0.999 + 1, hits: all.hits * 0.999 + (isHit ? 1 : 0) })
    for (const one of [counted, afterOf(counted, after)]) {
      if (one === undefined) continue
      one.count = one.count * keep + 1
      one.hits = one.hits * keep + (isHit ? 1 : 0)
    }
    counted.lastAt = at
  }
  const countPlace = (
    tool: ToolTemplates,
    argument: string,
    { isRight, found, session, target, at }: Counting,
  ): void => {
    const place = placeOf(tool, argument)
    const after = session.last?.tool
    for (const counted of place.ways.values()) {
      const given = followWay(counted.way, target, session)
      if (given !== undefined) see(counted, isRight(given.values), after, at)
    }
    for (const way of found) {
      const name = formatWay(way)
      if (place.ways.has(name)) continue
      const counted = { way, count: 0, hits: 0, lastAt: at, after: new Map() }
      see(counted, true, after, at)
      place.ways.set(name, counted)
      resize(tool, 1)
      if (place.ways.size > mostWays) {
        place.ways.delete(leastOf(place.ways))
        resize(tool, -1)
      }
    }
  }
  const countConstant = (tool: ToolTemplates, argument: string, value: Json, session: SessionCalls, at: number): void => {
    const place = placeOf(tool, argument)
    const key = keyOf(value)
    const year = /^(\d{4})-\d\d-\d\d/.exec(key)?.[1]
    if (year !== undefined) place.year = year
    const after = session.last?.tool
    for (const [known, counted] of place.constants) see(counted, known === key, after, at)
    if (place.constants.has(key)) return
    const text = canonicalJson(value)
    if (text.length > mostConstantLength || redact(text) !== text) return
    const total = Math.max(0, ...[...place.constants.values()].map(({ count }) => count))
    const counted = { way: { kind: 'constant', value } as const, count: total, hits: 0, lastAt: at, after: new Map() }
    if (total === 0) see(counted, true, after, at)
    else counted.hits = 1
    place.constants.set(key, counted)
    resize(tool, 1)
    if (place.constants.size > mostConstants) {
      place.constants.delete(leastOf(place.constants))
      resize(tool, -1)
    }
  }

  return {
    get size() {
      return size
    },
    ways(id, argument) {
      const place = tools.get(id)?.places.get(argument)
      return place === undefined ? [] : [...place.ways.values(), ...place.constants.values()]
    },
    rate(counted, after) {
      const prior = classRate(counted.way)
      const own = (counted.hits + trustInClass * prior) / (counted.count + trustInClass)
      const there = after === '' ? undefined : counted.after.get(after)
      return there === undefined ? own : (there.hits + trustInWay * own) / (there.count + trustInWay)
    },
    argumentSets(id) {
      const sets = [...(tools.get(id)?.sets.values() ?? [])].sort((a, b) => b.count - a.count)
      const all = sets.reduce((sum, { count }) => sum + count, 0)
      return sets.map(({ names, count }) => ({ names, share: count / all }))
    },
    target(tool, argument) {
      const year = tools.get(tool)?.places.get(argument)?.year
      return { tool, argument, ...(year !== undefined && { year }) }
    },
    count({ tool: id, arguments: args, at }, session) {
      const tool = toolOf(id)
      const names = Object.keys(args).sort()
      countSet(tool, names, at)
      for (const argument of names) {
        const value = args[argument]!
        const year = tool.places.get(argument)?.year
        const target = { tool: id, argument, ...(year !== undefined && { year }) }
        const key = keyOf(value)
        countPlace(tool, argument, {
          isRight: (given) => keyOf(given[argument]!) === key,
          found: findWays(value, target, session),
          ...{ session, target, at },
        })
        countConstant(tool, argument, value, session, at)
      }
      if (names.length > 1)
        countPlace(tool, '', {
          isRight: (given) => Object.entries(given).every(([name, one]) => name in args && keyOf(args[name]!) === keyOf(one)),
          found: findRowWays(id, args, session),
          ...{ session, target: { tool: id, argument: '' }, at },
        })
      while (size > mostInAll && tools.size > 1) {
        const [oldest, gone] = tools.entries().next().value!
        tools.delete(oldest)
        size -= gone.size
      }
    },
    changes: () => ({ changed: [...changed.values()], removed: [...removed.values()] }),
    load() {},
  }
}

interface Counting {
  isRight(given: JsonObject): boolean
  readonly found: readonly Way[]
  readonly session: SessionCalls
  readonly target: Target
  readonly at: number
}

function afterOf(counted: CountedWay, after: ToolId | undefined): { count: number; hits: number } | undefined {
  if (after === undefined) return undefined
  const known = counted.after.get(after)
  if (known !== undefined) return known
  if (counted.after.size >= mostAfter) {
    const [least] = [...counted.after].sort(([, a], [, b]) => a.count - b.count)[0]!
    counted.after.delete(least)
  }
  const fresh = { count: 0, hits: 0 }
  counted.after.set(after, fresh)
  return fresh
}

function countSet(tool: ToolTemplates, names: readonly string[], at: number): void {
  for (const set of tool.sets.values()) set.count *= keep
  const key = names.join('\n')
  const known = tool.sets.get(key)
  if (known !== undefined) {
    known.count += 1
    known.lastAt = at
    return
  }
  tool.sets.set(key, { names, count: 1, lastAt: at })
  if (tool.sets.size <= mostSets) return
  const [least] = [...tool.sets].sort(([, a], [, b]) => a.count - b.count)[0]!
  tool.sets.delete(least)
}

/** The one that was right least often, of late. */
function leastOf(ways: ReadonlyMap<string, CountedWay>): string {
  let least: string | undefined
  let fewest = Number.POSITIVE_INFINITY
  for (const [name, { hits, count }] of ways) {
    const worth = hits * (hits / (count + 1))
    if (worth >= fewest) continue
    fewest = worth
    least = name
  }
  return least!
}

const classTrust = 20
/** Before anything was counted. From a first look at sessions of several servers; after some dozen calls they say nothing any more. */
const classPriors: Readonly<Record<string, number>> = {
  constant: 0.1,
  same: 0.2,
  step: 0.3,
  argument: 0.3,
  'result first': 0.3,
  'result last': 0.15,
  'result unused0': 0.5,
  'result unused1': 0.15,
  'result unused2': 0.1,
  'result after0': 0.5,
  'result after1': 0.1,
  'result after2': 0.1,
  'result named': 0.4,
  'row first': 0.4,
  'row unused0': 0.5,
  'row after0': 0.5,
  'row named': 0.5,
  'request first': 0.5,
  'request unused0': 0.5,
  'request named': 0.4,
  'join unused0': 0.6,
  'join after0': 0.6,
  'join first': 0.3,
}
