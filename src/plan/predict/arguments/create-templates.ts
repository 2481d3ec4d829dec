/**
 * How arguments were filled, counted. Promises: every call counts each way that led anywhere, whether or not it was right, so that a rate is of
 * all that it would have given; old counts fade; memory is bounded. Holds no value but constants, and of those none that was redacted.
 */
import type { DataflowTemplate } from '../../../model/dataflow-template.js'
import { canonicalJson, type Json, type JsonObject } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'
import { habitsOf, type Place } from './argument-place.js'
import { formatWay, type Way } from './argument-way.js'
import { type CountedWay, newCountedWay, tickAfter } from './counted-way.js'
import { createTemplateShelf, mostPlaces, type PlaceName, setName, waysOf } from './create-template-shelf.js'
import { findRowWays, findWays } from './find-ways.js'
import { followWay, type Target } from './follow-way.js'
import { ownValue } from './own-value.js'
import type { SessionCalls } from './session-calls.js'
import { keep, newTally, tick } from './tally.js'
import { keyOf } from './value-key.js'

export interface Templates {
  /** Those of one argument, or of several together where `argument` is empty. */
  ways(tool: ToolId, argument: string): readonly CountedWay[]
  /** How likely the value that a way gives is right: by its own count after this tool, at all, and by ways of its class. */
  rate(way: CountedWay, after: ToolId | ''): number
  /** Which arguments the tool was given, most often first; with the share of calls. */
  argumentSets(tool: ToolId): readonly { readonly names: readonly string[]; readonly share: number }[]
  target(tool: ToolId, argument: string): Target
  /** A call was made, from where the session was before it. */
  count(call: CountedCall, session: SessionCalls): void
  /** Ways that are known. */
  readonly size: number
  /** Those that changed since they were last asked for, and those that are gone. */
  changes(): { readonly changed: readonly DataflowTemplate[]; readonly removed: readonly DataflowTemplate[] }
  all(): readonly DataflowTemplate[]
  /** In the place of all. What is none of ours is passed over. */
  load(templates: readonly DataflowTemplate[]): void
}

export interface CountedCall {
  readonly tool: ToolId
  readonly arguments: JsonObject
  readonly at: number
}

export interface TemplatesOptions {
  /** What is not the same afterwards is not kept. */
  redact(text: string): string
}

/** So many calls of its class, and of the way at all, stand beside its own. */
const trustInClass = 3
const trustInWay = 4
const longestConstant = 500
/** Of an argument: a longer one is a text. */
const longestName = 200

