import { stripVTControlCharacters } from 'node:util'

/** Aligned columns; the last one is left ragged, and cut where a width is given. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): string {
  const all = [header, ...rows.map((row) => row.map(oneLine))]
  const widths = header.map((_, column) => Math.max(...all.map((row) => shown(row[column] ?? ''))))
  return all.map((row) => formatRow(row, widths, width)).join('\n')
}

function formatRow(row: readonly string[], widths: readonly number[], width: number): string {
  const cells = row.map((cell, column) =>
    column === row.length - 1 ? cell : cell + ' '.repeat(widths[column]! - shown(cell)),
  )
  return fitLine(cells.join('  ').trimEnd(), width)
}

/** Colour codes take no room; a cut line loses them, so that none is left open. */
export function fitLine(line: string, width: number): string {
  if (shown(line) <= width) return line
  return `${stripVTControlCharacters(line).slice(0, Math.max(1, width - 3))}...`
}

function shown(text: string): number {
  return stripVTControlCharacters(text).length
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ')
}
