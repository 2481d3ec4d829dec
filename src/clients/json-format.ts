import type { ClientFormat, Piece, Place, PmlEntry, System } from './client-format.js'
import { connectJson, readJsonServers, restoreJson } from './json-client.js'
import type { PmlStart } from './merge-entries.js'
import { splitText } from './split-text.js'
import { takeEntry } from './take-entry.js'

/** What tells one client that writes JSON from another. */
export interface JsonFormatOptions extends Pick<ClientFormat, 'name' | 'title' | 'places'> {
  /** What `${inside}` means to it; undefined where it is text like any other. */
  readReference(raw: string, inside: string, place: Place, system: System): Piece | undefined
  /** How it writes the server that is PML. */
  toEntry(put: PmlEntry): PmlStart
}

export function jsonFormat({ readReference, toEntry, ...client }: JsonFormatOptions): ClientFormat {
  return {
    ...client,
    read(text, place, system) {
      const split = (value: string) =>
        splitText(value, (raw, inside) => readReference(raw, inside, place, system))
      return readJsonServers(text, place).map(([name, entry]) =>
        takeEntry(name, entry, { split, place, system }),
      )
    },
    entries: readJsonServers,
    restore: restoreJson,
    connect: (text, place, change) => connectJson(text, place, change, toEntry),
  }
}

/** As most of them write it: an environment only where there is one. */
export function plainEntry({ command, args, env }: PmlEntry): PmlStart {
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) }
}