export function createTemplates({ redact }: TemplatesOptions): Templates {
  const shelf = createTemplateShelf()
  const isClean = (text: string): boolean => redact(text) === text

  const see = (counted: CountedWay, isHit: boolean, where: Where): void => {
    const { count, hits } = counted
    tick(counted, isHit)
    shelf.shift(counted.way, counted.count - count, counted.hits - hits)
    seeAfter(counted, isHit, where)
  }
  /** Most constants come once: what was called before them says nothing, and would be most of the rows. */
  const seeAfter = (counted: CountedWay, isHit: boolean, where: Where): void => {
    if (counted.way.kind === 'constant' && counted.hits <= 1) return
    const gone = where.after && tickAfter(counted, where.after, isHit, where.at)
    if (gone) shelf.dropAfter(where, counted, ...gone)
  }
  const keepRight = (way: Way, where: Where): void => {
    const counted = newCountedWay(way, where.at)
    tick(counted, true)
    seeAfter(counted, true, where)
    shelf.keepWay(where, counted)
  }

  const countWays = (place: Place, where: Where, { target, session, found, isRight }: Counting): void => {
    for (const counted of place.ways.values()) {
      const given = followWay(counted.way, target, session)
      if (given === undefined) continue
      see(counted, isRight(given.values), where)
      counted.lastAt = where.at
    }
    for (const way of found) {
      const name = formatWay(way)
      if (!place.ways.has(name) && isClean(name)) keepRight(way, where)
    }
  }
  /** When one was given last is when it was right: the newest says what is given now. */
  const countConstant = (place: Place, value: Json, where: Where): void => {
    const { constants } = place
    const key = keyOf(value)
    place.habits = undefined
    for (const [known, counted] of constants) see(counted, known === key, where)
    const before = constants.get(key)
    if (before === undefined) keepConstant(constants, value, where)
    else {
      before.lastAt = where.at
      if (before.way.kind === 'constant' && typeof before.way.value !== typeof value)
        respell(before, value, where)
    }
  }
  const keepConstant = (constants: ReadonlyMap<string, CountedWay>, value: Json, where: Where): void => {
    const text = canonicalJson(value)
    if (text.length > longestConstant || !isClean(text)) return
    const way = { kind: 'constant', value } as const
    // It could have been given at each call that the others could have been given at.
    const count = [...constants.values()].reduce((most, one) => Math.max(most, one.count), 0)
    if (count === 0) keepRight(way, where)
    else shelf.keepWay(where, { ...newCountedWay(way, where.at), count, hits: 1 })
  }
  /** `42` in the place of `"42"`: with its counts, in another row. */
  const respell = (before: CountedWay, value: Json, where: Where): void => {
    shelf.dropWay(where, before)
    const anew = { isChanged: true, isStored: false }
    for (const tally of before.after.values()) Object.assign(tally, anew)
    shelf.keepWay(where, { ...before, way: { kind: 'constant', value }, ...anew })
  }
  const countSet = (tool: ToolId, names: readonly string[], at: number): void => {
    const sets = shelf.sets(tool)
    for (const set of sets.values())
      Object.assign(set, { count: set.count * keep, hits: set.hits * keep, isChanged: true })
    const set = sets.get(setName(names)) ?? { names, ...newTally(at) }
    shelf.keepSet(tool, Object.assign(set, { count: set.count + 1, hits: set.hits + 1, lastAt: at }))
  }
  const countArgument = (value: Json, where: Where, session: SessionCalls): void => {
    const { tool, argument } = where
    const place = shelf.openPlace(where)
    const target = { tool, argument, ...habitsOf(place) }
    countWays(place, where, {
      ...{ target, session, found: findWays(value, target, session) },
      isRight: (given) => isSame(value, given[argument]!),
    })
    countConstant(place, value, where)
  }
  const countTogether = (args: JsonObject, where: Where, session: SessionCalls): void => {
    const { tool, argument } = where
    countWays(shelf.openPlace(where), where, {
      ...{ target: { tool, argument }, session, found: findRowWays(tool, args, session) },
      isRight: (given) => Object.entries(given).every(([name, one]) => isSame(ownValue(args, name), one)),
    })
  }

  return {
    get size() {
      return shelf.size
    },
    ways(tool, argument) {
      const place = shelf.place({ tool, argument })
      return place === undefined ? [] : waysOf(place)
    },
    rate(counted, after) {
      const own =
        (counted.hits + trustInClass * shelf.classRate(counted.way)) / (counted.count + trustInClass)
      const there = after === '' ? undefined : counted.after.get(after)
      return there === undefined ? own : (there.hits + trustInWay * own) / (there.count + trustInWay)
    },
    argumentSets(tool) {
      const sets = [...shelf.sets(tool)].sort(
        ([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1),
      )
      const all = sets.reduce((sum, [, { count }]) => sum + count, 0)
      return sets.map(([, { names, count }]) => ({ names, share: count / all }))
    },
    target(tool, argument) {
      const place = shelf.place({ tool, argument })
      return { tool, argument, ...(place && habitsOf(place)) }
    },
    count({ tool, arguments: args, at }, session) {
      const names = Object.keys(args).sort()
      if (!isCountable(names)) return
      const after = session.last?.tool
      countSet(tool, names, at)
      for (const argument of names) countArgument(args[argument]!, { tool, argument, after, at }, session)
      if (names.length > 1) countTogether(args, { tool, argument: '', after, at }, session)
      shelf.trim()
    },
    changes: shelf.changes,
    all: shelf.all,
    load: shelf.load,
  }
}

interface Where extends PlaceName {
  /** The tool that was called before. */
  readonly after: ToolId | undefined
  readonly at: number
}

interface Counting {
  readonly target: Target
  readonly session: SessionCalls
  /** Ways that would have been right. */
  readonly found: readonly Way[]
  isRight(given: JsonObject): boolean
}

/** Who gives more, or longer ones, gives names of things for names of arguments. */
function isCountable(names: readonly string[]): boolean {
  return names.length < mostPlaces && names.every(({ length }) => length <= longestName)
}

function isSame(a: Json | undefined, b: Json): boolean {
  return a !== undefined && keyOf(a) === keyOf(b)
}
