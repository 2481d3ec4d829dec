import type { Json, JsonObject } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'
import { type Pick, picks, type Way } from './argument-way.js'
import {
  callOf,
  followWay,
  joinContext,
  requestContext,
  requestList,
  resultContext,
  startOf,
  stepped,
  type Target,
} from './follow-way.js'
import { ownValue } from './own-value.js'
import { type PickContext, pickValue } from './pick-values.js'
import type { SeenValue } from './see-result.js'
import type { MadeCall, SessionCalls } from './session-calls.js'
import { shapeOf } from './shape-of.js'
import { keyOf } from './value-key.js'

/** Pages go by one or by their length, days by one or some. */
const farthestStep = 1_000
/** A value that stands in more places came from any of them. */
const mostWays = 40

/** Every way that would have given this value to this argument, from what the session was before the call. */
export function findWays(value: Json, target: Target, session: SessionCalls): readonly Way[] {
  const ways: Way[] = [...lastWays(value, target, session), ...argumentWays(value, target, session)]
  if (Array.isArray(value)) ways.push(...wholeListWays(value, session))
  else if (typeof value === 'string' || typeof value === 'number') {
    const key = keyOf(value)
    ways.push(...requestWays(key, target, session))
    for (const call of session.latest) {
      if (ways.length >= mostWays) break
      ways.push(...resultWays(key, target, call, session), ...joinWays(key, target, call, session))
    }
  }
  return ways.slice(0, mostWays)
}

/** From the last value of the same argument. */
function lastWays(value: Json, { tool, argument }: Target, session: SessionCalls): readonly Way[] {
  const before = ownValue(callOf(session, tool)?.arguments, argument)
  if (before === undefined) return []
  if (keyOf(before) === keyOf(value)) return [{ kind: 'same' }]
  const by = stepBetween(before, value)
  return by === undefined ? [] : [{ kind: 'step', by }]
}

function argumentWays(value: Json, { tool, argument }: Target, session: SessionCalls): readonly Way[] {
  if (!isPassedOn(value)) return []
  const key = keyOf(value)
  return session.latest.flatMap((call) =>
    Object.entries(call.arguments)
      .filter(([name, given]) => !(call.tool === tool && name === argument) && keyOf(given) === key)
      .map(([name]): Way => ({ kind: 'argument', tool: call.tool, argument: name })),
  )
}

/** `true` or `7` as an argument of another tool says nothing. */
function isPassedOn(value: Json): boolean {
  if (typeof value === 'string' || typeof value === 'number') return String(value).length >= 2
  return typeof value === 'object' && value !== null
}

function requestWays(key: string, target: Target, session: SessionCalls): readonly Way[] {
  const shape = shapeOf(key)
  const list = requestList(shape, target, session)
  return picksOf(list, key, requestContext(target, session)).map((pick) => ({ kind: 'request', shape, pick }))
}

function resultWays(key: string, target: Target, call: MadeCall, session: SessionCalls): readonly Way[] {
  const context = resultContext(target, call, session)
  return [...call.seen.lists.keys()].flatMap((path) =>
    picksOf(call.seen.once(path), key, context).map(
      (pick): Way => ({ kind: 'result', tool: call.tool, path, pick }),
    ),
  )
}

function joinWays(key: string, target: Target, call: MadeCall, session: SessionCalls): readonly Way[] {
  return Object.entries(call.seenWith).flatMap(([argument, directory]) => {
    const start = startOf(directory)
    if (start === undefined || !key.startsWith(start)) return []
    const rest = key.slice(start.length)
    const context = joinContext(start, target, call, session)
    return [...call.seen.lists.keys()].flatMap((path) =>
      picksOf(call.seen.once(path), rest, context).map(
        (pick): Way => ({ kind: 'join', tool: call.tool, argument, path, pick }),
      ),
    )
  })
}

