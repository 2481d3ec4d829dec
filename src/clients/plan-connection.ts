import type { ServersPart } from './change-files.js'
import type { ClientFormat, PmlEntry } from './client-format.js'
import { hashEntries } from './hash-entries.js'
import type { PlannedServer, PlannedVariable } from './plan-import.js'
import type { ScannedPlace } from './scan-clients.js'

export interface ConnectionPlan {
  readonly client: ClientFormat
  readonly edits: readonly PlaceEdit[]
  /** Variables whose values the client's entry carries. */
  readonly carries: readonly string[]
}

export interface PlaceEdit {
  readonly from: ScannedPlace
  readonly remove: readonly string[]
  readonly put?: PmlEntry
}

export interface ConnectionOptions {
  readonly places: readonly ScannedPlace[]
  readonly servers: readonly PlannedServer[]
  /** How PML is started; secrets and what the client must pass on are added here. */
  readonly entry: PmlEntry
  /** Secrets that need not stand in the client's file, because they are kept elsewhere. */
  isKept(variable: PlannedVariable): boolean
}

/**
 * How one client's files change when it is pointed at PML: servers that PML has taken over go, and one entry takes their
 * place. There is one for all files of an edition, because of two by the same name a client starts but one, with the
 * environment of one; it stands where PML stands already, else in the first file that changes, the user's own before a
 * project's. A file with secrets that the client asks for keeps an entry of its own.
 */
export function planConnection(client: ClientFormat, options: ConnectionOptions): ConnectionPlan | undefined {
  const places = options.places.filter((from) => from.client === client)
  const editions = new Set(places.map(({ place }) => place.edition))
  const edits = [...editions].flatMap((edition) =>
    editEdition(
      places.filter(({ place }) => place.edition === edition),
      options,
    ),
  )
  if (edits.length === 0) return undefined
  return { client, edits, carries: edits.flatMap(({ put }) => Object.keys(put?.env ?? {})) }
}

function editEdition(places: readonly ScannedPlace[], options: ConnectionOptions): readonly PlaceEdit[] {
  const servers = options.servers.filter(({ from }) => places.includes(from))
  if (servers.length === 0) return []
  const home = places.find(({ connected }) => connected) ?? servers[0]!.from
  return places
    .map((from) => {
      const own = servers.filter((server) => server.from === from)
      const remove = own.map(({ found }) => found.name)
      if (from === home) {
        const others = servers.filter((server) => server.from === home || !isAsked(server))
        return { from, remove, put: entryFor(others, options) }
      }
      // What a client asks for it knows in that file alone.
      return own.some(isAsked) ? { from, remove, put: entryFor(own, options) } : { from, remove }
    })
    .filter(({ remove, put }) => remove.length > 0 || put !== undefined)
}

function isAsked({ variables }: PlannedServer): boolean {
  return variables.some(({ value }) => value === undefined)
}

function entryFor(servers: readonly PlannedServer[], { entry, isKept }: ConnectionOptions): PmlEntry {
  const carried = servers.flatMap(({ variables }) => variables).filter((variable) => !isKept(variable))
  const env = { ...entry.env, ...Object.fromEntries(carried.map(({ name, raw }) => [name, raw])) }
  const wanted = new Set([...entry.inherit, ...servers.flatMap(({ inherits }) => inherits)])
  return { ...entry, env, inherit: [...wanted].filter((name) => !Object.hasOwn(env, name)) }
}

/** The texts of all files that change, by the file itself: several places may be in one. */
export function editTexts(plans: readonly ConnectionPlan[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { client, edits } of plans) {
    for (const { from, remove, put } of edits) {
      const before = texts.get(from.target) ?? from.text
      const change = put === undefined ? { remove } : { remove, put }
      texts.set(from.target, client.connect(before, from.place, change))
    }
  }
  return texts
}

/** What stands in the places of one file once it reads so: by this an undo knows them again. */
export function serversParts(
  plans: readonly ConnectionPlan[],
  target: string,
  text: string,
): readonly ServersPart[] {
  return plans.flatMap(({ client, edits }) =>
    edits
      .filter(({ from }) => from.target === target)
      .map(({ from: { place } }) => ({
        client: client.name,
        section: place.section,
        sha256After: hashEntries(client.entries(text, place)),
      })),
  )
}
