import { isObject } from '../model/json.js'
import type { CommonDefinition } from '../model/server-definition.js'
import type { ClientDefinition, Found, FoundServer, Place, System, Text } from './client-format.js'
import { isPmlEntry } from './is-pml-entry.js'
import { pathsOf } from './system-places.js'

export interface EntryReader {
  split(text: string): Text
  readonly place: Place
  readonly system: System
}

const transports = new Set(['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp', 'streamable_http'])
const taken = new Set(
  'command args env cwd url serverUrl httpUrl headers type transport disabled enabled timeout'.split(' '),
)

/** One entry as most clients write it, in the common form; what is none is left alone, with the reason. */
export function takeEntry(name: string, entry: unknown, reader: EntryReader): Found {
  try {
    if (!isObject(entry)) throw new Refusal('it is not a mapping')
    if (isPmlEntry(name, entry)) return { kind: 'pml', name }
    const definition = readDefinition(entry, reader)
    const ignored = Object.keys(entry).filter((key) => !taken.has(key) && !isEmpty(entry[key]))
    return refuseForeign({ kind: 'server', name, definition, ignored })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { kind: 'left', name, reason: error.message }
  }
}

/** A server with a reference that we cannot resolve is of no use to us. */
export function refuseForeign(found: FoundServer): Found {
  const foreign = findForeign(found.definition)
  if (foreign === undefined) return found
  return { kind: 'left', name: found.name, reason: `only the client can fill in ${foreign}` }
}

/** Why an entry is not taken. */
class Refusal extends Error {}

function readDefinition(entry: Readonly<Record<string, unknown>>, reader: EntryReader): ClientDefinition {
  const type = entry.type ?? entry.transport
  if (type !== undefined && !transports.has(String(type))) {
    throw new Refusal(`its transport is ${JSON.stringify(type)}`)
  }
  if (entry.envFile !== undefined) throw new Refusal('it takes its environment from an envFile')
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl
  if (entry.command !== undefined && url !== undefined)
    throw new Refusal('it has both a command and an address')
  if (entry.command !== undefined) return { ...common(entry), ...stdio(entry, reader) }
  if (url === undefined) throw new Refusal('it has neither a command nor an address')
  const address = text(url, 'its address', reader)
  const start = address[0]!
  if (start.kind === 'literal' && !/^https?:\/\//i.test(start.text)) {
    throw new Refusal('its address does not start with http:// or https://')
  }
  return { ...common(entry), url: address, sse: type === 'sse', headers: texts(entry.headers, reader) }
}

function stdio(entry: Readonly<Record<string, unknown>>, reader: EntryReader) {
  const { place, system } = reader
  const command = text(entry.command, 'its command', reader)
  const first = command[0]!
  if (first.kind === 'literal' && first.text.trim() === '') throw new Refusal('its command is empty')
  const list = entry.args ?? []
  if (!Array.isArray(list)) throw new Refusal('its args are not a list')
  const args = list.map((arg) => text(arg, 'one of its args', reader))
  const env = texts(entry.env, reader)
  const cwd = entry.cwd === undefined ? undefined : text(entry.cwd, 'its cwd', reader)
  if (place.project === undefined) return { command, args, env, ...(cwd === undefined ? {} : { cwd }) }
  const fromProject = (path: Text): Text => resolveFrom(place.project!, path, system)
  const folder = cwd === undefined ? [{ kind: 'literal' as const, text: place.project }] : fromProject(cwd)
  return {
    command: /^\.{1,2}[/\\]/.test(plain(command)) ? fromProject(command) : command,
    args,
    env,
    ...(cwd !== undefined || mindsFolder(command, args) ? { cwd: folder } : {}),
  }
}

/** Programs that fetch what they run: alone they do not care where they are started. */
const fetchers = /(?:^|[/\\])(?:npx|bunx|uvx|pipx|docker|podman)(?:\.(?:cmd|exe))?$/i
const relative = /^(?:[^=]*=)?\.{1,2}(?:$|[/\\])|^[\w-][\w./\\-]*\.(?:[cm]?[jt]s|py|rb|sh|json|ya?ml|toml)$/

function mindsFolder(command: Text, args: readonly Text[]): boolean {
  return !fetchers.test(plain(command)) || args.some((arg) => relative.test(plain(arg)))
}

function common(entry: Readonly<Record<string, unknown>>): CommonDefinition {
  const off = entry.disabled === true || entry.enabled === false
  const { timeout } = entry
  return {
    ...(off ? { disabled: true } : {}),
    ...(typeof timeout === 'number' && timeout > 0 ? { timeout } : {}),
  }
}

/** Numbers and truth values are a common slip in `env` and `args`: every client makes text of them. */
function text(value: unknown, what: string, reader: EntryReader): Text {
  if (typeof value === 'number' || typeof value === 'boolean') return reader.split(String(value))
  if (typeof value !== 'string') throw new Refusal(`${what} is not a text`)
  if (value.includes('\0')) throw new Refusal(`${what} has a NUL character`)
  return reader.split(value)
}

function texts(value: unknown, reader: EntryReader): Readonly<Record<string, Text>> {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) throw new Refusal('its env or headers are not a mapping')
  const set = Object.entries(value).filter(([, item]) => item !== null)
  return Object.fromEntries(set.map(([key, item]) => [key, text(item, key, reader)]))
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value as object).length === 0)
}

function resolveFrom(folder: string, path: Text, system: System): Text {
  const [first, ...rest] = path
  if (first?.kind !== 'literal' || /^~[/\\]/.test(first.text)) return path
  const full = rest.length === 0 ? pathsOf(system).resolve(folder, first.text) : undefined
  return full === undefined ? path : [{ kind: 'literal', text: full }]
}

function findForeign(definition: ClientDefinition): string | undefined {
  const all =
    'url' in definition
      ? [definition.url, ...Object.values(definition.headers)]
      : [
          definition.command,
          ...definition.args,
          ...Object.values(definition.env),
          ...(definition.cwd === undefined ? [] : [definition.cwd]),
        ]
  return all.flat().find((piece) => piece.kind === 'foreign')?.raw
}

function plain(text: Text): string {
  return text.map((piece) => (piece.kind === 'literal' ? piece.text : '?')).join('')
}
