import type { Piece, Place, System } from './client-format.js'
import { jsonFormat, plainEntry } from './json-format.js'
import { folderReference, variable } from './split-text.js'
import { inHome, inProject } from './system-places.js'

export const cursor = jsonFormat({
  name: 'cursor',
  title: 'Cursor',
  places: (system) => [
    ...inHome(system, '.cursor', 'mcp.json').map((file) => ({ file, section: ['mcpServers'] })),
    { file: inProject(system, '.cursor', 'mcp.json'), section: ['mcpServers'], project: system.cwd },
  ],
  readReference,
  toEntry: plainEntry,
})

function readReference(raw: string, inside: string, place: Place, system: System): Piece | undefined {
  if (inside.startsWith('env:')) return variable(raw, inside.slice(4))
  return folderReference(raw, inside, place, system)
}
