import { mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { loadConfig } from './load-config.js'
import { type ConfigWatch, watchConfig } from './watch-config.js'

let folder: string
let file: string
let watch: ConfigWatch
let configs: string[][]
let errors: string[]

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pml-watch-'))
  file = join(folder, 'pml.config.yaml')
  configs = []
  errors = []
  writeFileSync(file, withServers('a'))
  open(folder)
  await sleep(50)
})
afterEach(() => {
  watch.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(home: string, pollMs = 60_000): void {
  watch = watchConfig(
    [file],
    () => loadConfig({ file, env: {}, cwd: home, home }),
    {
      onConfig: (config) => configs.push(config.servers.map((server) => server.name)),
      onError: (error) => errors.push(error.message),
    },
    { pollMs },
  )
}

function withServers(...names: string[]): string {
  return `servers:\n${names.map((name) => `  ${name}: { command: ${name} }\n`).join('')}`
}

it('a burst of writes is taken up once', async () => {
  for (const name of ['b', 'c', 'd', 'e']) {
    writeFileSync(file, withServers('a', name))
    await sleep(20)
  }
  await vi.waitFor(() => expect(configs).toEqual([['a', 'e']]), { timeout: 5000 })
  await sleep(300)
  expect(configs).toEqual([['a', 'e']])
})

it('survives editors that rename another file into place, again and again', async () => {
  for (const [index, name] of ['b', 'c', 'd'].entries()) {
    writeFileSync(`${file}.new`, withServers(name))
    renameSync(`${file}.new`, file)
    await vi.waitFor(() => expect(configs.length).toBe(index + 1), { timeout: 5000 })
  }
  expect(configs).toEqual([['b'], ['c'], ['d']])
})

it('invalid content is reported, and a later valid one is taken up', async () => {
  writeFileSync(file, 'servers: [')
  await vi.waitFor(() => expect(errors.length).toBe(1), { timeout: 5000 })
  expect(errors[0]).toContain('expected YAML')
  expect(configs).toEqual([])
  writeFileSync(file, withServers('z'))
  await vi.waitFor(() => expect(configs).toEqual([['z']]), { timeout: 5000 })
})

it('a file that was deleted is reported once, and is taken up again when it is back', async () => {
  unlinkSync(file)
  await vi.waitFor(() => expect(errors.length).toBe(1), { timeout: 8000 })
  expect(errors[0]).toContain('the file is gone')
  await sleep(300)
  expect(errors.length).toBe(1)
  writeFileSync(file, withServers('back'))
  await vi.waitFor(() => expect(configs).toEqual([['back']]), { timeout: 5000 })
})

it('a file deleted and written again at once is no error', async () => {
  unlinkSync(file)
  await sleep(150)
  writeFileSync(file, withServers('b'))
  await vi.waitFor(() => expect(configs).toEqual([['b']]), { timeout: 5000 })
  await sleep(1500)
  expect(errors).toEqual([])
})

it('other files of the folder are none of its business', async () => {
  writeFileSync(join(folder, 'other'), 'x')
  await sleep(400)
  expect([configs, errors]).toEqual([[], []])
})

it('finds changes by looking when the folder itself was replaced and events no longer come', async () => {
  watch.close()
  open(folder, 200)
  await sleep(50)
  renameSync(folder, `${folder}.old`)
  mkdirSync(folder)
  writeFileSync(file, withServers('new'))
  await vi.waitFor(() => expect(configs).toEqual([['new']]), { timeout: 5000 })
  writeFileSync(file, withServers('newer'))
  await vi.waitFor(() => expect(configs).toEqual([['new'], ['newer']]), { timeout: 5000 })
  rmSync(`${folder}.old`, { recursive: true })
})

it('a first file in any of the places is taken up, and its edits after that', async () => {
  watch.close()
  const home = join(folder, 'home')
  mkdirSync(home)
  unlinkSync(file)
  const second = join(home, 'pml.config.yaml')
  watch = watchConfig([file, second], () => loadConfig({ env: {}, cwd: folder, home }), {
    onConfig: (config) => configs.push(config.servers.map((server) => server.name)),
    onError: (error) => errors.push(error.message),
  })
  writeFileSync(second, withServers('first'))
  await vi.waitFor(() => expect(configs).toEqual([['first']]), { timeout: 10_000 })
  writeFileSync(second, withServers('edited'))
  await vi.waitFor(() => expect(configs.at(-1)).toEqual(['edited']), { timeout: 10_000 })
  writeFileSync(file, withServers('nearer'))
  await vi.waitFor(() => expect(configs.at(-1)).toEqual(['nearer']), { timeout: 10_000 })
  expect(errors).toEqual([])
})

it('a busy folder does not keep a change from being seen', async () => {
  const busy = setInterval(() => writeFileSync(join(folder, 'other'), String(Math.random())), 10)
  try {
    writeFileSync(file, withServers('b'))
    await vi.waitFor(() => expect(configs).toEqual([['b']]), { timeout: 10_000 })
  } finally {
    clearInterval(busy)
  }
})

it('says nothing more after close', async () => {
  writeFileSync(file, withServers('b'))
  watch.close()
  await sleep(400)
  expect([configs, errors]).toEqual([[], []])
})
