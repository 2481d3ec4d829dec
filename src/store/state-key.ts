import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toStoreError } from './to-store-error.js'

const keyBytes = 32

/**
 * The key that signs what clients carry from one round of a request to the next, made at the first start. It survives restarts, as
 * the decisions do that clients are asked about.
 */
export function readStateKey(dataDirectory: string): Buffer {
  const file = join(dataDirectory, 'state-key')
  try {
    const known = readIfThere(file)
    if (known !== undefined) return known
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
    writeFileSync(file, newKey(), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST')
      throw toStoreError(`${file} cannot be read or written`, error)
  }
  const key = readIfThere(file)
  if (key === undefined)
    throw toStoreError(`${file} cannot be read or written`, new Error('it is gone again'))
  return key
}

/** What a killed process left empty or half, and what is no key, is made anew: a short key must never sign. */
function readIfThere(file: string): Buffer | undefined {
  try {
    const key = parse(readFileSync(file, 'utf8'))
    if (key !== undefined) return key
    writeFileSync(file, newKey(), { mode: 0o600 })
    return parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined
    throw error
  }
}

function newKey(): string {
  return `${randomBytes(keyBytes).toString('hex')}\n`
}

function parse(text: string): Buffer | undefined {
  const key = text.trim()
  return /^[0-9a-f]{64}$/.test(key) ? Buffer.from(key, 'hex') : undefined
}
