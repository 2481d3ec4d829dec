import type { JsonTreeObject } from './json-tree.js'

/**
 * JSON is edited as text, at the one place that changes, because printing it anew would lose comments and spacing.
 * A tree belongs to one text: after an edit, what stands behind it has moved.
 */
export function insertJsonEntry(
  text: string,
  parent: JsonTreeObject,
  key: string,
  value: unknown,
  depth: number,
): string {
  const indent = indentOf(text)
  const lineBreak = lineBreakOf(text)
  const entry = `${JSON.stringify(key)}: ${prettyJson(value, text, depth)}`
  const lineStart = `${lineBreak}${indent.repeat(depth)}`
  const last = parent.entries.at(-1)
  if (last === undefined) {
    const inside = text.slice(parent.start + 1, parent.end - 1).trimEnd()
    return `${text.slice(0, parent.start + 1)}${inside}${lineStart}${entry}${lineBreak}${indent.repeat(depth - 1)}${text.slice(parent.end - 1)}`
  }
  const comma = commaAfter(text, last.value.end)
  const end = comma ?? last.value.end
  const lineEnd = end + restOfLine(text, end)
  // A comma that is there already is the person's style: the new last entry gets one too.
  const [commaBefore, commaAtEnd] = comma === undefined ? [',', ''] : ['', ',']
  return `${text.slice(0, end)}${commaBefore}${text.slice(end, lineEnd)}${lineStart}${entry}${commaAtEnd}${text.slice(lineEnd)}`
}

/** Takes the entry with its comma and what else is on its lines; comments on lines of their own stay. */
export function cutJsonEntry(text: string, parent: JsonTreeObject, index: number): string {
  const entry = parent.entries[index]!
  const before = parent.entries[index - 1]
  const comma = commaAfter(text, entry.value.end)
  const lineBreak = /\r?\n[ \t]*$/.exec(text.slice(0, entry.start))
  const last = comma ?? entry.value.end
  const end = lineBreak === null ? last : last + restOfLine(text, last)
  // Its line break goes with it only where another follows: a comment before it must not swallow what comes next.
  const endsLine = end === text.length || /^\r?\n/.test(text.slice(end, end + 2))
  const head = text.slice(0, lineBreak !== null && endsLine ? lineBreak.index : entry.start)
  const commaBefore = before && comma === undefined ? commaAfter(text, before.value.end) : undefined
  if (commaBefore === undefined) return head + text.slice(end)
  const between = head.slice(commaBefore)
  const kept = endsLine || !between.includes('//') ? between.trimEnd() : between
  return head.slice(0, commaBefore - 1) + kept + text.slice(end)
}

/** Printed as the rest of the text is: its indent, its line breaks. */
export function prettyJson(value: unknown, text: string, depth: number): string {
  const indent = indentOf(text)
  const printed = JSON.stringify(value, undefined, indent)
  return printed.replaceAll('\n', `${lineBreakOf(text)}${indent.repeat(depth)}`)
}

/** Length of the blanks and the comment up to the line's end; 0 where something else follows. */
function restOfLine(text: string, from: number): number {
  const rest = /[ \t]*(?:\/\/[^\r\n]*)?(?=\r?\n)/y
  rest.lastIndex = from
  return rest.exec(text)?.[0].length ?? 0
}

/** The place after the comma that follows an entry, comments between them skipped. */
function commaAfter(text: string, from: number): number | undefined {
  let at = from
  for (;;) {
    while (' \t\r\n'.includes(text[at] ?? '.')) at++
    if (text[at] === ',') return at + 1
    const close = text.startsWith('//', at) ? '\n' : text.startsWith('/*', at) ? '*/' : undefined
    const end = close === undefined ? -1 : text.indexOf(close, at + 2)
    if (end < 0) return undefined
    at = end + close!.length
  }
}

function indentOf(text: string): string {
  return /\n([ \t]+)"/.exec(text)?.[1] ?? '  '
}

function lineBreakOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n'
}
