import { ClientEditError, ClientFileError } from '../errors.js'
import { allClients } from './all-clients.js'
import type { ServersPart } from './change-files.js'
import type { ClientFormat, Place } from './client-format.js'
import { hashEntries } from './hash-entries.js'
import { isPmlEntry } from './is-pml-entry.js'

export interface RestoreServersOptions {
  readonly path: string
  readonly parts: readonly ServersPart[]
  /** The file as it was before the change, and as it is. */
  readonly before: Uint8Array
  readonly now: Uint8Array
  /** Restores the servers whoever changed them. */
  readonly force: boolean
}

/**
 * Takes a change of a client's servers back and leaves the rest of its file, which the client has written since. The same
 * text where the servers are as they were; undefined where somebody changed them, or the file cannot be edited.
 */
export function restoreServers({
  path,
  parts,
  before,
  now,
  force,
}: RestoreServersOptions): string | undefined {
  const older = decode(before)
  let text = decode(now)
  if (older === undefined || text === undefined) return undefined
  try {
    for (const { client, place, sha256After } of placesOf(path, parts)) {
      const hash = hashEntries(client.entries(text, place))
      if (hash === hashEntries(client.entries(older, place))) continue
      if (hash !== sha256After && !force) return undefined
      text = client.restore(text, place, older)
    }
    return text
  } catch (error) {
    if (error instanceof ClientFileError || error instanceof ClientEditError) return undefined
    throw error
  }
}

/** True where the client would still start PML, or where nobody can tell. */
export function startsPml(path: string, parts: readonly ServersPart[], now: Uint8Array): boolean {
  const text = decode(now)
  if (text === undefined) return true
  try {
    return placesOf(path, parts).some(({ client, place }) =>
      client.entries(text, place).some(([name, entry]) => isPmlEntry(name, entry)),
    )
  } catch (error) {
    if (error instanceof ClientFileError) return true
    throw error
  }
}

interface PartPlace extends Pick<ServersPart, 'sha256After'> {
  readonly client: ClientFormat
  readonly place: Place
}

function placesOf(path: string, parts: readonly ServersPart[]): readonly PartPlace[] {
  return parts.map(({ client, section, sha256After }) => ({
    client: allClients.find(({ name }) => name === client)!,
    place: { file: path, section },
    sha256After,
  }))
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
