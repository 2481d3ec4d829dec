import type { ClientFormat, Piece } from './client-format.js'
import { connectJson, readJsonServers, restoreJson } from './json-client.js'
import { splitText, variable } from './split-text.js'
import { inHome } from './system-places.js'
import { takeEntry } from './take-entry.js'

const section = ['mcpServers']

export const windsurf: ClientFormat = {
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
  read(text, place, system) {
    const split = (value: string) => splitText(value, readReference)
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

/** `${env:NAME}`, and `${file:path}`, whose content is none of our business. */
function readReference(raw: string, inside: string): Piece | undefined {
  if (inside.startsWith('env:')) return variable(raw, inside.slice(4))
  return inside.startsWith('file:') ? { kind: 'foreign', raw } : undefined
}
