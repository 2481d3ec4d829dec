import { isObject, type Json } from '../../../model/json.js'
import { looksLikeId } from '../../../model/looks-like-id.js'
import { readText } from './read-text.js'

/** What a result offers to later arguments: its values by the place they stand at, in order. */
export interface SeenResult {
  /** By a path in which places in lists are `[*]` and keys that are data `{*}`: `reservations[*]`, `payments{*}.amount`. */
  readonly lists: ReadonlyMap<string, readonly SeenValue[]>
}

export interface SeenValue {
  readonly value: Scalar
  /** The object or line that it stands in, so that fields of one row are known to be. */
  readonly row: string
}

export type Scalar = string | number | boolean

/** A page of a listing or a search; what comes further down is seldom the next. */
const mostValues = 400
/** Longer ones are read as texts and passed on by nobody as they are. */
const longestValue = 300
const deepest = 12

export const nothingSeen: SeenResult = { lists: new Map() }

export function seeResult(result: Json): SeenResult {
  const lists = new Map<string, SeenValue[]>()
  let left = mostValues
  const put = (path: string, value: Scalar, row: string): void => {
    if (left <= 0 || value === '') return
    left -= 1
    const list = lists.get(path)
    if (list === undefined) lists.set(path, [{ value, row }])
    else list.push({ value, row })
  }
  const visit = (value: Json, path: string, row: string, depth: number): void => {
    if (left <= 0 || value === null || depth > deepest) return
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) {
        if (left <= 0) return
        visit(item, `${path}[*]`, `${row}/${path}[${at}]`, depth + 1)
      }
    } else if (isObject(value)) visitObject(value, path, row, depth)
    else if (typeof value === 'string') visitText(value, path, row, depth)
    else put(path, value as Scalar, row)
  }
  const visitObject = (value: Extract<Json, object>, path: string, row: string, depth: number): void => {
    const entries = Object.entries(value)
    const isMap = entries.length > 0 && entries.every(([key]) => looksLikeId(key))
    for (const [key, item] of entries) {
      if (isMap) put(`${path}{*}`, key, `${row}{${key}}`)
      // A field that is an object of its own is part of the same row, unless it is one of many.
      visit(item, isMap ? `${path}{*}` : join(path, key), isMap ? `${row}{${key}}` : row, depth + 1)
    }
  }
  const visitText = (text: string, path: string, row: string, depth: number): void => {
    const parsed = parseJson(text)
    if (parsed !== undefined) return visit(parsed, path, row, depth + 1)
    if (text.length <= longestValue && !text.includes('\n')) put(path, text, row)
    for (const { place, value, line } of readText(text)) put(`${path}${place}`, value, `${row}#${line}`)
  }
  visit(result, '', '', 0)
  return { lists }
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

/** Objects and lists alone: a text that is a number stays a text. */
function parseJson(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
