import { isDeepStrictEqual } from 'node:util'
import { parse, stringify, TomlError, type TomlTable } from 'smol-toml'
import { ClientEditError, ClientFileError } from '../errors.js'
import { isObject } from '../model/json.js'
import type { Connection, Entries, Place, PmlEntry } from './client-format.js'
import { isPmlEntry, pmlKeys } from './is-pml-entry.js'
import { mergeEntries, type PmlStart } from './merge-entries.js'
import { type TomlStatement, tomlStatements } from './toml-statements.js'

type Servers = Readonly<Record<string, unknown>>

export function readTomlServers(text: string, place: Place): Entries {
  return Object.entries(serversOf(parseToml(text, place), place))
}

/** Cuts servers out and puts PML at the end; nothing is given back that does not read as exactly that. */
export function connectToml(
  text: string,
  place: Place,
  { remove, put }: Connection,
  toEntry: (put: PmlEntry) => PmlStart,
): string {
  const [section] = place.section as [string]
  const root = parseToml(text, place)
  const before = serversOf(root, place)
  const expected = Object.fromEntries(Object.entries(before).filter(([name]) => !remove.includes(name)))
  const gone = new Set(remove)
  let added = ''
  if (put !== undefined) {
    const key = pmlKeys.find((name) => expected[name] === undefined || isPmlEntry(name, expected[name]))!
    expected[key] = mergeEntries(expected[key], toEntry(put))
    gone.add(key)
    added = stringify({ [section]: { [key]: expected[key] } })
  }
  const edited = append(cut(text, section, gone), added)
  if (!readsAs(edited, place, { ...root, [section]: expected })) throw new ClientEditError(place.file)
  return edited
}

/**
 * Servers that differ make way, and those of the older text come back at the end: in its own words, or where these mean
 * something else there, because they stood beneath another header, in ours.
 */
export function restoreToml(text: string, place: Place, older: string): string {
  const [section] = place.section as [string]
  const root = parseToml(text, place)
  const now = serversOf(root, place)
  const wanted = serversOf(parseToml(older, place), place)
  const gone = differing(now, wanted)
  const missing = differing(wanted, now)
  const rest = cut(text, section, gone)
  const pieces = runs(tomlStatements(older), section, missing)
  const asWritten = pieces.map(({ start, end }) => older.slice(start, end).trimEnd()).join('\n\n')
  const inOurWords = [...missing].map((name) => stringify({ [section]: { [name]: wanted[name] } })).join('\n')
  const edited = [asWritten, inOurWords]
    .map((added) => append(rest, added))
    .find((candidate) => readsAs(candidate, place, { ...root, [section]: wanted }))
  if (edited === undefined) throw new ClientEditError(place.file)
  return edited
}

/** Names in one that the other has not, or otherwise. */
function differing(one: Servers, other: Servers): ReadonlySet<string> {
  return new Set(Object.keys(one).filter((name) => !isDeepStrictEqual(one[name], other[name])))
}

function readsAs(edited: string, place: Place, expected: object): boolean {
  const [section] = place.section as [string]
  try {
    return isDeepStrictEqual(filled(parseToml(edited, place), section), filled(expected, section))
  } catch (error) {
    if (error instanceof ClientFileError) return false
    throw error
  }
}

/** A section without servers may be there or not: its last server takes its header along. */
function filled(root: object, section: string): object {
  const { [section]: servers, ...rest } = root as Readonly<Record<string, unknown>>
  const some = isObject(servers) && Object.keys(servers).length > 0
  // A clone, because objects of the parser have no prototype and ours have.
  return structuredClone(some ? { ...rest, [section]: servers } : rest)
}

function cut(text: string, section: string, names: ReadonlySet<string>): string {
  let edited = text
  for (const { start, end } of runs(tomlStatements(text), section, names).reverse()) {
    const head = edited.slice(0, start)
    const tail = edited.slice(end)
    // The blank line before it now stands before what comes next.
    const spare = /(?:^|\n[ \t]*\r?\n)$/.test(head) ? /^(?:[ \t]*\r?\n)*/.exec(tail)![0].length : 0
    edited = head + tail.slice(spare)
  }
  return edited
}

/** Statements of one server that follow one another, with the comments between them. */
function runs(statements: readonly TomlStatement[], section: string, names: ReadonlySet<string>) {
  const found: { name: string; start: number; end: number }[] = []
  let last: { name: string; start: number; end: number } | undefined
  for (const { path, start, end } of statements) {
    const name = path[1]
    if (path[0] !== section || name === undefined || !names.has(name)) last = undefined
    else if (last?.name === name) last.end = end
    else {
      last = { name, start, end }
      found.push(last)
    }
  }
  return found
}

/** The end of a file is outside of every table but the last, and a header ends that one. */
function append(text: string, added: string): string {
  if (added === '') return text
  const lineBreak = /\r?\n/.exec(text)?.[0] ?? '\n'
  const body = added.trimEnd().replaceAll(/\r?\n/g, lineBreak)
  const before =
    text.replace('\ufeff', '').trim() === ''
      ? ''
      : `${/\n$/.test(text) ? '' : lineBreak}${/\n[ \t]*\r?\n$/.test(text) ? '' : lineBreak}`
  return `${text}${before}${body}${lineBreak}`
}

function serversOf(root: TomlTable, place: Place): Servers {
  const servers = root[place.section[0]!] ?? {}
  if (!isObject(servers)) {
    throw new ClientFileError(
      place.file,
      undefined,
      `${place.section[0]}: expected a table of servers by name`,
    )
  }
  return servers
}

function parseToml(text: string, place: Place): TomlTable {
  try {
    return parse(text.replace(/^\ufeff/, ''), { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The rest of its message quotes the file, secrets and all.
    const what = error.message.split('\n')[0]!.replace(/^Invalid TOML document:\s*/i, '')
    throw new ClientFileError(place.file, error.line, `expected TOML: ${what}`)
  }
}
