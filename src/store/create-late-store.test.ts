import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StoreError } from '../errors.js'
import { silentLog } from '../model/log.js'
import { aRun, aTask, saveRun } from './checkpoint.contract.js'
import { createLateStore } from './create-late-store.js'

let dataDirectory: string
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'pml-late-'))
})
afterEach(() => rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 3 }))

function lateStore(onOpen: () => Promise<void> = async () => {}) {
  const troubles: unknown[] = []
  let opened = 0
  const store = createLateStore({
    dataDirectory,
    onProgress() {},
    log: silentLog,
    async onOpen() {
      await onOpen()
      opened += 1
    },
    onTrouble: (error) => troubles.push(error),
  })
  return { store, troubles, opened: () => opened }
}

it('a store that cannot be opened says so to everyone who asks, and is there once it can', async () => {
  const inTheWay = join(dataDirectory, 'db')
  mkdirSync(inTheWay)
  writeFileSync(join(inTheWay, 'note.txt'), 'not a database')
  const { store, troubles, opened } = lateStore()
  const early = store.current()
  store.open()
  await expect(early).rejects.toBeInstanceOf(StoreError)
  await expect(store.current()).rejects.toBeInstanceOf(StoreError)
  expect(troubles).toHaveLength(1)
  rmSync(inTheWay, { recursive: true })
  await expect.poll(() => opened(), { timeout: 30_000 }).toBe(1)
  expect(await (await store.current()).listRuns({ limit: 1 })).toEqual([])
  await store.close()
}, 60_000)

it('closed before it was opened it opens nothing, and whoever waited is told', async () => {
  const { store, troubles } = lateStore()
  const waiting = store.current()
  await store.close()
  await expect(waiting).rejects.toThrow('closed before')
  expect(troubles).toEqual([])
})

it('a store that fails in its first use is closed before the next attempt', async () => {
  let tries = 0
  const { store, opened } = lateStore(async () => {
    tries += 1
    if (tries === 1) throw new Error('the first time')
  })
  store.open()
  await expect(store.current()).rejects.toThrow('the first time')
  await expect.poll(() => opened(), { timeout: 30_000 }).toBe(1)
  expect(await (await store.current()).listRuns({ limit: 1 })).toEqual([])
  await store.close()
}, 60_000)

it('a store whose thread dies is opened anew, and all that was saved is there', async () => {
  const { store, troubles, opened } = lateStore()
  const started = vi.spyOn(Worker.prototype, 'postMessage')
  store.open()
  const first = await store.current()
  const run = aRun([aTask({ result: 'x'.repeat(5_000) })], 'running')
  await saveRun(first, run)
  const cutOff = saveRun(first, aRun([]))
  const thread = started.mock.contexts.at(-1) as Worker
  started.mockRestore()
  await Promise.all([expect(cutOff).rejects.toBeInstanceOf(StoreError), thread.terminate()])
  await expect(store.current()).rejects.toThrow('stopped')
  expect(troubles).toEqual([expect.any(StoreError)])
  await expect.poll(() => opened(), { timeout: 30_000 }).toBe(2)
  const second = await store.current()
  expect(second).not.toBe(first)
  expect(await second.loadRun(run.id)).toStrictEqual(run)
  await saveRun(second, { ...run, status: 'complete' })
  await expect(first.loadRun(run.id)).rejects.toBeInstanceOf(StoreError)
  await store.close()
  expect(troubles).toHaveLength(1)
}, 60_000)

it('closed while a dead store waits to be opened anew it opens nothing', async () => {
  const { store, opened } = lateStore()
  const started = vi.spyOn(Worker.prototype, 'postMessage')
  store.open()
  await store.current()
  const thread = started.mock.contexts.at(-1) as Worker
  started.mockRestore()
  await thread.terminate()
  await expect(store.current()).rejects.toBeInstanceOf(StoreError)
  await store.close()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(opened()).toBe(1)
}, 60_000)
