import { encodeJson, encodeKey, encodeText } from './stored-text.js'

export function textOrNull(text: string | undefined): string | null {
  return text === undefined ? null : encodeText(text)
}

export function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : encodeJson(value)
}

/** What stands beside the key of an id that is longer than an index can hold. */
export function wholeIfCut(id: string): string | null {
  const text = encodeText(id)
  return encodeKey(id) === text ? null : text
}
