import { isObject, type Json } from '../model/json.js'

/**
 * Whether keep-value.ts left something out of a value: the marks that it leaves are found. A value that is itself full of such
 * marks is taken for one too, which loses a lesson and teaches nothing wrong. Kept values are at most 64 deep.
 */
export function isSummary(value: Json): boolean {
  if (typeof value === 'string') return isSummaryText(value)
  if (Array.isArray(value)) return value.some(isSummary)
  if (!isObject(value)) return false
  return value['...'] === 'more fields' || Object.values(value).some(isSummary)
}

export function isSummaryText(text: string): boolean {
  return /^\.\.\. (?:\d+ (?:more|items)|an object)$/.test(text) || /\.\.\. \d+ more characters$/.test(text)
}

/** As redact.ts writes it in the place of a secret. */
export function isRedacted(text: string): boolean {
  return text.includes('[redacted]')
}
