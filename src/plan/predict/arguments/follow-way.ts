import type { Json } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'
import type { Way } from './argument-way.js'
import { type Listed, listOf, namedIn, type PickContext, pickValue } from './pick-values.js'
import { keyOf, type MadeCall, type SessionCalls } from './session-calls.js'

/** What a way gives in a session, if it leads anywhere there. */
export interface Found {
  /** By argument: one, or those of a row. */
  readonly values: Readonly<Record<string, Json>>
  /** What the values have in common with others that come from the same place. */
  readonly origin: string
  /** How many calls ago that was; 0 where it is no call. */
  readonly ago: number
}

export interface Target {
  readonly tool: ToolId
  /** The argument that is looked for; those of a row are named by the way. */
  readonly argument: string
  /** Years of days that were given to it so far. */
  readonly year?: string
}

export function followWay(way: Way, target: Target, session: SessionCalls): Found | undefined {
  const { tool, argument } = target
  const one = (value: Json, origin: string, ago: number): Found => ({ values: { [argument]: value }, origin, ago })
  switch (way.kind) {
    case 'constant':
      return one(way.value, '', 0)
    case 'same': {
      const value = callOf(session, tool)?.arguments[argument]
      return value === undefined ? undefined : one(value, `arguments of ${tool}`, 0)
    }
    case 'step': {
      const value = stepped(callOf(session, tool)?.arguments[argument], way.by)
      return value === undefined ? undefined : one(value, '', 0)
    }
    case 'argument': {
      const call = callOf(session, way.tool)
      const value = call?.arguments[way.argument]
      return value === undefined ? undefined : one(value, `arguments of ${way.tool}`, session.length - call!.at)
    }
    case 'request': {
      const list = requestList(way.shape, target, session)
      const picked = pickValue(list, way.pick, { used: session.used(tool, argument), isNamed: () => true })
      return picked && one(picked.value, 'request', 0)
    }
    case 'result': {
      const call = callOf(session, way.tool)
      const picked = call && pickFrom(call, way.path, way.pick, { tool, argument }, session)
      return picked && one(picked.value, `${call.at}${picked.row}`, session.length - call.at)
    }
    case 'join': {
      const call = callOf(session, way.tool)
      const base = call?.arguments[way.argument]
      if (typeof base !== 'string') return undefined
      const joined = joinedList(base, call!.seen.lists.get(way.path) ?? [])
      const picked = pickValue(joined, way.pick, pickContext({ tool, argument }, call!, session))
      return picked && one(picked.value, `${call!.at}${picked.row}`, session.length - call!.at)
    }
    case 'row': {
      const call = callOf(session, way.tool)
      return call && followRow(way, target, call, session)
    }
  }
}

export function callOf({ latest }: SessionCalls, tool: ToolId): MadeCall | undefined {
  return latest.find((call) => call.tool === tool)
}

function pickFrom(
  call: MadeCall,
  path: string,
  pick: Extract<Way, { kind: 'result' }>['pick'],
  target: Target,
  session: SessionCalls,
): Listed | undefined {
  const values = call.seen.lists.get(path)
  return values && pickValue(listOf(values), pick, pickContext(target, call, session))
}

export function pickContext({ tool, argument }: Target, call: MadeCall, session: SessionCalls): PickContext {
  return { used: session.used(tool, argument), isNamed: namedIn(session.request, call.seen) }
}

/** A day without a year, as people say it, gets the one that days of this argument had. */
export function requestList(shape: string, { year }: Target, { request }: SessionCalls): readonly Listed[] {
  const whole = request.byShape.get(shape) ?? []
  const days = shape === '9999-99-99' && year !== undefined ? (request.byShape.get('-99-99') ?? []) : []
  return listOf([...whole, ...days.map((day) => `${year}${day}`)].map((value) => ({ value, row: '' })))
}

export function joinedList(
  base: string,
  values: readonly { readonly value: Listed['value']; readonly row: string }[],
): readonly Listed[] {
  const start = base.endsWith('/') ? base : `${base}/`
  return listOf(values.map(({ value, row }) => ({ value: `${start}${value}`, row })))
}

/** The rows in which all of the fields stand, picked by the first field's value. */
function followRow(
  { fields, pick }: Extract<Way, { kind: 'row' }>,
  { tool }: Target,
  call: MadeCall,
  session: SessionCalls,
): Found | undefined {
  const [first, ...others] = fields
  const rows = new Map<string, Record<string, Json>>()
  for (const { value, row } of call.seen.lists.get(first![1]) ?? [])
    if (!rows.has(row)) rows.set(row, { [first![0]]: value })
  for (const [argument, path] of others)
    for (const { value, row } of call.seen.lists.get(path) ?? []) {
      const known = rows.get(row)
      if (known !== undefined && !(argument in known)) known[argument] = value
    }
  const whole = [...rows].filter(([, values]) => Object.keys(values).length === fields.length)
  const list = whole.map(([row, values]): Listed => ({ key: rowKey(fields, values), value: '', row }))
  const usedOf = fields.map(([argument]) => session.used(tool, argument))
  const used = usedOf[0]!.map((_, at) => usedOf.map((keys) => keys[at] ?? '').join('\n'))
  const named = namedIn(session.request, call.seen)
  const isNamed = (one: Listed): boolean => named({ ...one, value: false })
  const picked = pickValue(list, pick, { used, isNamed })
  if (picked === undefined) return undefined
  return { values: rows.get(picked.row)!, origin: `${call.at}${picked.row}`, ago: session.length - call.at }
}

export function rowKey(
  fields: readonly (readonly [argument: string, path: string])[],
  values: Readonly<Record<string, Json>>,
): string {
  return fields.map(([argument]) => keyOf(values[argument]!)).join('\n')
}

/** The next number, or the next day; undefined where it is neither. */
export function stepped(value: Json | undefined, by: number): Json | undefined {
  if (typeof value === 'number') return value + by
  if (typeof value !== 'string') return undefined
  if (/^\d{1,15}$/.test(value)) return String(Number(value) + by)
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return undefined
  const day = new Date(`${value}T00:00:00Z`)
  if (Number.isNaN(day.getTime())) return undefined
  day.setUTCDate(day.getUTCDate() + by)
  return day.toISOString().slice(0, 10)
}
