import { open, readFile, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { DownloadError } from '../errors.js'

/** Its owner touches the lock so often; one that was not touched for six times as long belongs to nobody. */
const touchMs = 10_000
const staleMs = 60_000

/** Two downloads into one file would spoil each other. Gives the function that lets go. */
export async function takeDownloadLock(folder: string, model: string): Promise<() => Promise<void>> {
  const file = join(folder, '.download.lock')
  if (!(await create(file))) {
    const owner = await ownerOf(file)
    if (owner !== undefined) throw heldBy(owner, model)
    await rm(file, { force: true })
    if (!(await create(file))) throw heldBy((await ownerOf(file)) ?? 'another', model)
  }
  const touch = setInterval(() => {
    const now = new Date()
    void utimes(file, now, now).catch(() => {})
  }, touchMs)
  touch.unref()
  return async () => {
    clearInterval(touch)
    await rm(file, { force: true })
  }
}

async function create(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600)
    await handle.writeFile(String(process.pid))
    await handle.close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** The process that is downloading, or undefined where it died over it. A pid alone may belong to a stranger by now. */
async function ownerOf(file: string): Promise<number | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)])
    if (Date.now() - mtimeMs > staleMs) return undefined
    const pid = Number(text)
    // Made a moment ago, and not written yet.
    if (!Number.isInteger(pid) || pid <= 0) return 0
    return isAlive(pid) ? pid : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function heldBy(owner: number | string, model: string): DownloadError {
  return new DownloadError(
    `${model} is being downloaded already, by process ${owner}.`,
    `Wait for it, then run again: pml model use ${model}`,
  )
}
