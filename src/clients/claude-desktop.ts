import { win32 } from 'node:path'
import type { ClientFormat, System } from './client-format.js'
import { connectJson, readJsonServers, restoreJson } from './json-client.js'
import { literal } from './split-text.js'
import { inAppSettings } from './system-places.js'
import { takeEntry } from './take-entry.js'

const file = 'claude_desktop_config.json'
const section = ['mcpServers']

/** It resolves no references: a `${NAME}` reaches the server as it is written. */
export const claudeDesktop: ClientFormat = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  places: (system) => [
    ...inAppSettings(system, 'Claude', file).map((found) => ({ file: found, section })),
    ...fromStore(system).map((found) => ({ file: found, section, edition: 'Store' })),
  ],
  read: (text, place, system) =>
    readJsonServers(text, place).map(([name, entry]) =>
      takeEntry(name, entry, { split: literal, place, system }),
    ),
  entries: readJsonServers,
  restore: restoreJson,
  connect: (text, place, change) =>
    connectJson(text, place, change, ({ command, args, env }) => ({
      command,
      args,
      ...(Object.keys(env).length === 0 ? {} : { env }),
    })),
}

/** Windows keeps the settings of a packaged program in a place of its own. */
function fromStore({ platform, env }: System): readonly string[] {
  if (platform !== 'win32' || !env.LOCALAPPDATA) return []
  const packaged = ['Packages', 'Claude_pzs8sxrjxfjjc', 'LocalCache', 'Roaming', 'Claude', file]
  return [win32.join(env.LOCALAPPDATA, ...packaged)]
}
