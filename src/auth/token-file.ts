import { createHash } from 'node:crypto'
import { chmod, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AuthError } from '../errors.js'
import type { HttpServerConfig } from '../model/server.js'
import { writeFileAtomically } from '../model/write-file-atomically.js'
import { type AuthRecord, parseAuthRecord } from './auth-record.js'

/** Where the sign-in to one server is kept: for its owner's eyes alone, whole or not at all. */
export interface TokenFile {
  readonly path: string
  /** Undefined when there is none for this address; throws an AuthError when it cannot be read. */
  read(): Promise<AuthRecord | undefined>
  write(record: AuthRecord): Promise<void>
  remove(): Promise<void>
}

/** Beneath the data directory. */
export function authFolder(dataDirectory: string): string {
  return join(dataDirectory, 'auth')
}

export function openTokenFile(dataDirectory: string, server: HttpServerConfig): TokenFile {
  const folder = authFolder(dataDirectory)
  const path = join(folder, fileName(server))
  return {
    path,
    async read() {
      const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
        if (cause.code === 'ENOENT') return undefined
        throw unreadable(server.name, path, cause)
      })
      if (text === undefined) return undefined
      const record = parse(text, server.name, path)
      return record.url === server.url && record.server === server.name ? record : undefined
    },
    async write(record) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await chmod(folder, 0o700)
      await writeFileAtomically(path, `${JSON.stringify(record, undefined, 2)}\n`, 0o600)
    },
    remove: () => rm(path, { force: true }),
  }
}

/** Readable, and different for every server: names may hold what files may not, and differ in case alone. */
function fileName({ name, url }: HttpServerConfig): string {
  const hash = createHash('sha256').update(`${name}\n${url}`).digest('hex').slice(0, 16)
  return `${name.replaceAll(/[^\w.-]/g, '_')}-${hash}.json`
}

function parse(text: string, server: string, path: string): AuthRecord {
  try {
    return parseAuthRecord(text)
  } catch (cause) {
    throw unreadable(server, path, cause)
  }
}

function unreadable(server: string, path: string, cause: unknown): AuthError {
  return new AuthError(
    server,
    `its sign-in cannot be read from ${path}.`,
    `Sign in again with: pml auth ${server}`,
    { cause },
  )
}
