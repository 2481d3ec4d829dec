/** What `pml doctor` says about the MCP clients of this machine: which have a file, and whether PML is in it. */
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { allClients } from '../clients/all-clients.js'
import type { ClientFormat, System } from '../clients/client-format.js'
import { isPmlEntry } from '../clients/is-pml-entry.js'
import { readJsonServers } from '../clients/json-client.js'
import { type ScannedPlace, scanClients } from '../clients/scan-clients.js'
import { readTomlServers } from '../clients/toml-client.js'
import { isObject } from '../model/json.js'
import { broken, type Finding, ok, warning } from './finding.js'

export async function checkClients(system: System): Promise<readonly Finding[]> {
  const scan = await scanClients(allClients, system)
  return allClients.flatMap((client) => {
    const places = scan.places.filter((place) => place.client === client)
    const unreadable = scan.broken
      .filter((one) => one.client === client)
      .map(({ error }) => warning(nameOf(client), error.message, error.hint))
    return [...unreadable, ...(places.length === 0 ? [] : [checkClient(client, places)])]
  })
}

function checkClient(client: ClientFormat, places: readonly ScannedPlace[]): Finding {
  const connected = places.filter((place) => place.connected)
  if (connected.length === 0) {
    const files = [...new Set(places.map(({ place }) => place.file))].join(', ')
    return ok(nameOf(client), `not connected (${files}); connect it with: pml init`)
  }
  const gone = connected.flatMap(programsOf).find((file) => !existsSync(file))
  if (gone === undefined) return ok(nameOf(client), 'connected')
  return broken(nameOf(client), `it starts PML by ${gone}, which is not there any more`, 'Run: pml init')
}

function nameOf({ title }: ClientFormat): string {
  return `client ${title}`
}

/** The Node and the program that the entry names in full: a clone that was moved takes them along. */
function programsOf({ place, text }: ScannedPlace): readonly string[] {
  const read = place.file.endsWith('.toml') ? readTomlServers : readJsonServers
  return read(text, place)
    .filter(([name, entry]) => isPmlEntry(name, entry))
    .flatMap(([, entry]) => {
      if (!isObject(entry)) return []
      const { path, args } = isObject(entry.command)
        ? { path: entry.command.path, args: entry.command.args }
        : { path: entry.command, args: entry.args }
      return [path, Array.isArray(args) ? args[0] : undefined]
    })
    .filter((word): word is string => typeof word === 'string' && isAbsolute(word))
}
