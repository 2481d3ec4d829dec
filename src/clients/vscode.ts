import type { Piece, Place, System } from './client-format.js'
import { jsonFormat, plainEntry } from './json-format.js'
import { folderReference, variable } from './split-text.js'
import { inAppSettings, inProject } from './system-places.js'

const editions = ['Code', 'Code - Insiders', 'VSCodium']

/** `mcp.json` of the user and of the workspace; older versions kept servers in `settings.json`. */
export const vscode = jsonFormat({
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
  readReference,
  toEntry: (put) => ({ type: 'stdio', ...plainEntry(put) }),
})

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
