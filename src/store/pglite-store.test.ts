import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { StoreError } from '../errors.js'
import type { DataflowTemplate } from '../model/dataflow-template.js'
import { silentLog } from '../model/log.js'
import { formatToolId } from '../model/tool.js'
import { aRun, aTask, saveRun } from './checkpoint.contract.js'
import { testDatabase } from './database.contract.js'
import type { Database, Row } from './database.js'
import { openStore } from './open-store.js'
import { connectPglite } from './pglite-connection.js'
import { openPglite } from './pglite-database.js'
import { testStore } from './store.contract.js'

const folder = mkdtempSync(join(tmpdir(), 'pml-pglite-'))
const template = join(folder, 'template')
const steps: string[] = []
let places = 0

beforeAll(async () => {
  const database = await openPglite({
    directory: join(template, 'db'),
    signal: new AbortController().signal,
    onProgress: (step) => steps.push(step),
    log: silentLog,
  })
  await database.close()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A copy of one made database: making one takes seconds. */
function newDirectory(): string {
  const dataDirectory = join(folder, String(++places))
  cpSync(template, dataDirectory, { recursive: true })
  return dataDirectory
}

function openIn(dataDirectory: string): Promise<Database> {
  return openPglite({
    directory: join(dataDirectory, 'db'),
    signal: new AbortController().signal,
    onProgress() {},
    log: silentLog,
  })
}

/** SQL as a person would write it, on a closed store. */
async function queryIn(dataDirectory: string, sql: string): Promise<readonly Row[]> {
  const database = await openIn(dataDirectory)
  try {
    return await database.query(sql)
  } finally {
    await database.close()
  }
}

testDatabase('pglite', () => openIn(newDirectory()))
testStore('pglite', async () => {
  const dataDirectory = newDirectory()
  return { dataDirectory, openDatabase: () => openIn(dataDirectory) }
})

describe('the embedded database', () => {
  it('is made whole in a private folder, and tells what takes so long', () => {
    expect(steps).toEqual(['Creating the database (first start only, some seconds)', 'Opening the database'])
    expect(readdirSync(template)).toEqual(['db'])
    expect(statSync(template).mode & 0o777).toBe(0o700)
    expect(statSync(join(template, 'db')).mode & 0o777).toBe(0o700)
  })

  it('a creation that was cut off is begun again', async () => {
    const dataDirectory = join(folder, String(++places))
    mkdirSync(join(dataDirectory, 'db.new'), { recursive: true })
    writeFileSync(join(dataDirectory, 'db.new', 'PG_VERSION'), '18')
    const store = await openStore({
      dataDirectory,
      signal: new AbortController().signal,
      onProgress() {},
      log: silentLog,
    })
    expect(await store.loadTools()).toEqual([])
    await store.close()
    expect(existsSync(join(dataDirectory, 'db.new'))).toBe(false)
  })

  it('given up while it opens, it ends at once and opens the next time', async () => {
    const dataDirectory = newDirectory()
    for (const afterMs of [0, 50, 200]) {
      const opening = openStore({
        dataDirectory,
        signal: AbortSignal.timeout(afterMs),
        onProgress() {},
        log: silentLog,
      })
      await expect(opening).rejects.toBeInstanceOf(StoreError)
    }
    const store = await openStore({
      dataDirectory,
      signal: new AbortController().signal,
      onProgress() {},
      log: silentLog,
    })
    expect(await store.loadTools()).toEqual([])
    await store.close()
  })

  it('never overwrites a folder that holds something else', async () => {
    const dataDirectory = join(folder, String(++places))
    mkdirSync(join(dataDirectory, 'db'), { recursive: true })
    writeFileSync(join(dataDirectory, 'db', 'thesis.txt'), 'my only copy')
    await expect(
      openStore({ dataDirectory, signal: new AbortController().signal, onProgress() {}, log: silentLog }),
    ).rejects.toBeInstanceOf(StoreError)
    expect(readdirSync(join(dataDirectory, 'db'))).toEqual(['thesis.txt'])
  })

  it('does not grow with every change of the embedding model', async () => {
    const dataDirectory = newDirectory()
    const embeddings = Array.from({ length: 200 }, (_, i) => ({
      tool: formatToolId('s', `t${i}`),
      textHash: 'h',
      vector: Float32Array.from({ length: 1_024 }, (_, at) => Math.sin(i * 1_024 + at)),
    }))
    const sizeAfter = async (models: number): Promise<number> => {
      const options = { dataDirectory, signal: new AbortController().signal, onProgress() {}, log: silentLog }
      const store = await openStore(options)
      for (let i = 0; i < models; i++) {
        await store.dropEmbeddings([])
        await store.saveEmbeddings(`m${i}`, embeddings)
      }
      await store.close()
      const [row] = await queryIn(
        dataDirectory,
        `select pg_total_relation_size('tool_embedding')::integer as bytes`,
      )
      return Number(row!.bytes)
    }
    const one = await sizeAfter(1)
    expect(await sizeAfter(4)).toBeLessThan(one * 1.5)
  })

  it('does not grow with templates that come and go', async () => {
    const dataDirectory = newDirectory()
    const options = { dataDirectory, signal: new AbortController().signal, onProgress() {}, log: silentLog }
    const store = await openStore(options)
    const generation = (at: number): readonly DataflowTemplate[] =>
      Array.from({ length: 1_000 }, (_, i) => ({
        ...{ tool: formatToolId('s', 't'), parameter: `p${i}`, after: '', source: 'constant', value: at },
        ...{ count: 1, hits: 1, lastAt: 1 },
      }))
    for (let at = 0; at < 30; at++) await store.saveDataflowTemplates(generation(at + 1), generation(at))
    await store.close()
    const [row] = await queryIn(
      dataDirectory,
      `select pg_total_relation_size('dataflow_template')::integer as bytes`,
    )
    // Measured: 2.2 MB; thirty generations are 8 MB.
    expect(row!.bytes).toBeLessThan(4_000_000)
  })

  it('does not grow with the steps of runs, neither its tables nor its write-ahead log', async () => {
    const dataDirectory = newDirectory()
    const options = { dataDirectory, signal: new AbortController().signal, onProgress() {}, log: silentLog }
    const store = await openStore(options)
    const runs = Array.from({ length: 10 }, () => aRun([aTask({ status: 'pending' })], 'running'))
    const incompressible = (at: number) =>
      Array.from({ length: 40 }, (_, i) => Math.sin(at * 40 + i)).join(' ')
    const doSteps = async (steps: number): Promise<void> => {
      for (let at = 0; at < steps; at++)
        await saveRun(store, {
          ...runs[at % 10]!,
          tasks: [aTask({ status: 'running', result: incompressible(at).repeat(4) })],
        })
    }
    const sizeOf = (folder: string): number =>
      readdirSync(join(dataDirectory, 'db', folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .reduce((bytes, { parentPath, name }) => bytes + statSync(join(parentPath, name)).size, 0)
    await doSteps(1_000)
    const after1000 = sizeOf('base')
    await doSteps(4_000)
    expect(sizeOf('base') - after1000).toBeLessThan(1_000_000)
    expect(sizeOf('pg_wal')).toBeLessThanOrEqual(48 * 1024 * 1024)
    await store.close()
  })

  it('a damaged database is a StoreError that names its folder', async () => {
    const dataDirectory = newDirectory()
    rmSync(join(dataDirectory, 'db', 'global'), { recursive: true })
    const error = await openStore({
      dataDirectory,
      signal: new AbortController().signal,
      onProgress() {},
      log: silentLog,
    }).catch((caught) => caught)
    expect(error).toBeInstanceOf(StoreError)
    expect(`${error.message} ${error.hint}`).toContain(join(dataDirectory, 'db'))
  })

  it('does not block the event loop, not even while it works', async () => {
    const database = await openIn(newDirectory())
    const startedAt = performance.now()
    let ticks = 0
    const ticking = setInterval(() => ticks++, 5)
    await database.query('select count(*) from generate_series(1, 3000000)')
    clearInterval(ticking)
    const tookMs = performance.now() - startedAt
    await database.close()
    expect(ticks).toBeGreaterThan(tookMs / 5 / 4)
  })

  it('a statement that overflows the stack of the database is an error, never a silent success, and ends its thread', async () => {
    const dataDirectory = newDirectory()
    const nested = `select repeat('[', 100000)::json`
    for (const overflow of ['query', 'execute'] as const) {
      const database = await openIn(dataDirectory)
      await expect(database[overflow](nested, [])).rejects.toThrow('cut off')
      expect(await database.died).toBeInstanceOf(StoreError)
      await expect(database.query('select 1')).rejects.toBeInstanceOf(StoreError)
      await database.close()
    }
    const database = await openIn(dataDirectory)
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    await database.close()
  })

  it('a worker that dies fails everything in flight and everything after with a StoreError', async () => {
    const connection = await connectPglite({
      directory: join(newDirectory(), 'db'),
      signal: new AbortController().signal,
      log: silentLog,
    })
    const posted = vi.spyOn(Worker.prototype, 'postMessage')
    const inFlight = Array.from({ length: 3 }, () =>
      connection.query('select count(*) from generate_series(1, 9000000)'),
    )
    const settled = Promise.allSettled(inFlight)
    const worker = posted.mock.contexts[0] as Worker
    posted.mockRestore()
    await worker.terminate()
    for (const result of await settled) {
      expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StoreError) })
    }
    await expect(connection.query('select 1')).rejects.toBeInstanceOf(StoreError)
    await connection.close()
  })
})
