import type { Piece, Place, System, Text } from './client-format.js'
import { pathsOf, userHome } from './system-places.js'

/** What a reference stands for; undefined leaves it as plain text. */
export type ReadReference = (raw: string, inside: string) => Piece | undefined

const anyReference = /\$\{([^{}]*)\}/g
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

export function literal(text: string): Text {
  return [{ kind: 'literal', text }]
}

/** A text cut into what is literal and what its client resolves. */
export function splitText(text: string, readReference: ReadReference): Text {
  const pieces: Piece[] = []
  let from = 0
  let plain = ''
  for (const match of text.matchAll(anyReference)) {
    const piece = readReference(match[0], match[1]!)
    if (piece === undefined) continue
    plain += text.slice(from, match.index)
    from = match.index + match[0].length
    if (piece.kind === 'literal') plain += piece.text
    else {
      if (plain !== '') pieces.push({ kind: 'literal', text: plain })
      plain = ''
      pieces.push(piece)
    }
  }
  plain += text.slice(from)
  return plain === '' && pieces.length > 0 ? pieces : [...pieces, { kind: 'literal', text: plain }]
}

/** `${env:NAME}`, as the family of VS Code writes it. */
export function variable(raw: string, name: string, fallback?: string): Piece {
  if (!variableName.test(name)) return { kind: 'foreign', raw }
  return { kind: 'variable', name, raw, ...(fallback === undefined ? {} : { fallback }) }
}

/** `${userHome}`, `${workspaceFolder}` and the like: text where we know it, foreign where only the client does. */
export function folderReference(
  raw: string,
  inside: string,
  place: Place,
  system: System,
): Piece | undefined {
  const known: Readonly<Record<string, string | undefined>> = {
    userHome: userHome(system) || undefined,
    workspaceFolder: place.project,
    workspaceFolderBasename:
      place.project === undefined ? undefined : pathsOf(system).basename(place.project),
    pathSeparator: pathsOf(system).sep,
    '/': pathsOf(system).sep,
  }
  if (!Object.hasOwn(known, inside)) return undefined
  const text = known[inside]
  return text === undefined ? { kind: 'foreign', raw } : { kind: 'literal', text }
}
