/**
 * Whether a value says where it came from when it is met again. An id, a path, a sentence does; `true`, `3` or `open` is
 * met everywhere by chance.
 *
 *     string   at least 4 characters, or at least 2 of which one is a digit (`v2`, `#7`); a string that is a number
 *              counts as that number
 *     number   beyond -9 .. 9, and none of those that people pass as a limit
 *     never    booleans, null, empty and blank text, and the words that schemas are made of
 */
export function isTelling(value: string | number): boolean {
  if (typeof value === 'number') return isTellingNumber(value)
  const text = value.trim()
  if (text === '') return false
  // A number or one of the words below is shorter; a text of megabytes is not turned into either.
  if (text.length > 32) return true
  const number = Number(text)
  if (Number.isFinite(number)) return isTellingNumber(number)
  if (commonWords.has(text.toLowerCase())) return false
  return text.length >= shortestWord || (text.length >= shortestWithDigit && /\d/.test(text))
}

/**
 * Whether a word in the middle of a text does: prose repeats words, so only what looks like an id, a path, an address or a
 * number does, of at least 4 characters: `PR-118`, `src/a.ts`, `ann@example.org`, `1042`.
 */
export function isTellingWord(word: string): boolean {
  return word.length >= shortestWord && /\d|[/@_]|\w[.-]\w/.test(word) && isTelling(word)
}

/** Three letters are words or codes that meet by chance: `the`, `asc`, `usd`. */
const shortestWord = 4
const shortestWithDigit = 2

/** Page sizes and limits as people and schemas choose them. */
const commonNumbers = new Set([
  10, 12, 15, 16, 20, 24, 25, 30, 32, 40, 50, 60, 64, 100, 128, 200, 250, 256, 500, 512,
])
const roundFrom = 1000

function isTellingNumber(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) <= 9) return false
  const isRound = Math.abs(value) >= roundFrom && value % roundFrom === 0
  return !isRound && !commonNumbers.has(Math.abs(value))
}

/** What stands in fields named type, status, state, format, order, method, encoding, branch. */
const commonWords = new Set(
  `true false null none undefined unknown default auto text json html http https file string number object array boolean
  open closed done todo active success error failed pending complete completed created updated deleted name title user
  main master head utf8 utf-8 post patch desc asc ascending descending public private read write`.split(
    /\s+/,
  ),
)
