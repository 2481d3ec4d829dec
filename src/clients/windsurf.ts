import type { Piece } from './client-format.js'
import { jsonFormat, plainEntry } from './json-format.js'
import { variable } from './split-text.js'
import { inHome } from './system-places.js'

const section = ['mcpServers']

export const windsurf = jsonFormat({
  name: 'windsurf',
  title: 'Windsurf',
  places: (system) => [
    ...inHome(system, '.codeium', 'windsurf', 'mcp_config.json').map((file) => ({ file, section })),
    ...inHome(system, '.codeium', 'windsurf-next', 'mcp_config.json').map((file) => ({
      file,
      section,
      edition: 'Next',
    })),
  ],
  readReference,
  toEntry: plainEntry,
})

/** `${env:NAME}`, and `${file:path}`, whose content is none of our business. */
function readReference(raw: string, inside: string): Piece | undefined {
  if (inside.startsWith('env:')) return variable(raw, inside.slice(4))
  return inside.startsWith('file:') ? { kind: 'foreign', raw } : undefined
}
