/** The catalogue and its pins in one file beside the database: read before anything else is up, so it must never fail. */
import { readFileSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../model/json.js'
import type { ServerOffers } from '../model/offers.js'
import type { KnownEra } from '../model/server.js'
import { formatToolId, type Tool } from '../model/tool.js'
import { createMutex } from './create-mutex.js'
import type { Snapshot } from './store.js'
import { toStoreError } from './to-store-error.js'

const version = 1
const emptySnapshot: Snapshot = { tools: [], eras: {}, offers: {}, tried: [] }

/** Writers of one process take turns, so that the last one asked is the one that stays. */
const oneAtATime = createMutex()

export function readSnapshot(dataDirectory: string): Snapshot {
  try {
    const data: unknown = JSON.parse(readFileSync(snapshotFile(dataDirectory), 'utf8'))
    if (!isSnapshot(data)) return emptySnapshot
    const { tools, eras, tried, offers } = data
    // A snapshot of before offers were kept: the servers are waited for once more.
    return offers === undefined ? { tools, eras, tried: [], offers: {} } : { tools, eras, tried, offers }
  } catch {
    return emptySnapshot
  }
}

export function writeSnapshot(dataDirectory: string, snapshot: Snapshot): Promise<void> {
  return oneAtATime(async () => {
    const file = snapshotFile(dataDirectory)
    const unfinished = `${file}.${process.pid}.tmp`
    try {
      await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
      await writeFlushed(unfinished, JSON.stringify({ version, ...snapshot }))
      await rename(unfinished, file)
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {})
      throw toStoreError(`The snapshot ${file} cannot be written`, error)
    }
  })
}

function snapshotFile(dataDirectory: string): string {
  return join(dataDirectory, 'snapshot.json')
}

async function writeFlushed(file: string, text: string): Promise<void> {
  await rm(file, { force: true })
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function isSnapshot(data: unknown): data is Snapshot {
  return (
    isObject(data) &&
    data.version === version &&
    Array.isArray(data.tools) &&
    data.tools.every(isTool) &&
    Array.isArray(data.tried) &&
    data.tried.every((name) => typeof name === 'string') &&
    isObject(data.eras) &&
    Object.values(data.eras).every(isEra) &&
    (data.offers === undefined || (isObject(data.offers) && Object.values(data.offers).every(isOffers)))
  )
}

function isOffers(data: unknown): data is ServerOffers {
  return (
    isObject(data) &&
    [data.resources, data.templates, data.prompts].every(
      (list) => Array.isArray(list) && list.every(isObject),
    )
  )
}

function isTool(data: unknown): data is Tool {
  return (
    isObject(data) &&
    typeof data.server === 'string' &&
    typeof data.name === 'string' &&
    data.id === formatToolId(data.server, data.name) &&
    isPinned(data) &&
    (data.tokens === undefined || typeof data.tokens === 'number') &&
    typeof data.listed === 'boolean' &&
    (data.changed === undefined ||
      (isObject(data.changed) && isPinned(data.changed) && typeof data.changed.seenAt === 'number')) &&
    Array.isArray(data.flags) &&
    data.flags.every((flag) => typeof flag === 'string')
  )
}

function isPinned(data: Readonly<Record<string, unknown>>): boolean {
  const { definition, hash } = data
  return (
    isObject(definition) &&
    typeof definition.name === 'string' &&
    isObject(definition.inputSchema) &&
    typeof hash === 'string'
  )
}

function isEra(data: unknown): data is KnownEra {
  return isObject(data) && (data.kind === 'legacy' || (data.kind === 'modern' && isObject(data.discover)))
}
