import { isObject } from '../model/json.js'
import type { ClientFormat, Found, Place, System } from './client-format.js'
import { readJsonServers } from './json-client.js'
import { jsonFormat } from './json-format.js'
import { literal } from './split-text.js'
import { inAppSettings, inHome, inProject, inXdgConfig } from './system-places.js'
import { takeEntry } from './take-entry.js'

const section = ['context_servers']

/** It resolves no references, and extensions write among its servers. */
export const zed: ClientFormat = {
  ...jsonFormat({
    name: 'zed',
    title: 'Zed',
    places: (system) => [
      ...userSettings(system).map((file) => ({ file, section })),
      ...flatpak(system).map((file) => ({ file, section, edition: 'Flatpak' })),
      { file: inProject(system, '.zed', 'settings.json'), section, project: system.cwd },
    ],
    readReference: () => undefined,
    toEntry: ({ command, args, env }) => ({ source: 'custom', command, args, env }),
  }),
  read: (text, place, system) =>
    readJsonServers(text, place).map(([name, entry]) => readEntry(name, entry, place, system)),
}

/** On macOS too it keeps to `~/.config`. */
function userSettings(system: System): readonly string[] {
  if (system.platform === 'win32') return inAppSettings(system, 'Zed', 'settings.json')
  if (system.platform === 'darwin') return inHome(system, '.config', 'zed', 'settings.json')
  return inXdgConfig(system, 'zed', 'settings.json')
}

function flatpak(system: System): readonly string[] {
  if (system.platform !== 'linux') return []
  return inHome(system, '.var', 'app', 'dev.zed.Zed', 'config', 'zed', 'settings.json')
}

function readEntry(name: string, entry: unknown, place: Place, system: System): Found {
  const reader = { split: literal, place, system }
  if (!isObject(entry)) return takeEntry(name, entry, reader)
  const hasServer = entry.command !== undefined || entry.url !== undefined
  if (entry.source === 'extension' || (!hasServer && entry.settings !== undefined)) {
    return { kind: 'left', name, reason: 'an extension of Zed brings it' }
  }
  const { source: _, ...own } = entry
  if (!isObject(own.command)) return takeEntry(name, own, reader)
  // The older form: {"command": {"path": ..., "args": [...], "env": {...}}}
  const { path, args, env, ...unknown } = own.command
  const { command: __, ...rest } = own
  const older = { ...(args === undefined ? {} : { args }), ...(env === undefined ? {} : { env }) }
  return takeEntry(name, { ...rest, ...unknown, command: path, ...older }, reader)
}
