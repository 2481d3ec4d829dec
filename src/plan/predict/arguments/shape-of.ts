/**
 * What a value looks like: runs of letters and of digits by their kind, digits with their number up to four, capitals with theirs.
 * `mia_li_3668` -> `a_a_9999`, `JFK` -> `A3`, `NO6JO3` -> `X6`: codes of capitals and digits by their length, as their letters fall by chance.
 */
export function shapeOf(value: string): string {
  if (value.length <= longestCode && /^(?=.*\d)(?=.*[A-Z])[A-Z0-9]{3,}$/.test(value))
    return `X${value.length}`
  return value
    .slice(0, longest)
    .replace(/\d+/g, (digits) => '9'.repeat(Math.min(4, digits.length)))
    .replace(/\p{Lu}?\p{Ll}+/gu, (word) => (/^\p{Lu}/u.test(word) ? 'Aa' : 'a'))
    .replace(/\p{Lu}{2,}/gu, (word) => `A${word.length}`)
    .replace(/\s+/g, ' ')
}

/** The beginning of a longer one tells enough. */
const longest = 60
const longestCode = 12
