import { win32 } from 'node:path'
import type { System } from './client-format.js'
import { jsonFormat, plainEntry } from './json-format.js'
import { inAppSettings } from './system-places.js'

const file = 'claude_desktop_config.json'
const section = ['mcpServers']

/** It resolves no references: a `${NAME}` reaches the server as it is written. */
export const claudeDesktop = jsonFormat({
  name: 'claude-desktop',
  title: 'Claude Desktop',
  places: (system) => [
    ...inAppSettings(system, 'Claude', file).map((found) => ({ file: found, section })),
    ...fromStore(system).map((found) => ({ file: found, section, edition: 'Store' })),
  ],
  readReference: () => undefined,
  toEntry: plainEntry,
})

/** Windows keeps the settings of a packaged program in a place of its own. */
function fromStore({ platform, env }: System): readonly string[] {
  if (platform !== 'win32' || !env.LOCALAPPDATA) return []
  const packaged = ['Packages', 'Claude_pzs8sxrjxfjjc', 'LocalCache', 'Roaming', 'Claude', file]
  return [win32.join(env.LOCALAPPDATA, ...packaged)]
}