function picksOf<T extends { readonly key: string }>(
  list: readonly T[],
  key: string,
  context: PickContext<T>,
): readonly Pick[] {
  if (!list.some((one) => one.key === key)) return []
  return picks.filter((pick) => pickValue(list, pick, context)?.key === key)
}

/** All that stands at a path, as it is or behind a directory. */
function wholeListWays(value: readonly Json[], session: SessionCalls): readonly Way[] {
  if (value.length === 0) return []
  const keys = value.map(keyOf)
  const isAll = (list: readonly SeenValue[], start: string): boolean =>
    list.length === keys.length && list.every((one, at) => `${start}${one.key}` === keys[at])
  return session.latest.flatMap(({ tool, seen, seenWith }) =>
    [...seen.lists.keys()].flatMap((path): readonly Way[] => {
      const list = seen.once(path)
      const whole: Way = { kind: 'result', tool, path, pick: 'all' }
      const joined = Object.entries(seenWith)
        .filter(([, given]) => isAll(list, startOf(given) ?? ''))
        .map(([argument]): Way => ({ kind: 'join', tool, argument, path, pick: 'all' }))
      return isAll(list, '') ? [whole] : joined
    }),
  )
}

/** Field sets of one result that are tried: rows that hold the same arguments elsewhere are rare. */
const mostFieldSets = 3

/** Ways that give several arguments of a call at once, from one row of a result. */
export function findRowWays(tool: ToolId, args: JsonObject, session: SessionCalls): readonly Way[] {
  const wanted = Object.entries(args)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([argument, value]) => ({ argument, key: keyOf(value) }))
  if (wanted.length < 2) return []
  return session.latest.flatMap((call) =>
    fieldSetsOf(wanted, call)
      .flatMap((fields) => picks.map((pick) => ({ kind: 'row', tool: call.tool, fields, pick }) as const))
      .filter((way) => {
        const given = followWay(way, { tool, argument: '' }, session)?.values
        return given !== undefined && way.fields.every(([name]) => keyOf(given[name]!) === keyOf(args[name]!))
      }),
  )
}

type Fields = readonly (readonly [argument: string, path: string])[]

/** Where most of the arguments stand in one row: from which paths. */
function fieldSetsOf(
  wanted: readonly { readonly argument: string; readonly key: string }[],
  { seen }: MadeCall,
): readonly Fields[] {
  const rows = new Map<string, Map<string, string>>()
  for (const { argument, key } of wanted)
    for (const [path, values] of seen.lists)
      for (const one of values) {
        if (one.key !== key) continue
        const fields = rows.get(one.row) ?? new Map<string, string>()
        rows.set(one.row, fields)
        if (!fields.has(argument)) fields.set(argument, path)
      }
  const most = [...rows.values()].reduce((count, { size }) => Math.max(count, size), 0)
  if (most < 2) return []
  const sets = new Map<string, Fields>()
  for (const found of rows.values()) {
    if (found.size < most || sets.size >= mostFieldSets) continue
    const fields = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
    sets.set(JSON.stringify(fields), fields)
  }
  return [...sets.values()]
}

function stepBetween(before: Json, value: Json): number | undefined {
  const by = differenceOf(before, value)
  if (by === undefined || by === 0 || !Number.isInteger(by) || Math.abs(by) > farthestStep) return undefined
  return stepped(before, by) === value ? by : undefined
}

const msPerDay = 86_400_000

function differenceOf(before: Json, value: Json): number | undefined {
  if (typeof before === 'number' && typeof value === 'number') return value - before
  if (typeof before !== 'string' || typeof value !== 'string') return undefined
  if (/^\d{1,15}$/.test(before) && /^\d{1,15}$/.test(value)) return Number(value) - Number(before)
  const [from, to] = [Date.parse(`${before}T00:00:00Z`), Date.parse(`${value}T00:00:00Z`)]
  return Number.isNaN(from) || Number.isNaN(to) ? undefined : Math.round((to - from) / msPerDay)
}
