import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { HolderError } from '../errors.js'

/** sun_path holds 104 bytes on macOS, 108 on Linux. */
const longestSocketPath = 100

/** Where the holder of this generation listens. Each generation has a name of its own, so nobody unlinks a live socket. */
export function socketPath(directory: string, generation: number): string {
  const name = createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 16)
  if (process.platform === 'win32') return `\\\\.\\pipe\\pml-${name}-${generation}`
  const inside = join(directory, `pml.${generation}.sock`)
  if (Buffer.byteLength(inside) <= longestSocketPath) return inside
  const outside = join(tmpdir(), `pml-${process.getuid?.() ?? 0}-${name}`)
  mkdirSync(outside, { recursive: true, mode: 0o700 })
  checkOwn(outside)
  return join(outside, `${generation}.sock`)
}

/** Anyone may make a folder in the shared temporary one: a stranger's is not used. */
function checkOwn(folder: string): void {
  const { uid, mode } = lstatSync(folder)
  if (uid === process.getuid?.() && (mode & 0o77) === 0) return
  throw new HolderError(
    `${folder} belongs to somebody else.`,
    'Remove it, or use a shorter path for PML_HOME.',
  )
}

/** Those of earlier holders: one that was killed leaves its socket behind. */
export function removeOlderSockets(path: string, generation: number): void {
  if (process.platform === 'win32') return
  for (const name of readdirSync(dirname(path))) {
    const match = /^(?:pml\.)?(\d+)\.sock$/.exec(name)
    if (match && Number(match[1]) < generation) rmSync(join(dirname(path), name), { force: true })
  }
}
