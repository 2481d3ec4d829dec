import { isTellingWord } from '../../../model/is-telling.js'

/** A value that stands in a text: what kind of place that is, the value, and the number of its line. */
export interface TextValue {
  readonly place: string
  readonly value: string
  readonly line: number
}

/** A listing of a directory, a table, some pages: what is further down is seldom what is asked for next. */
const mostLines = 400
const longestLine = 400
const longestEntry = 200

/**
 * What later arguments may take from a text that is no JSON: lines that are one thing each (`[FILE] a.md`, `- item`, `path:12: ...`), fields of
 * `name: value`, cells of tables by their heading, and in all of them ids, paths and addresses.
 */
export function* readText(text: string): Generator<TextValue> {
  if (!/[\s/@_\d]/.test(text)) return
  const lines = text.split('\n', mostLines)
  let headings: readonly string[] | undefined
  for (const [at, whole] of lines.entries()) {
    const line = whole.trim()
    if (line === '' || line.length > longestLine) {
      headings = undefined
      continue
    }
    const cells = cellsOf(line)
    if (cells !== undefined) {
      if (cells.every((cell) => /^:?-+:?$/.test(cell))) continue
      if (headings === undefined) headings = cells
      else yield* namedCells(cells, headings, at)
    } else {
      headings = undefined
      if (lines.length > 1) yield* entryOf(line, at)
    }
    yield* wordsOf(line, at)
  }
}

/** Cells of a row of a table: drawn with `|`, or parted by tabs. */
function cellsOf(line: string): readonly string[] | undefined {
  const drawn = line.includes('|')
  const cells = (drawn ? line.replace(/^\||\|$/g, '').split('|') : line.split('\t')).map((cell) =>
    cell.trim(),
  )
  return cells.length > 1 ? cells : undefined
}

function* namedCells(
  cells: readonly string[],
  headings: readonly string[],
  line: number,
): Generator<TextValue> {
  for (const [at, value] of cells.entries())
    if (value !== '' && headings[at]) yield { place: `#table.${headings[at]}`, value, line }
}

/** A whole line without what marks it as one of a list. */
function* entryOf(line: string, at: number): Generator<TextValue> {
  const tagged = /^\[([A-Za-z]{1,12})\]\s+(.+)$/.exec(line)
  if (tagged) return yield { place: `#${tagged[1]}`, value: tagged[2]!, line: at }
  const field = /^[-*]?\s*\**([A-Za-z][\w -]{0,30}?)\**:\**\s+(\S.*)$/.exec(line)
  if (field) yield { place: `#${field[1]}:`, value: field[2]!, line: at }
  const bare = line.replace(/^(?:[-*•]|\d{1,3}[.)])\s+/, '')
  if (bare.length <= longestEntry) yield { place: '#line', value: bare, line: at }
}

const url = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`]{1,500}/gi
const word = /[^\s"'`<>()[\]{},;|]{4,200}/g

function* wordsOf(line: string, at: number): Generator<TextValue> {
  for (const [value] of line.matchAll(url))
    yield { place: '#url', value: value.replace(/[.,;:!?)\]]+$/, ''), line: at }
  for (const [found] of line.replace(url, ' ').matchAll(word)) {
    const value = found.replace(/^[#:.]+(?=\w)|[.:!?]+$/g, '')
    if (value === line || !isTellingWord(value)) continue
    yield { place: value.includes('/') ? '#path' : '#id', value, line: at }
  }
}
