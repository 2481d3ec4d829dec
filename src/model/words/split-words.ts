/**
 * Text -> words, the same way for tools and for queries.
 *
 * `createIssue`, `create_issue`, `create-issue` and "Create issue" all give create, issue. Scripts that are written
 * without spaces are cut into characters and pairs of characters (Lucene's CJKAnalyzer does the same): no dictionary
 * is needed, and query and text are always cut alike. An emoji is a word.
 */
const runs = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu
const ascii = /^[\x00-\x7f]*$/
const asciiRuns = /[A-Za-z0-9]+/g
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/u
const unspacedOrNot = new RegExp(`${unspaced.source}|.`, 'gu')

/** The humps of an identifier: `URLs` is one, `HTTPServer2` is HTTP, Server, 2. */
const humps = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu

const asciiHumps = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g

/** The words of a name or a text, lower case, in order. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  for (const run of findRuns(text)) {
    if (isUnspaced(run)) words.push(...cutUnspaced(run))
    else for (const part of splitHumps(run)) words.push(part.toLowerCase())
  }
  return words
}

/**
 * The words of one run as search sees them: an identifier of several humps counts also as a whole, so that `github`
 * finds `GitHub`, `urls` finds `URLs` and `s3` finds `S3`; its humps of one character mean nothing alone.
 */
export function splitRun(run: string): readonly string[] {
  if (isUnspaced(run)) return cutUnspaced(run)
  const parts = splitHumps(run)
  const whole = run.toLowerCase()
  if (parts.length === 1) return [whole]
  return [whole, ...parts.filter((part) => part.length > 1).map((part) => part.toLowerCase())]
}

/** Unbroken stretches of letters and digits, and single emoji: what is between them is punctuation. */
export function findRuns(text: string): readonly string[] {
  if (ascii.test(text)) return text.match(asciiRuns) ?? []
  return foldAccents(text).match(runs) ?? []
}

/** `état` is found by `etat`. Only Latin, Greek and Cyrillic accents: the marks of other scripts carry meaning. */
function foldAccents(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
}

function splitHumps(run: string): readonly string[] {
  if (/^(?:[A-Z]?[a-z]+|\d+)$/.test(run)) return [run]
  return run.match(ascii.test(run) ? asciiHumps : humps) ?? [run]
}

function isUnspaced(run: string): boolean {
  return !ascii.test(run) && unspaced.test(run)
}

function cutUnspaced(run: string): string[] {
  const pieces: string[] = []
  let spaced = ''
  for (const piece of run.match(unspacedOrNot) ?? []) {
    if (!unspaced.test(piece)) {
      spaced += piece
      continue
    }
    if (spaced) pieces.push(spaced.toLowerCase())
    spaced = ''
    const characters = [...piece]
    pieces.push(...characters)
    for (let i = 0; i + 1 < characters.length; i++) pieces.push(characters[i]! + characters[i + 1]!)
  }
  if (spaced) pieces.push(spaced.toLowerCase())
  return pieces
}
