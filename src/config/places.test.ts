import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { dataDirectory } from './data-directory.js'
import { demoConfig } from './demo-config.js'
import { findConfigFile } from './find-config-file.js'
import { loadConfig } from './load-config.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-places-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it.each([
  ['linux', { PML_HOME: '/x/y', XDG_DATA_HOME: '/d', HOME: '/h' }, '/x/y'],
  ['linux', { XDG_DATA_HOME: '/d', HOME: '/h' }, '/d/pml'],
  ['linux', { XDG_DATA_HOME: 'relative', HOME: '/h' }, '/h/.local/share/pml'],
  ['linux', { HOME: '/h' }, '/h/.local/share/pml'],
  ['darwin', { HOME: '/Users/a' }, '/Users/a/Library/Application Support/pml'],
  ['win32', { LOCALAPPDATA: 'C:\\Users\\a\\AppData\\Local' }, 'C:\\Users\\a\\AppData\\Local\\pml'],
  ['win32', { USERPROFILE: 'C:\\Users\\a' }, 'C:\\Users\\a\\AppData\\Local\\pml'],
] as const)('the data directory on %s with %j is %s', (platform, env, expected) => {
  expect(dataDirectory(env, platform)).toBe(expected)
})

it('there is a data directory even when HOME is empty', () => {
  expect(dataDirectory({ HOME: '' }, 'linux')).toMatch(/^\/.+\/pml$/)
})

it('takes the file asked for, then PML_CONFIG, then the folder, then the data directory', () => {
  const cwd = join(folder, 'work')
  const home = join(folder, 'home')
  for (const path of [cwd, home]) mkdirSync(path)
  const find = (file?: string, env = {}) => findConfigFile({ file, env, cwd, home })
  expect(find()).toBeUndefined()
  for (const path of [
    'home/pml.config.json',
    'home/pml.config.yaml',
    'work/pml.config.json',
    'work/pml.config.yml',
    'work/pml.config.yaml',
  ]) {
    writeFileSync(join(folder, path), '')
    expect(find()).toBe(join(folder, path))
  }
  expect(find(undefined, { PML_CONFIG: 'env.yaml' })).toBe(join(cwd, 'env.yaml'))
  expect(find('asked.yaml', { PML_CONFIG: 'env.yaml' })).toBe(join(cwd, 'asked.yaml'))
})

it('without any file the demo serves, from programs that are there', async () => {
  const config = await loadConfig({ env: {}, cwd: folder, home: folder })
  expect(config.source).toBe('demo')
  expect(config.servers.map((server) => server.name)).toEqual(['everything', 'files', 'memory'])
  for (const server of config.servers) {
    if (server.transport !== 'stdio') throw new Error('expected stdio')
    if (server.command === 'npx') expect(server.args[0]).toBe('-y')
    else expect(existsSync(server.args[0]!)).toBe(true)
  }
  expect(config.servers[1]).toMatchObject({ args: [expect.anything(), join(folder, 'demo')] })
  expect(config.servers[2]).toMatchObject({ env: { MEMORY_FILE_PATH: join(folder, 'demo-memory.jsonl') } })
})

it('the demo folder is copied once and then the user’s own', async () => {
  await Promise.all([demoConfig(folder), demoConfig(folder)])
  const orders = join(folder, 'demo', 'data', 'orders.json')
  expect(JSON.parse(readFileSync(orders, 'utf8')).length).toBeGreaterThan(2)
  writeFileSync(orders, '[]')
  await demoConfig(folder)
  expect(readFileSync(orders, 'utf8')).toBe('[]')
})
