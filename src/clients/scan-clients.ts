import { readFile, realpath } from 'node:fs/promises'
import { ClientFileError } from '../errors.js'
import type { ClientFormat, FoundServer, LeftAlone, Place, System } from './client-format.js'

export interface Scan {
  readonly places: readonly ScannedPlace[]
  /** Files that are there and cannot be read. */
  readonly broken: readonly BrokenFile[]
}

export interface BrokenFile {
  readonly client: ClientFormat
  readonly error: ClientFileError
}

/** One place of one client that is there. */
export interface ScannedPlace {
  readonly client: ClientFormat
  readonly place: Place
  /** The file itself, where the place's is a link. */
  readonly target: string
  readonly text: string
  readonly servers: readonly FoundServer[]
  readonly left: readonly LeftAlone[]
  /** True where PML stands there already. */
  readonly connected: boolean
}

/** The state of Claude Code grows to some megabytes; a file beyond this is no configuration. */
const largestFile = 64 * 1024 * 1024

/** Looks at every place of every client; one that cannot be read keeps none of the others from being read. */
export async function scanClients(clients: readonly ClientFormat[], system: System): Promise<Scan> {
  const places: ScannedPlace[] = []
  const broken: BrokenFile[] = []
  for (const client of clients) {
    const seen = new Set<string>()
    const failed = new Set<string>()
    for (const place of client.places(system)) {
      try {
        const file = await readText(place.file)
        if (file === undefined) continue
        // The project may be the home folder, and a link may lead to a place that was seen.
        const id = JSON.stringify([file.target, place.section])
        if (seen.has(id)) continue
        seen.add(id)
        const found = client.read(file.text, place, system)
        places.push({
          client,
          place,
          ...file,
          servers: found.filter((one) => one.kind === 'server'),
          left: found.filter((one) => one.kind === 'left'),
          connected: found.some((one) => one.kind === 'pml'),
        })
      } catch (error) {
        if (!(error instanceof ClientFileError)) throw error
        if (!failed.has(error.message)) broken.push({ client, error })
        failed.add(error.message)
      }
    }
  }
  return { places, broken }
}

async function readText(file: string): Promise<{ target: string; text: string } | undefined> {
  let bytes: Buffer
  let target: string
  try {
    target = await realpath(file)
    bytes = await readFile(target)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const what =
      code === 'EISDIR' ? 'it is a folder' : code === 'EACCES' ? 'it may not be read' : String(code)
    throw new ClientFileError(file, undefined, `expected a readable file, but ${what}`, { cause })
  }
  if (bytes.length > largestFile)
    throw new ClientFileError(file, undefined, `expected at most ${largestFile} bytes, got ${bytes.length}`)
  try {
    return { target, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch (cause) {
    throw new ClientFileError(file, undefined, 'expected UTF-8; save it in that encoding', { cause })
  }
}
