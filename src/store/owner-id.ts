import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../model/new-id.js'
import { toStoreError } from './to-store-error.js'

/**
 * The name under which the gateway of this data directory keeps its runs, made at the first start. On a database that several share
 * it tells whose runs are whose: only the holder of the directory knows that no other process is running them.
 */
export function readOwnerId(dataDirectory: string): string {
  const file = join(dataDirectory, 'owner')
  try {
    const known = readIfThere(file)
    if (known !== undefined) return known
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
    writeFileSync(file, `${newId()}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST')
      throw toStoreError(`${file} cannot be written`, error)
  }
  return readFileSync(file, 'utf8').trim()
}

/** A file that a killed process left empty is made anew. */
function readIfThere(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').trim()
    if (text !== '') return text
    writeFileSync(file, `${newId()}\n`)
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}
