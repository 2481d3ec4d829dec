/**
 * Changes files of other programs and of ours together, so that it can be taken back: every file is copied before, and
 * a manifest that names them all, with what they are and what they will be, is on the disk before the first change.
 */
import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ChangedMeanwhileError, HalfDoneError } from '../errors.js'
import { writeFileAtomically } from '../model/write-file-atomically.js'
import type { ClientName } from './client-format.js'

export interface FileChange {
  readonly file: string
  /** What was read when the change was planned; undefined where there was no file. */
  readonly before: string | undefined
  readonly after: string
  /** Where a client's servers stand in it; none in files of our own. */
  readonly servers?: readonly ServersPart[]
}

export interface Manifest {
  readonly version: 1
  readonly at: string
  readonly files: readonly BackedUpFile[]
  /** Set when it was taken back. */
  readonly undoneAt?: string
}

export interface BackedUpFile {
  readonly path: string
  readonly existed: boolean
  /** Name of the copy, beside the manifest. */
  readonly backup?: string
  readonly mode?: number
  readonly sha256Before?: string
  readonly sha256After: string
  readonly servers?: readonly ServersPart[]
}

/** The part of a client's file that was changed: clients write the rest of it all the time. */
export interface ServersPart {
  readonly client: ClientName
  readonly section: readonly string[]
  /** Of what its servers say, however they are written. */
  readonly sha256After: string
}

export const manifestName = 'manifest.json'

/** Gives the folder of the backup. */
export async function changeFiles(
  changes: readonly FileChange[],
  { backups, now }: { readonly backups: string; readonly now: Date },
): Promise<string> {
  const folder = await newFolder(backups, now)
  const files: BackedUpFile[] = []
  for (const [index, change] of changes.entries()) files.push(await backUp(change, folder, index))
  const manifest: Manifest = { version: 1, at: now.toISOString(), files }
  await writeFileAtomically(join(folder, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`, 0o600)
  const changed: string[] = []
  for (const change of changes) {
    try {
      await refuseChanged(change)
      await writeFileAtomically(change.file, change.after)
      changed.push(change.file)
    } catch (error) {
      if (error instanceof ChangedMeanwhileError && changed.length === 0) throw error
      throw new HalfDoneError(change.file, changed, error as Error)
    }
  }
  return folder
}

/** A name that sorts by time, and is free. */
async function newFolder(backups: string, now: Date): Promise<string> {
  await mkdir(backups, { recursive: true, mode: 0o700 })
  await chmod(backups, 0o700)
  const time = now.toISOString().replace(/[:.]/g, '-')
  for (let count = 0; ; count++) {
    const folder = join(backups, count === 0 ? time : `${time}-${count}`)
    try {
      await mkdir(folder, { mode: 0o700 })
      return folder
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

async function backUp(change: FileChange, folder: string, index: number): Promise<BackedUpFile> {
  const after = {
    sha256After: sha256(change.after),
    ...(change.servers === undefined ? {} : { servers: change.servers }),
  }
  const bytes = await refuseChanged(change)
  if (bytes === undefined) return { path: change.file, existed: false, ...after }
  const backup = `${String(index + 1).padStart(2, '0')}-${basename(change.file)}`
  await writeFile(join(folder, backup), bytes, { mode: 0o600, flag: 'wx' })
  const mode = (await stat(change.file)).mode & 0o777
  return { path: change.file, existed: true, backup, mode, sha256Before: sha256(bytes), ...after }
}

/** Clients write their files while they run: what was planned on an older text must not be written over a newer one. */
async function refuseChanged({ file, before }: FileChange): Promise<Buffer | undefined> {
  const bytes = await readIfThere(file)
  const expected = before === undefined ? undefined : sha256(before)
  if ((bytes === undefined ? undefined : sha256(bytes)) !== expected) throw new ChangedMeanwhileError(file)
  return bytes
}

export async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
