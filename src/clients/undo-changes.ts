import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../model/json.js'
import { writeFileAtomically } from '../model/write-file-atomically.js'
import { type BackedUpFile, type Manifest, manifestName, readIfThere, sha256 } from './change-files.js'
import { restoreServers, startsPml } from './restore-servers.js'

export interface Undo {
  readonly folder: string
  readonly at: string
  readonly files: readonly UndoneFile[]
}

export interface UndoneFile {
  readonly path: string
  readonly result: UndoResult
  /** Where its copy is. */
  readonly backup?: string
  /** Where the copy is of what stood there until now, and was changed by somebody since. */
  readonly since?: string
}

/**
 * `restored`, `servers-restored` (the rest stays as the client wrote it since) and `removed` were done; `unchanged` needed
 * nothing; `changed` is as somebody left it since; `kept` is what a changed file still needs.
 */
export type UndoResult = 'restored' | 'servers-restored' | 'removed' | 'unchanged' | 'changed' | 'kept'

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
  let needed = false
  // What was written last is restored first, as if time ran back: what a client starts was written before its own file.
  for (const file of [...manifest.files].reverse()) {
    const undone = await restore(file, folder, { ...options, needed })
    files.push(undone)
    needed ||= undone.result === 'changed' && (await needsOthers(file))
  }
  const complete = files.every(({ result }) => result !== 'changed' && result !== 'kept')
  if (complete && !options.dryRun) {
    const marked: Manifest = { ...manifest, undoneAt: options.now.toISOString() }
    await writeFileAtomically(join(folder, manifestName), `${JSON.stringify(marked, undefined, 2)}\n`)
  }
  return { folder, at: manifest.at, files }
}

interface RestoreOptions extends UndoOptions {
  /** True where a file that is left alone refers to what was written before it. */
  readonly needed: boolean
}

async function restore(file: BackedUpFile, folder: string, options: RestoreOptions): Promise<UndoneFile> {
  const { path, existed, sha256Before, sha256After, servers, mode } = file
  const kept = file.backup === undefined ? {} : { backup: join(folder, file.backup) }
  const now = await readIfThere(path)
  const current = now === undefined ? undefined : sha256(now)
  if (current === sha256Before) return { path, result: 'unchanged', ...kept }
  if (current === sha256After) {
    if (options.needed && servers === undefined) return { path, result: 'kept', ...kept }
    return putBack()
  }
  if (servers !== undefined && kept.backup !== undefined && now !== undefined) {
    const before = await readFile(kept.backup)
    const text = restoreServers({ path, parts: servers, before, now, force: options.force })
    if (text !== undefined) return putServersBack(text, now)
  }
  if (!options.force) return { path, result: 'changed', ...kept }
  return putBack(now === undefined ? {} : await keepSince(now))

  async function putBack(since: { readonly since?: string } = {}): Promise<UndoneFile> {
    const result = existed ? 'restored' : 'removed'
    if (options.dryRun) return { path, result, ...kept }
    if (existed) await writeFileAtomically(path, await readFile(kept.backup!), mode)
    else await rm(path, { force: true })
    return { path, result, ...kept, ...since }
  }

  async function putServersBack(text: string, now: Buffer): Promise<UndoneFile> {
    if (Buffer.from(text).equals(now)) return { path, result: 'unchanged', ...kept }
    const since = await keepSince(now)
    if (!options.dryRun) await writeFileAtomically(path, text)
    return { path, result: 'servers-restored', ...kept, ...since }
  }

  async function keepSince(now: Buffer): Promise<{ readonly since?: string }> {
    if (options.dryRun) return {}
    const since = join(folder, `since-${options.now.getTime()}-${file.backup ?? 'created'}`)
    await writeFile(since, now, { mode: 0o600 })
    return { since }
  }
}

/** A client that starts PML needs its configuration, and a configuration the secrets that it refers to. */
async function needsOthers({ path, servers }: BackedUpFile): Promise<boolean> {
  const now = await readIfThere(path)
  return now !== undefined && (servers === undefined || startsPml(path, servers, now))
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
