import type { Json } from '../model/json.js'
import { readRequest } from '../plan/predict/arguments/read-request.js'
import type { CallSession } from './read-calls.js'
import type { Look } from './simulate-ahead.js'

/** Why a read call was not among the first three, the first that holds. */
export const missKinds = [
  /** It was proposed, and others were believed more. */
  'ranked_below_3',
  /** One of its values stood nowhere before, and no call came before it. */
  'first_not_visible',
  /** The same later in the session. */
  'not_visible',
  /** All its values stood somewhere, and nothing was proposed for its tool, */
  'tool_not_predicted',
  /** or other arguments were. */
  'arguments_not_proposed',
] as const

export type MissKind = (typeof missKinds)[number]

const counted = 3

export function whyMissed({ moment, predicted }: Look, visible: boolean): MissKind | undefined {
  const place = predicted.findIndex(({ key }) => key === moment.key)
  if (place >= 0) return place < counted ? undefined : 'ranked_below_3'
  if (!visible) return moment.at === 0 ? 'first_not_visible' : 'not_visible'
  return predicted.some(({ tool }) => tool === moment.call.tool)
    ? 'arguments_not_proposed'
    : 'tool_not_predicted'
}

/** Whether each value of a call's arguments stood somewhere before it: in the request, in earlier arguments or results. */
export function isVisible({ query, calls }: CallSession, at: number): boolean {
  const before = calls
    .slice(0, at)
    .flatMap(({ arguments: args, result = null }) => [...leavesOf([args, result]), ...keysOf(result)])
  const request = query === undefined ? undefined : readRequest(query)
  const days = request?.byShape.get('-99-99') ?? []
  return leavesOf(calls[at]!.arguments).every(
    (value) =>
      before.some((text) => text === value || says(text, value)) ||
      (query !== undefined && says(query, value)) ||
      // `May 20` is 2024-05-20 to who knows the year.
      (/^\d{4}-\d\d-\d\d$/.test(value) && days.some((day) => value.endsWith(day))),
  )
}

/** As a word, or several: `HAT1` does not stand in `HAT136`. */
function says(text: string, value: string): boolean {
  const isWordBefore = (at: number) => at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1]!)
  const isWordAt = (at: number) => at < text.length && /[\p{L}\p{N}]/u.test(text[at]!)
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
    if (!isWordBefore(at) && !isWordAt(at + value.length)) return true
  return false
}

/** Texts and numbers. Yes and no are no values that come from anywhere. */
function leavesOf(value: Json): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value === 'number') return [String(value)]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : []
}

/** Ids may be keys of a result. */
function keysOf(value: Json): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Array.isArray(value) ? [] : Object.keys(value)
  return [...own, ...Object.values(value).flatMap(keysOf)]
}
