const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Files of a project come from anywhere: what would move the cursor or hide text on a terminal is written out. */
export function showUnseen<T>(value: T): T {
  if (typeof value === 'string') {
    const shown = value.replace(unseen, (one) =>
      one === '\t' ? one : `\\u{${one.codePointAt(0)!.toString(16)}}`,
    )
    return shown as T
  }
  if (Array.isArray(value)) return value.map(showUnseen) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, showUnseen(item)])) as T
}
