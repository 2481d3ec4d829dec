import { stopWords } from '../model/words/stop-words.js'

/**
 * Whether a value stands in an intent as itself: whatever its case, not as part of a longer word, number or path. `42` stands
 * in `close #42.`, not in `420`, `4.42` or `a/42`; words of grammar only in quotes: the `a` of `read a file` is no value.
 */
export function standsIn(intent: string, value: string | number): boolean {
  const text = String(value).trim().toLowerCase()
  if (text === '') return false
  const within = intent.slice(0, longestIntent).toLowerCase()
  const needsQuotes = stopWords.has(text)
  for (let at = within.indexOf(text); at >= 0; at = within.indexOf(text, at + 1)) {
    const before = within.slice(Math.max(0, at - 2), at)
    const after = within.slice(at + text.length, at + text.length + 2)
    if (needsQuotes ? quotes.test(before.slice(-1)) && quotes.test(after[0] ?? '') : isApart(before, after))
      return true
  }
  return false
}

/** What comes later is a document, not a request. */
const longestIntent = 10_000
const quotes = /["'`“”«»]/

function isApart(before: string, after: string): boolean {
  const isJoinedBefore = /[\p{L}\p{N}_/\\.-]$|[\p{L}\p{N}]@$/u.test(before)
  const isJoinedAfter = /^[\p{L}\p{N}_]|^[/\\.@:-][\p{L}\p{N}_]/u.test(after)
  return !isJoinedBefore && !isJoinedAfter
}
