import type { Json, JsonObject } from '../../../model/json.js'
import type { ToolId } from '../../../model/tool.js'
import type { Way } from './argument-way.js'
import { ownValue } from './own-value.js'
import { type PickContext, pickValue } from './pick-values.js'
import type { SeenValue } from './see-result.js'
import type { MadeCall, SessionCalls } from './session-calls.js'
import type { UsedValues } from './used-values.js'
import { keyOf } from './value-key.js'

/** What a way gives in a session, if it leads anywhere there. */
export interface Found {
  /** By argument: one, or those of a row. */
  readonly values: JsonObject
  /** The row or the arguments that the values stand in, so that it is seen which come from one; absent where it is neither. */
  readonly origin?: Origin
  /** How many calls ago that was; 0 where it is no call. */
  readonly ago: number
}

export interface Origin {
  readonly from: string
  readonly row: string
}

export interface Target {
  readonly tool: ToolId
  /** The argument that is looked for; those of a row are named by the way. */
  readonly argument: string
  /** That of days that were given to it last. */
  readonly year?: string
  /** How numbers and truth values were given to it, where any were. */
  readonly numbersAre?: 'number' | 'string'
  readonly booleansAre?: 'boolean' | 'string'
}

export function followWay(way: Way, target: Target, session: SessionCalls): Found | undefined {
  const { tool, argument } = target
  switch (way.kind) {
    case 'constant':
      return { values: { [argument]: way.value }, ago: 0 }
    case 'same':
      return followArgument(tool, argument, target, session, 0)
    case 'step': {
      const value = stepped(ownValue(callOf(session, tool)?.arguments, argument), way.by)
      return value === undefined ? undefined : { values: { [argument]: value }, ago: 0 }
    }
    case 'argument':
      return followArgument(way.tool, way.argument, target, session, undefined)
    case 'request': {
      const value = pickValue(
        requestList(way.shape, target, session),
        way.pick,
        requestContext(target, session),
      )
      return value && { values: { [argument]: value.value }, origin: { from: 'request', row: '' }, ago: 0 }
    }
    case 'result': {
      const call = callOf(session, way.tool)
      return call && followResult(way, target, call, session)
    }
    case 'join': {
      const call = callOf(session, way.tool)
      return call && followJoin(way, target, call, session)
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

function followArgument(
  from: ToolId,
  name: string,
  { argument }: Target,
  session: SessionCalls,
  ago: number | undefined,
): Found | undefined {
  const call = callOf(session, from)
  const value = ownValue(call?.arguments, name)
  if (value === undefined) return undefined
  const origin = { from: `arguments of ${from}`, row: '' }
  return { values: { [argument]: value }, origin, ago: ago ?? session.length - call!.at }
}

function followResult(
  { path, pick }: Extract<Way, { kind: 'result' }>,
  target: Target,
  call: MadeCall,
  session: SessionCalls,
): Found | undefined {
  const list = call.seen.once(path)
  if (pick === 'all') return allOf(list, (value) => value, target, call, session)
  const picked = pickValue(list, pick, resultContext(target, call, session))
  return picked && fromCall({ [target.argument]: picked.value }, picked.row, call, session)
}

function followJoin(
  { argument, path, pick }: Extract<Way, { kind: 'join' }>,
  target: Target,
  call: MadeCall,
  session: SessionCalls,
): Found | undefined {
  const start = startOf(ownValue(call.seenWith, argument))
  if (start === undefined) return undefined
  const list = call.seen.once(path)
  if (pick === 'all') return allOf(list, (value) => `${start}${value}`, target, call, session)
  const picked = pickValue(list, pick, joinContext(start, target, call, session))
  return picked && fromCall({ [target.argument]: `${start}${picked.value}` }, picked.row, call, session)
}

/** The rows in which all of the fields stand. */
function followRow(
  { fields, pick }: Extract<Way, { kind: 'row' }>,
  { tool }: Target,
  call: MadeCall,
  session: SessionCalls,
): Found | undefined {
  const rows = call.seen.rows(fields.map(([, path]) => path))
  const picked = pickValue(rows, pick, {
    used: session.used(tool, ...fields.map(([argument]) => argument)),
    isNamed: ({ row }) => session.isNamed(call.seen, { row }),
  })
  if (picked === undefined) return undefined
  const values = Object.fromEntries(fields.map(([argument], at) => [argument, picked.values[at]!]))
  return fromCall(values, picked.row, call, session)
}

function fromCall(values: JsonObject, row: string, call: MadeCall, session: SessionCalls): Found {
  return { values, origin: { from: String(call.at), row }, ago: session.length - call.at }
}

/** More are not asked for at once. */
const mostOfAll = 50

function allOf(
  list: readonly SeenValue[],
  made: (value: SeenValue['value']) => Json,
  { argument }: Target,
  call: MadeCall,
  session: SessionCalls,
): Found | undefined {
  if (list.length === 0 || list.length > mostOfAll) return undefined
  return fromCall({ [argument]: list.map(({ value }) => made(value)) }, '', call, session)
}

export function resultContext(
  { tool, argument }: Target,
  { seen }: MadeCall,
  session: SessionCalls,
): PickContext<SeenValue> {
  return { used: session.used(tool, argument), isNamed: (one) => session.isNamed(seen, one) }
}

/** The same for values that a directory stands before. */
export function joinContext(
  start: string,
  { tool, argument }: Target,
  { seen }: MadeCall,
  session: SessionCalls,
): PickContext<SeenValue> {
  return {
    used: behind(start, session.used(tool, argument)),
    isNamed: ({ value, row }) => session.isNamed(seen, { value: `${start}${value}`, row }),
  }
}

function behind(start: string, used: UsedValues): UsedValues {
  return {
    has: (key) => used.has(`${start}${key}`),
    last: used.last?.startsWith(start) ? used.last.slice(start.length) : undefined,
    count: used.count,
  }
}

/** Of a directory that was given: it and a slash. */
export function startOf(directory: Json | undefined): string | undefined {
  if (typeof directory !== 'string') return undefined
  return directory.endsWith('/') ? directory : `${directory}/`
}

interface SaidValue {
  readonly key: string
  readonly value: string
}

/** A day without a year, as people say it, gets the one that days of this argument had. */
export function requestList(
  shape: string,
  { year }: Target,
  { request }: SessionCalls,
): readonly SaidValue[] {
  const whole = request.byShape.get(shape) ?? []
  const days = shape === '9999-99-99' && year !== undefined ? (request.byShape.get('-99-99') ?? []) : []
  const values = new Set([...whole, ...days.map((day) => `${year}${day}`)])
  return [...values].map((value) => ({ key: keyOf(value), value }))
}

export function requestContext({ tool, argument }: Target, session: SessionCalls): PickContext<SaidValue> {
  return { used: session.used(tool, argument), isNamed: () => true }
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
