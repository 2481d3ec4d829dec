import { isTelling } from '../../../model/is-telling.js'
import type { Json, JsonObject } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'
import { type Pick, picks, type Way } from './argument-way.js'
import { callOf, followWay, joinedList, pickContext, requestList, rowKey, stepped, type Target } from './follow-way.js'
import { type Listed, listOf, pickValue } from './pick-values.js'
import { keyOf, type MadeCall, type SessionCalls } from './session-calls.js'
import { shapeOf } from './shape-of.js'

/** Pages go by one or by their length, days by one or some. */
const farthestStep = 1_000
/** A value that stands in more places came from any of them. */
const mostWays = 40

/** Every way that would have given this value to this argument, from what the session was before the call. */
export function findWays(value: Json, target: Target, session: SessionCalls): readonly Way[] {
  const { tool, argument } = target
  const key = keyOf(value)
  const ways: Way[] = []
  const before = callOf(session, tool)?.arguments[argument]
  if (before !== undefined && keyOf(before) === key) ways.push({ kind: 'same' })
  const by = stepBetween(before, value)
  if (by !== undefined) ways.push({ kind: 'step', by })
  for (const call of session.latest)
    for (const [name, given] of Object.entries(call.arguments))
      if (!(call.tool === tool && name === argument) && keyOf(given) === key && isTellingValue(given))
        ways.push({ kind: 'argument', tool: call.tool, argument: name })
  if (typeof value === 'object' || typeof value === 'boolean') return ways
  ways.push(...requestWays(key, target, session))
  for (const call of session.latest) {
    const context = pickContext(target, call, session)
    for (const [path, values] of call.seen.lists) {
      const list = listOf(values)
      if (list.some((one) => one.key === key))
        for (const pick of picksOf(list, key, context))
          ways.push({ kind: 'result', tool: call.tool, path, pick })
    }
    ways.push(...joinWays(key, target, call, session))
    if (ways.length >= mostWays) break
  }
  return ways.slice(0, mostWays)
}

/** Ways that give several arguments of a call at once, from one row of a result. */
export function findRowWays(tool: ToolId, args: JsonObject, session: SessionCalls): readonly Way[] {
  const wanted = Object.entries(args).filter(
    (entry): entry is [string, string | number] => typeof entry[1] === 'string' || typeof entry[1] === 'number',
  )
  if (wanted.length < 2) return []
  return session.latest.flatMap((call) => rowWaysOf(tool, wanted, call, session))
}

function rowWaysOf(
  tool: ToolId,
  wanted: readonly (readonly [string, string | number])[],
  call: MadeCall,
  session: SessionCalls,
): readonly Way[] {
  const rows = new Map<string, Map<string, string>>()
  for (const [argument, value] of wanted) {
    const key = keyOf(value)
    for (const [path, values] of call.seen.lists)
      for (const one of values) {
        if (keyOf(one.value) !== key) continue
        const fields = rows.get(one.row) ?? new Map<string, string>()
        rows.set(one.row, fields)
        if (!fields.has(argument)) fields.set(argument, path)
      }
  }
  let most = 0
  for (const fields of rows.values()) most = Math.max(most, fields.size)
  if (most < 2) return []
  const ways: Way[] = []
  const known = new Set<string>()
  for (const [, found] of rows) {
    if (found.size < most) continue
    const fields = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
    const name = JSON.stringify(fields)
    if (known.has(name)) continue
    known.add(name)
    for (const pick of picks) {
      const way: Way = { kind: 'row', tool: call.tool, fields, pick }
      ways.push(way)
    }
    if (known.size >= 3) break
  }
  const values = Object.fromEntries(wanted)
  return ways.filter((way) => {
    if (way.kind !== 'row') return false
    const given = followWay(way, { tool, argument: '' }, session)?.values
    return given !== undefined && rowKey(way.fields, given) === rowKey(way.fields, values)
  })
}

function picksOf(list: readonly Listed[], key: string, context: Parameters<typeof pickValue>[2]): readonly Pick[] {
  return picks.filter((pick) => pickValue(list, pick, context)?.key === key)
}

function requestWays(key: string, target: Target, session: SessionCalls): readonly Way[] {
  const shape = shapeOf(key)
  const list = requestList(shape, target, session)
  if (!list.some((one) => one.key === key)) return []
  const context = { used: session.used(target.tool, target.argument), isNamed: () => true }
  return picksOf(list, key, context).map((pick) => ({ kind: 'request', shape, pick }))
}

function joinWays(key: string, target: Target, call: MadeCall, session: SessionCalls): readonly Way[] {
  const cut = key.lastIndexOf('/')
  if (cut <= 0) return []
  const ways: Way[] = []
  for (const [argument, base] of Object.entries(call.arguments)) {
    if (typeof base !== 'string' || !key.startsWith(base)) continue
    for (const [path, values] of call.seen.lists) {
      const list = joinedList(base, values)
      if (!list.some((one) => one.key === key)) continue
      const context = pickContext(target, call, session)
      for (const pick of picksOf(list, key, context))
        ways.push({ kind: 'join', tool: call.tool, argument, path, pick })
    }
  }
  return ways
}

function stepBetween(before: Json | undefined, value: Json): number | undefined {
  if (before === undefined) return undefined
  const by =
    typeof before === 'number' && typeof value === 'number'
      ? value - before
      : typeof before === 'string' && typeof value === 'string'
        ? textStep(before, value)
        : undefined
  if (by === undefined || by === 0 || !Number.isInteger(by) || Math.abs(by) > farthestStep) return undefined
  return stepped(before, by) === value ? by : undefined
}

const msPerDay = 86_400_000

function textStep(before: string, value: string): number | undefined {
  if (/^\d{1,15}$/.test(before) && /^\d{1,15}$/.test(value)) return Number(value) - Number(before)
  const [from, to] = [Date.parse(`${before}T00:00:00Z`), Date.parse(`${value}T00:00:00Z`)]
  return Number.isNaN(from) || Number.isNaN(to) ? undefined : Math.round((to - from) / msPerDay)
}

/** `true` or `10` as an argument of another tool says nothing. */
function isTellingValue(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'number' ? isTelling(value) || String(value).length >= 2 : true
}
