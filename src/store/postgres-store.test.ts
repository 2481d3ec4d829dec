import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPostgres, startPostgres, type TestPostgres } from '../../test/start-postgres.js'
import { StoreError } from '../errors.js'
import type { Edge } from '../model/edge.js'
import { silentLog } from '../model/log.js'
import { newId } from '../model/new-id.js'
import type { Run } from '../model/run.js'
import { formatToolId } from '../model/tool.js'
import { aCapability, aUse } from './capability.contract.js'
import { aRun, aTask, saveRun } from './checkpoint.contract.js'
import { testDatabase } from './database.contract.js'
import type { Queryable } from './database.js'
import { openStore } from './open-store.js'
import { openPool, openPostgres } from './postgres-database.js'
import { testStore } from './store.contract.js'

const bin = findPostgres()
if (!bin)
  console.warn(
    'SKIPPED: the store on PostgreSQL is not tested, because initdb and postgres are not installed.',
  )

describe.skipIf(!bin)('with a real PostgreSQL', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-postgres-store-'))
  let server: TestPostgres

  beforeAll(async () => {
    server = await startPostgres(bin!)
  })

  afterAll(async () => {
    await server?.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  })

  testDatabase('postgres', async () => openPostgres({ url: await server.createDatabase(), log: silentLog }))

  testStore('postgres', async () => {
    const databaseUrl = await server.createDatabase()
    return {
      ...{ dataDirectory, databaseUrl },
      openDatabase: async () => openPostgres({ url: databaseUrl, log: silentLog }),
    }
  })

  it('replicas that start together on an empty database all come up', async () => {
    const databaseUrl = await server.createDatabase()
    const stores = await Promise.all(
      Array.from({ length: 5 }, () =>
        openStore({
          dataDirectory,
          databaseUrl,
          signal: new AbortController().signal,
          onProgress() {},
          log: silentLog,
        }),
      ),
    )
    await Promise.all(stores.map((store) => store.close()))
    expect(readdirSync(dataDirectory)).toEqual([])
  })

  it('two gateways that learn at once lose no run', async () => {
    const databaseUrl = await server.createDatabase()
    const options = {
      ...{ dataDirectory, databaseUrl, signal: new AbortController().signal, log: silentLog },
      onProgress() {},
    }
    const stores = await Promise.all([openStore(options), openStore(options)])
    const seen: Edge = {
      ...{ from: formatToolId('a', 'x'), to: formatToolId('a', 'y'), type: 'sequence', source: 'inferred' },
      ...{ count: 1, successes: 1, failures: 0, firstSeen: 1_000, lastSeen: 1_000 },
    }
    const learn = (at: number): Promise<boolean> => {
      const id = newId()
      const trace = { id, runId: id, success: true, startedAt: 1, endedAt: 2, dependsOn: [], links: [] }
      return stores[at % 2]!.saveLearned({ traces: [trace], edges: [seen] })
    }
    expect(new Set(await Promise.all(Array.from({ length: 10 }, (_, at) => learn(at))))).toEqual(
      new Set([true]),
    )
    for (const store of stores)
      expect(await store.loadEdges()).toEqual([{ ...seen, count: 10, successes: 10 }])
    await Promise.all(stores.map((store) => store.close()))
  })

  it('two gateways that use, add, merge and forget capabilities at once lose no use, and none waits for ever', async () => {
    const databaseUrl = await server.createDatabase()
    const options = {
      ...{ dataDirectory, databaseUrl, signal: new AbortController().signal, log: silentLog },
      onProgress() {},
    }
    const stores = await Promise.all([openStore(options), openStore(options)])
    const [used, other] = [aCapability('used'), aCapability('other')]
    const added = await Promise.all(
      stores.flatMap((store) => [store.addCapability(used), store.addCapability(other)]),
    )
    expect(added).toEqual([used, other, used, other])
    const needs = { from: used.id, to: other.id, type: 'sequence', isManual: false } as const
    await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        const store = stores[at % 2]!
        const passing = aCapability(`passing ${at}`)
        await store.noteCapabilityUse(used.id, { ...aUse({ at, success: at % 4 > 0 }), intent: `${at % 10}` })
        await store.noteCapabilityUse(other.id, aUse({ at }))
        await store.saveCapabilityDependencies([{ ...needs, count: 1, successes: 1, lastSeen: at }])
        await store.addCapability(passing)
        await store.noteCapabilityUse(passing.id, aUse({ at: 1_000 + at }))
        if (at % 2 === 0) await store.mergeCapabilities(used.id, passing.id)
        else await store.forgetCapability(passing.id)
      }),
    )
    for (const store of stores) {
      const capabilities = await store.loadCapabilities()
      expect(capabilities).toMatchObject([
        { id: other.id, uses: 100, successes: 100 },
        { id: used.id, uses: 150, successes: 125 },
      ])
      expect(capabilities[1]!.intents).toHaveLength(8)
      expect(capabilities[1]!.recent.map(({ at }) => at)).toEqual(
        Array.from({ length: 20 }, (_, at) => 1_060 + at * 2),
      )
      expect(await store.loadCapabilityDependencies()).toEqual([
        { ...needs, count: 100, successes: 100, lastSeen: 99 },
      ])
    }
    const named = await Promise.all(
      stores.map((store, at) => store.renameCapability([used, other][at]!.id, { name: 'the same' })),
    )
    expect(named.toSorted()).toEqual([false, true])
    await Promise.all(stores.map((store) => store.close()))
  })

  it('a connection that the server ends is replaced, at work and idle, and the process lives', async () => {
    const url = await server.createDatabase()
    let warn = (_: string) => {}
    const warned = new Promise<string>((resolve) => {
      warn = resolve
    })
    const database = openPostgres({ url, log: { ...silentLog, warn: (message) => warn(message) } })
    const killer = openPostgres({ url, log: silentLog })
    const suicide = 'select pg_terminate_backend(pg_backend_pid())'
    await expect(database.query(suicide)).rejects.toBeInstanceOf(StoreError)
    await expect(database.transaction((transaction) => transaction.query(suicide))).rejects.toBeInstanceOf(
      StoreError,
    )
    const [idle] = await database.query<{ readonly pid: number }>('select pg_backend_pid() as pid')
    await killer.query('select pg_terminate_backend($1::integer)', [idle!.pid])
    expect(await warned).toContain('idle')
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
    await Promise.all([database.close(), killer.close()])
  })

  it('a server that is stopped is an error within seconds, and what is saved once it is up again is there', async () => {
    const own = await startPostgres(bin!)
    const databaseUrl = await own.createDatabase()
    const options = { dataDirectory, databaseUrl, signal: new AbortController().signal, log: silentLog }
    const store = await openStore({ ...options, onProgress() {} })
    try {
      const runs = Array.from({ length: 40 }, () => aRun([aTask({})]))
      const acknowledged = new Set<string>()
      const save = async (run: Run) => {
        await saveRun(store, run)
        acknowledged.add(run.id)
      }
      // Under load: some are saved, some are cut off, some find nobody.
      const saving = runs.map(async (run, at) => {
        await sleep(at * 5)
        await save(run)
      })
      const settled = Promise.allSettled(saving)
      await sleep(50)
      const haltedAt = performance.now()
      await own.halt()
      for (const result of await settled)
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(StoreError)
      await expect(saveRun(store, runs[0]!)).rejects.toBeInstanceOf(StoreError)
      expect(performance.now() - haltedAt).toBeLessThan(15_000)
      expect(acknowledged.size).toBeGreaterThan(0)
      expect(acknowledged.size).toBeLessThan(runs.length)
      await own.resume()
      for (const id of acknowledged) expect(await store.loadRun(id)).toMatchObject({ id })
      await Promise.all(runs.map(save))
      expect(await store.listRuns({ limit: 100 })).toHaveLength(runs.length)
    } finally {
      await store.close()
      await own.stop()
    }
  })

  it('a connection that falls silent is given up in a bounded time, within a transaction too', async () => {
    const url = await server.createDatabase()
    const database = openPool({ url, log: silentLog, answerWithinMs: 500 })
    const frozen: number[] = []
    const freeze = async (connection: Queryable) => {
      const [backend] = await connection.query<{ readonly pid: number }>('select pg_backend_pid() as pid')
      frozen.push(backend!.pid)
      process.kill(backend!.pid, 'SIGSTOP')
    }
    try {
      const startedAt = performance.now()
      await freeze(database)
      const silent = await database.query('select 1').catch((caught) => caught)
      expect(silent).toBeInstanceOf(StoreError)
      expect(silent.hint).toContain('server is up')
      await expect(
        database.transaction(async (transaction) => {
          await freeze(transaction)
          await transaction.query('select 1')
        }),
      ).rejects.toBeInstanceOf(StoreError)
      expect(performance.now() - startedAt).toBeLessThan(10_000)
      expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
      expect(await database.transaction((transaction) => transaction.query('select 2 as two'))).toEqual([
        { two: 2 },
      ])
      await freeze(database)
    } finally {
      const closingAt = performance.now()
      await database.close()
      expect(performance.now() - closingAt).toBeLessThan(10_000)
      for (const pid of frozen) process.kill(pid, 'SIGCONT')
    }
  })

  it('a database that does not exist is a StoreError that says so', async () => {
    const databaseUrl = `${await server.createDatabase()}_not`
    const error = await openStore({
      dataDirectory,
      databaseUrl,
      signal: new AbortController().signal,
      onProgress() {},
      log: silentLog,
    }).catch((caught) => caught)
    expect(error).toBeInstanceOf(StoreError)
    expect(error.message).toContain('does not exist')
    expect(error.hint).toContain('Create that database')
  })
})

it('a PostgreSQL that is not there is a StoreError without the password', async () => {
  const databaseUrl = 'postgres://pml:s3cret-word@127.0.0.1:1/pml'
  const error = await openStore({
    dataDirectory: tmpdir(),
    databaseUrl,
    signal: new AbortController().signal,
    onProgress() {},
    log: silentLog,
  }).catch((caught) => caught)
  expect(error).toBeInstanceOf(StoreError)
  expect(error.message).toContain('ECONNREFUSED')
  expect(JSON.stringify([error.message, error.hint, error.cause])).not.toContain('s3cret-word')
})
