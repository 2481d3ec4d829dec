import { isObject, type Json, type JsonObject } from '../model/json.js'

/**
 * Whether keep-value.ts left something out of a value: the marks that it leaves are found. A value that is itself full of such
 * marks is taken for one too, which loses a lesson and teaches nothing wrong. Kept values are at most 64 deep.
 */
export function isSummary(value: Json): boolean {
  if (typeof value === 'string') return isSummaryText(value)
  if (Array.isArray(value)) return value.some(isSummary)
  if (!isObject(value)) return false
  return hasMoreFields(value) || Object.values(value).some(isSummary)
}

export function hasMoreFields(value: JsonObject): boolean {
  return value['...'] === 'more fields'
}

export function isSummaryText(text: string): boolean {
  return /^\.\.\. (?:\d+ (?:more|items)|an object)$/.test(text) || /\.\.\. \d+ more characters$/.test(text)
}
