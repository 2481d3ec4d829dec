import type { Section, ServerDefinition } from './edit-config-file.js'
import { findEntry, type JsonTreeObject, parseJsonTree } from './json-tree.js'

/**
 * JSON is edited as text, at the one place that changes, because printing it anew would lose comments and spacing.
 * The file was read before, so that its root is an object and its section, where there is one, too.
 */
export async function addToJson(
  text: string,
  section: Section,
  name: string,
  definition: ServerDefinition,
): Promise<string> {
  if (text.trim() === '') return `${JSON.stringify({ [section]: { [name]: definition } }, undefined, 2)}\n`
  const root = parseJsonTree(text) as JsonTreeObject
  const servers = findEntry(root, section)?.value
  if (servers?.kind === 'object') return insertEntry(text, servers, name, definition, 2)
  const value = { [name]: definition }
  if (servers === undefined) return insertEntry(text, root, section, value, 1)
  return text.slice(0, servers.start) + pretty(value, indentOf(text), 1) + text.slice(servers.end)
}

export async function removeFromJson(text: string, section: Section, name: string): Promise<string> {
  const servers = findEntry(parseJsonTree(text), section)!.value as JsonTreeObject
  let edited = text
  for (const index of servers.entries.keys()) {
    const at = servers.entries.length - 1 - index
    if (servers.entries[at]!.key === name) edited = cutEntry(edited, servers, at)
  }
  return edited
}

function insertEntry(
  text: string,
  parent: JsonTreeObject,
  key: string,
  value: unknown,
  depth: number,
): string {
  const indent = indentOf(text)
  const entry = `${JSON.stringify(key)}: ${pretty(value, indent, depth)}`
  const lineStart = `\n${indent.repeat(depth)}`
  const last = parent.entries.at(-1)
  if (last === undefined) {
    const inside = text.slice(parent.start + 1, parent.end - 1).trimEnd()
    return `${text.slice(0, parent.start + 1)}${inside}${lineStart}${entry}\n${indent.repeat(depth - 1)}${text.slice(parent.end - 1)}`
  }
  const comma = commaAfter(text, last.value.end)
  const end = comma ?? last.value.end
  const lineEnd = end + restOfLine(text, end)
  // A comma that is there already is the person's style: the new last entry gets one too.
  const [commaBefore, commaAtEnd] = comma === undefined ? [',', ''] : ['', ',']
  return `${text.slice(0, end)}${commaBefore}${text.slice(end, lineEnd)}${lineStart}${entry}${commaAtEnd}${text.slice(lineEnd)}`
}

/** Takes the entry with its comma and what else is on its lines; comments on lines of their own stay. */
function cutEntry(text: string, parent: JsonTreeObject, index: number): string {
  const entry = parent.entries[index]!
  const before = parent.entries[index - 1]
  const comma = commaAfter(text, entry.value.end)
  const lineBreak = /\r?\n[ \t]*$/.exec(text.slice(0, entry.start))
  const start = lineBreak?.index ?? entry.start
  const last = comma ?? entry.value.end
  const end = lineBreak === null ? last : last + restOfLine(text, last)
  const commaBefore = before && comma === undefined ? commaAfter(text, before.value.end) : undefined
  const head = text.slice(0, start)
  const kept =
    commaBefore === undefined ? head : head.slice(0, commaBefore - 1) + head.slice(commaBefore).trimEnd()
  return kept + text.slice(end)
}

/** Length of the blanks and the comment up to the line's end; 0 where something else follows. */
function restOfLine(text: string, from: number): number {
  return /^[ \t]*(?:\/\/[^\r\n]*)?(?=\r?\n)/.exec(text.slice(from))?.[0].length ?? 0
}

/** The place after the comma that follows an entry, comments between them skipped. */
function commaAfter(text: string, from: number): number | undefined {
  const found = /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*,/.exec(text.slice(from))
  return found === null ? undefined : from + found[0].length
}

function pretty(value: unknown, indent: string, depth: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll('\n', `\n${indent.repeat(depth)}`)
}

function indentOf(text: string): string {
  return /\n([ \t]+)"/.exec(text)?.[1] ?? '  '
}
