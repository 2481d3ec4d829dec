import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import { looksLikeId } from '../../../model/looks-like-id.js'
import { ownText } from './own-text.js'
import { readText } from './read-text.js'
import { keyOf, type Scalar } from './value-key.js'

/** What a result offers to later arguments: its values by the place they stand at, in order. */
export interface SeenResult {
  /** By a path in which places in lists are `[*]` and keys that are data `{*}`: `reservations[*]`, `payments{*}.amount`. */
  readonly lists: ReadonlyMap<string, readonly SeenValue[]>
  /** What stands at a path, each value once. */
  once(path: string): readonly SeenValue[]
  /** The rows in which something stands at each of these paths. */
  rows(paths: readonly string[]): readonly SeenRow[]
}

export interface SeenValue {
  readonly value: Scalar
  readonly key: string
  /** The object or line that it stands in, so that fields of one row are known to be. Empty where the result itself is that object. */
  readonly row: string
}

export interface SeenRow {
  /** In the order of the paths that were asked for. */
  readonly values: readonly Scalar[]
  /** The keys of its values. */
  readonly key: string
  readonly row: string
}

/** A page of a listing or a search; what comes further down is seldom the next. */
const mostValues = 400
/** Lists of nothing offer no value, and end as well. */
const mostVisits = 4_000
/** Longer ones are read as texts and passed on by nobody as they are. */
const longestValue = 300
/** The name of a field is a part of every path and row beneath it. */
const longestName = 100
const deepest = 12
/** Nobody minds that one of these is kept whole. */
const shortText = 2_000
/** Some 10 ms of parsing; a longer text is read as one. */
const longestJson = 1_000_000

export const nothingSeen: SeenResult = seenOf(new Map())

export function seeResult(result: Json): SeenResult {
  const lists = new Map<string, SeenValue[]>()
  let valuesLeft = mostValues
  let visitsLeft = mostVisits
  const isFull = (): boolean => valuesLeft <= 0 || visitsLeft <= 0
  const put = (path: string, value: Scalar, row: string): void => {
    const key = keyOf(value)
    if (isFull() || key === '' || key.length > longestValue) return
    valuesLeft -= 1
    const list = lists.get(path)
    if (list === undefined) lists.set(path, [{ value, key, row }])
    else list.push({ value, key, row })
  }
  const visit = (value: Json, path: string, row: string, depth: number): void => {
    visitsLeft -= 1
    if (isFull() || value === null || depth > deepest) return
    if (Array.isArray(value)) visitList(value, path, row, depth)
    else if (isObject(value)) visitObject(value, path, row, depth)
    else if (typeof value === 'string') visitText(value, path, row, depth)
    else put(path, value as Scalar, row)
  }
  const visitList = (list: readonly Json[], path: string, row: string, depth: number): void => {
    for (const [at, item] of list.entries()) {
      if (isFull()) return
      visit(item, `${path}[*]`, `${row}/${path}[${at}]`, depth + 1)
    }
  }
  const visitObject = (object: JsonObject, path: string, row: string, depth: number): void => {
    const keys = Object.keys(object).slice(0, mostValues)
    const isMap = keys.length > 0 && keys.every(looksLikeId)
    for (const key of keys) {
      if (key.length > longestName) continue
      // A field that is an object of its own is part of the same row, unless it is one of many.
      const [itemPath, itemRow] = isMap ? [`${path}{*}`, `${row}{${key}}`] : [join(path, key), row]
      if (isMap) put(itemPath, key, itemRow)
      visit(object[key]!, itemPath, itemRow, depth + 1)
    }
  }
  const visitText = (text: string, path: string, row: string, depth: number): void => {
    const parsed = parseJson(text)
    if (parsed !== undefined) {
      visit(parsed, path, row, depth + 1)
      return
    }
    if (text.length <= longestValue && !text.includes('\n')) put(path, text, row)
    const own = text.length > shortText ? ownText : (piece: string): string => piece
    for (const { place, value, line } of readText(text)) {
      if (isFull()) return
      put(own(`${path}${place}`), own(value), `${row}#${line}`)
    }
  }
  visit(result, '', '', 0)
  return seenOf(lists)
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

/** Objects and lists alone: a text that is a number stays a text. */
function parseJson(text: string): Json | undefined {
  if (text.length > longestJson || !/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Looked into by every way that leads there, so what they need is made once. */
function seenOf(lists: ReadonlyMap<string, readonly SeenValue[]>): SeenResult {
  const onceBy = new Map<string, readonly SeenValue[]>()
  const rowsBy = new Map<string, readonly SeenRow[]>()
  return {
    lists,
    once: (path) => remembered(onceBy, path, () => eachOnce(lists.get(path) ?? [])),
    rows: (paths) =>
      remembered(rowsBy, paths.join('\n'), () => rowsOf(paths.map((path) => lists.get(path) ?? []))),
  }
}

function remembered<T>(known: Map<string, T>, name: string, make: () => T): T {
  const before = known.get(name)
  if (before !== undefined) return before
  const made = make()
  known.set(name, made)
  return made
}

function eachOnce(values: readonly SeenValue[]): readonly SeenValue[] {
  const byKey = new Map<string, SeenValue>()
  for (const one of values) if (!byKey.has(one.key)) byKey.set(one.key, one)
  return [...byKey.values()]
}

function rowsOf(columns: readonly (readonly SeenValue[])[]): readonly SeenRow[] {
  const [first, ...others] = columns.map((values) => {
    const byRow = new Map<string, SeenValue>()
    for (const one of values) if (!byRow.has(one.row)) byRow.set(one.row, one)
    return byRow
  })
  return [...(first ?? [])].flatMap(([row, start]) => {
    const cells = [start, ...others.flatMap((column) => column.get(row) ?? [])]
    if (cells.length < columns.length) return []
    return { row, values: cells.map(({ value }) => value), key: cells.map(({ key }) => key).join('\n') }
  })
}
