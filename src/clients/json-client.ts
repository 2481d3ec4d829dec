import { isDeepStrictEqual } from 'node:util'
import { ClientEditError, ClientFileError } from '../errors.js'
import { cutJsonEntry, insertJsonEntry, prettyJson } from '../model/edit-json-entry.js'
import {
  findEntry,
  JsonSyntaxError,
  type JsonTree,
  type JsonTreeObject,
  parseJsonTree,
  treeValue,
} from '../model/json-tree.js'
import type { Connection, Entries, Place, PmlEntry } from './client-format.js'
import { isPmlEntry, pmlKeys } from './is-pml-entry.js'
import { mergeEntries, type PmlStart } from './merge-entries.js'

/** The servers of a JSON file as they are written, comments and trailing commas allowed. */
export function readJsonServers(text: string, place: Place): Entries {
  const section = findSection(text, place)
  return section === undefined ? [] : Object.entries(treeValue(section) as object)
}

/** Cuts servers out and puts PML in; nothing is given back that does not read as exactly that. */
export function connectJson(
  text: string,
  place: Place,
  { remove, put }: Connection,
  toEntry: (put: PmlEntry) => PmlStart,
): string {
  const section = findSection(text, place)
  if (section === undefined) throw new ClientEditError(place.file)
  const before = treeValue(section) as Readonly<Record<string, unknown>>
  const expected = Object.fromEntries(Object.entries(before).filter(([name]) => !remove.includes(name)))
  let edited = text
  for (let at = section.entries.length - 1; at >= 0; at--) {
    if (remove.includes(section.entries[at]!.key)) edited = cutJsonEntry(edited, section, at)
  }
  if (put !== undefined) {
    const entry = toEntry(put)
    const key = pmlKeys.find((name) => expected[name] === undefined || isPmlEntry(name, expected[name]))!
    const merged = mergeEntries(expected[key], entry)
    expected[key] = merged
    edited = putEntry(edited, place, key, merged)
  }
  const whole = withSection(treeValue(parse(text, place.file)), place.section, expected)
  if (!readsAs(edited, place, whole)) throw new ClientEditError(place.file)
  return edited
}

/** The older text of the section, comments and all, in the place of what stands there. */
export function restoreJson(text: string, place: Place, older: string): string {
  const section = findSection(text, place)
  const wanted = findSection(older, place)
  if (section === undefined || wanted === undefined) throw new ClientEditError(place.file)
  const edited =
    text.slice(0, section.start) + older.slice(wanted.start, wanted.end) + text.slice(section.end)
  const servers = treeValue(wanted) as object
  const whole = withSection(treeValue(parse(text, place.file)), place.section, servers)
  if (!readsAs(edited, place, whole)) throw new ClientEditError(place.file)
  return edited
}

function readsAs(edited: string, place: Place, expected: unknown): boolean {
  try {
    return isDeepStrictEqual(treeValue(parse(edited, place.file)), expected)
  } catch (error) {
    if (error instanceof ClientFileError) return false
    throw error
  }
}

function putEntry(text: string, place: Place, key: string, entry: object): string {
  const section = findAgain(text, place)
  const there = findEntry(section, key)?.value
  const depth = place.section.length + 1
  if (there === undefined) return insertJsonEntry(text, section, key, entry, depth)
  return text.slice(0, there.start) + prettyJson(entry, text, depth) + text.slice(there.end)
}

function findAgain(edited: string, place: Place): JsonTreeObject {
  try {
    const section = findSection(edited, place)
    if (section !== undefined) return section
  } catch (error) {
    if (!(error instanceof ClientFileError)) throw error
  }
  throw new ClientEditError(place.file)
}

function findSection(text: string, place: Place): JsonTreeObject | undefined {
  let node: JsonTree | undefined = parse(text, place.file)
  for (const key of place.section) node = node === undefined ? undefined : findEntry(node, key)?.value
  if (node === undefined || (node.kind === 'scalar' && node.value === null)) return undefined
  if (node.kind !== 'object') {
    const expected = `${place.section.join('.')}: expected a mapping of servers by name`
    throw new ClientFileError(place.file, lineAt(text, node.start), expected)
  }
  return node
}

function withSection(value: unknown, section: readonly string[], servers: object): unknown {
  const [key, ...rest] = section
  if (key === undefined) return servers
  const object = value as Readonly<Record<string, unknown>>
  return { ...object, [key]: withSection(object[key], rest, servers) }
}

/** An empty file, or one with comments alone, is how some clients begin. */
function parse(text: string, file: string): JsonTree {
  if (isBlank(text)) return { kind: 'object', start: 0, end: 0, entries: [] }
  try {
    return parseJsonTree(text)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new ClientFileError(file, lineAt(text, error.offset), error.message, { cause: error })
  }
}

function isBlank(text: string): boolean {
  let rest = text.trimStart()
  while (rest.startsWith('//') || rest.startsWith('/*')) {
    const close = rest[1] === '/' ? '\n' : '*/'
    const end = rest.indexOf(close, 2)
    rest = end < 0 ? '' : rest.slice(end + close.length).trimStart()
  }
  return rest === ''
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
