import { splitWords } from '../model/words/split-words.js'
import { stem } from '../model/words/stem.js'
import { stopWords } from '../model/words/stop-words.js'

/** What stands for a value in a normalised intent; no word is written so. */
export const anyValue = '*'

/** Nobody asks for the same in more, and it bounds the work. */
const longestIntent = 4_000
/** Words of grammar that turn a request around. */
const telling = new Set(['from', 'no', 'not'])

const quoted =
  /"[^"]{1,1000}"|“[^”]{1,1000}”|«[^»]{1,1000}»|`[^`]{1,1000}`|(?<![\p{L}\p{N}])'[^'\n]{1,1000}'(?![\p{L}\p{N}])/gu

/**
 * What is asked for, without what it is asked for: stems in order, `*` for each value, words of grammar left out.
 * `Read "a.txt" and count its lines` and `read notes/b.md, count lines` are read, *, count, line.
 */
export function normaliseIntent(intent: string): readonly string[] {
  return intent
    .slice(0, longestIntent)
    .replace(quoted, ` ${anyValue} `)
    .split(/\s+/)
    .map((piece) => piece.replace(/^[.,;:!?([{'"]+(?=.)|[.,;:!?)\]}'"]+$/g, ''))
    .flatMap((piece) => (isValue(piece) ? [anyValue] : wordsOf(piece)))
}

/** Paths, addresses, file names, numbers, dates, ids. `s3`, `mp3`, `k8s` are words. */
function isValue(piece: string): boolean {
  return (
    piece === anyValue ||
    /[/\\@]/.test(piece) ||
    /[^.]\.[a-z][a-z0-9]{0,4}$/i.test(piece) ||
    /^[#$€£+-]?\d/.test(piece) ||
    /\d\D*\d\D*\d|[-_]\d/.test(piece)
  )
}

function wordsOf(piece: string): readonly string[] {
  if (/\d/.test(piece)) return [piece.toLowerCase()]
  return splitWords(piece)
    .filter((word) => !stopWords.has(word) || telling.has(word))
    .map(stem)
}
