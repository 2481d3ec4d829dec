import type { ClientFormat, Piece, Place, System } from './client-format.js'
import { connectJson, readJsonServers, restoreJson } from './json-client.js'
import { folderReference, splitText, variable } from './split-text.js'
import { inHome, inProject } from './system-places.js'
import { takeEntry } from './take-entry.js'

export const cursor: ClientFormat = {
  name: 'cursor',
  title: 'Cursor',
  places: (system) => [
    ...inHome(system, '.cursor', 'mcp.json').map((file) => ({ file, section: ['mcpServers'] })),
    { file: inProject(system, '.cursor', 'mcp.json'), section: ['mcpServers'], project: system.cwd },
  ],
  read(text, place, system) {
    const split = (value: string) =>
      splitText(value, (raw, inside) => readReference(raw, inside, place, system))
    return readJsonServers(text, place).map(([name, entry]) =>
      takeEntry(name, entry, { split, place, system }),
    )
  },
  entries: readJsonServers,
  restore: restoreJson,
  connect: (text, place, change) =>
    connectJson(text, place, change, ({ command, args, env }) => ({
      command,
      args,
      ...(Object.keys(env).length === 0 ? {} : { env }),
    })),
}

function readReference(raw: string, inside: string, place: Place, system: System): Piece | undefined {
  if (inside.startsWith('env:')) return variable(raw, inside.slice(4))
  return folderReference(raw, inside, place, system)
}
