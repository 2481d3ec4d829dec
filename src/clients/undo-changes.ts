import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../model/json.js'
import { writeFileAtomically } from '../model/write-file-atomically.js'
import { type BackedUpFile, type Manifest, manifestName, readIfThere, sha256 } from './change-files.js'

export interface Undo {
  readonly folder: string
  readonly at: string
  readonly files: readonly UndoneFile[]
}

export interface UndoneFile {
  readonly path: string
  /** `restored` and `removed` were done, `unchanged` needed nothing, `changed` is as somebody left it since. */
  readonly result: 'restored' | 'removed' | 'unchanged' | 'changed'
  /** Where its copy is. */
  readonly backup?: string
}

export interface UndoOptions {
  readonly backups: string
  readonly now: Date
  /** Overwrites what was changed since; it is kept beside the backup. */
  readonly force: boolean
  readonly dryRun: boolean
}

/** Takes back the last change that was not taken back yet; undefined where there is none. */
export async function undoChanges(options: UndoOptions): Promise<Undo | undefined> {
  const found = await lastManifest(options.backups)
  if (found === undefined) return undefined
  const { folder, manifest } = found
  const files: UndoneFile[] = []
  // What was written last is restored first, as if time ran back.
  for (const file of [...manifest.files].reverse()) files.push(await restore(file, folder, options))
  const complete = files.every(({ result }) => result !== 'changed')
  if (complete && !options.dryRun) {
    const marked: Manifest = { ...manifest, undoneAt: options.now.toISOString() }
    await writeFileAtomically(join(folder, manifestName), `${JSON.stringify(marked, undefined, 2)}\n`)
  }
  return { folder, at: manifest.at, files }
}

async function restore(file: BackedUpFile, folder: string, options: UndoOptions): Promise<UndoneFile> {
  const { path, existed, sha256Before, sha256After, mode } = file
  const kept = file.backup === undefined ? {} : { backup: join(folder, file.backup) }
  const now = await readIfThere(path)
  const current = now === undefined ? undefined : sha256(now)
  if (current === sha256Before) return { path, result: 'unchanged', ...kept }
  if (current !== sha256After && !options.force) return { path, result: 'changed', ...kept }
  const result = existed ? 'restored' : 'removed'
  if (options.dryRun) return { path, result, ...kept }
  if (current !== sha256After && now !== undefined) {
    const name = `since-${options.now.getTime()}-${file.backup ?? 'created'}`
    await writeFile(join(folder, name), now, { mode: 0o600 })
  }
  if (existed) await writeFileAtomically(path, await readFile(kept.backup!), mode)
  else await rm(path, { force: true })
  return { path, result, ...kept }
}

async function lastManifest(backups: string): Promise<{ folder: string; manifest: Manifest } | undefined> {
  const names = await readdir(backups).catch(() => [])
  for (const name of names.sort().reverse()) {
    const folder = join(backups, name)
    const text = await readIfThere(join(folder, manifestName)).catch(() => undefined)
    // Without a manifest it ended before its first change.
    const manifest = text === undefined ? undefined : parse(text.toString('utf8'))
    if (manifest !== undefined && manifest.undoneAt === undefined) return { folder, manifest }
  }
  return undefined
}

function parse(text: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && Array.isArray(value.files) ? (value as unknown as Manifest) : undefined
  } catch {
    return undefined
  }
}
