import { randomUUID } from 'node:crypto'
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * The file is the old one or the new one, never half of it. A linked file stays a link; a file that exists keeps its
 * mode unless one is given; a new one is its owner's alone, because people write secrets into configurations.
 */
export async function writeFileAtomically(
  file: string,
  text: string | Uint8Array,
  wantedMode?: number,
): Promise<void> {
  const target = await realpath(file).catch(() => file)
  const mode = wantedMode ?? (await modeOf(target))
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  const half = join(dirname(target), `.${randomUUID()}.tmp`)
  try {
    const handle = await open(half, 'wx', mode)
    try {
      await handle.writeFile(text)
      await handle.chmod(mode)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(half, target)
  } catch (error) {
    await rm(half, { force: true })
    throw error
  }
}

function modeOf(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  )
}
