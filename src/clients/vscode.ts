import type { ClientFormat, Piece, Place, System } from './client-format.js'
import { connectJson, readJsonServers, restoreJson } from './json-client.js'
import { folderReference, splitText, variable } from './split-text.js'
import { inAppSettings, inProject } from './system-places.js'
import { takeEntry } from './take-entry.js'

const editions = ['Code', 'Code - Insiders', 'VSCodium']

/** `mcp.json` of the user and of the workspace; older versions kept servers in `settings.json`. */
export const vscode: ClientFormat = {
  name: 'vscode',
  title: 'VS Code',
  places(system) {
    const users = editions.flatMap((name) => {
      const edition = name === 'Code' ? {} : { edition: name }
      const inUser = (file: string) => inAppSettings(system, name, 'User', file)
      return [
        ...inUser('mcp.json').map((file) => ({ file, section: ['servers'], ...edition })),
        ...inUser('settings.json').flatMap((file) => inSettings({ file, ...edition })),
      ]
    })
    const project = system.cwd
    return [
      ...users,
      { file: inProject(system, '.vscode', 'mcp.json'), section: ['servers'], project },
      ...inSettings({ file: inProject(system, '.vscode', 'settings.json'), project }),
    ]
  },
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
      type: 'stdio',
      command,
      args,
      ...(Object.keys(env).length === 0 ? {} : { env }),
    })),
}

/** A setting may be written as one dotted key or as keys within one another. */
function inSettings(place: Omit<Place, 'section'>): readonly Place[] {
  return [
    { ...place, section: ['mcp', 'servers'] },
    { ...place, section: ['mcp.servers'] },
  ]
}

/** What depends on the open window, on other settings or on an extension. */
const ownToTheWindow =
  /^(?:config|command|workspaceFolder):|^(?:cwd|file\w*|relativeFile\w*|lineNumber|columnNumber|selectedText|execPath|defaultBuildTask)$/

function readReference(raw: string, inside: string, place: Place, system: System): Piece | undefined {
  if (inside.startsWith('env:')) return variable(raw, inside.slice(4))
  if (inside.startsWith('input:')) return { kind: 'asked', id: inside.slice(6), raw }
  if (ownToTheWindow.test(inside)) return { kind: 'foreign', raw }
  return folderReference(raw, inside, place, system)
}
