import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SpeculationConfig } from '../model/speculation.js'
import { loadConfig } from './load-config.js'

let folder: string
let warnings: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-speculation-config-'))
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function load(text: string, name = 'pml.config.yaml'): Promise<SpeculationConfig> {
  const file = join(folder, name)
  writeFileSync(file, text)
  const onWarning = ({ message }: Error): void => void warnings.push(message)
  const loaded = await loadConfig({ file, env: {}, cwd: folder, home: folder, strict: false, onWarning })
  return loaded.speculation
}

const beneathServers = (written: string): string => `servers:\n  files: { command: x }\n${written}\n`

const usual: SpeculationConfig = {
  mode: 'on',
  preset: 'careful',
  tools: {},
  costPerCall: {},
  maxCost: 0.1,
  wastePerHour: 120,
  wastePerServerPerHour: 60,
}

it.each<[string, SpeculationConfig]>([
  ['', usual],
  ['speculation:', usual],
  ['speculation: {}', usual],
  ['speculation: on', usual],
  ['speculation: true', usual],
  ['speculation: off', { ...usual, mode: 'off' }],
  ['speculation: false', { ...usual, mode: 'off' }],
  ['speculation: shadow', { ...usual, mode: 'shadow' }],
  ['speculation: { mode: off }', { ...usual, mode: 'off' }],
  ['speculation: { mode: true, preset: eager }', { ...usual, preset: 'eager' }],
  [
    `speculation: { tools: { 'files:*': shadow, 'files:ls': on, '*': off, 'files:rm': false } }`,
    { ...usual, tools: { 'files:*': 'shadow', 'files:ls': 'on', '*': 'off', 'files:rm': 'off' } },
  ],
  [
    `speculation: { costPerCall: { 'files:*': 0, '*': .005 }, maxCost: 0 }`,
    { ...usual, costPerCall: { 'files:*': 0, '*': 0.005 }, maxCost: 0 },
  ],
  [
    'speculation: { wastePerHour: 0, wastePerServerPerHour: 7 }',
    { ...usual, wastePerHour: 0, wastePerServerPerHour: 7 },
  ],
])('%j is understood', async (written, speculation) => {
  expect(await load(beneathServers(written))).toEqual(speculation)
  expect(warnings).toEqual([])
})

it('a file of YAML 1.1, where a bare on is true and a bare off is false, means the same', async () => {
  const text = `%YAML 1.1\n---\n${beneathServers("speculation: { mode: on, tools: { 'files:*': off } }")}`
  expect(await load(text)).toEqual({ ...usual, tools: { 'files:*': 'off' } })
  expect(await load(`%YAML 1.1\n---\n${beneathServers('speculation: off')}`)).toMatchObject({ mode: 'off' })
})

it('JSON says it in words or with true and false', async () => {
  const written = (speculation: unknown): string =>
    JSON.stringify({ servers: { files: { command: 'x' } }, speculation })
  expect(await load(written('shadow'), 'pml.config.json')).toEqual({ ...usual, mode: 'shadow' })
  expect(await load(written(false), 'pml.config.json')).toEqual({ ...usual, mode: 'off' })
})

const modes = 'expected one of off, shadow, on, true, false'
const names = 'expected server:tool, server:* or * as its name'

it.each([
  ['speculation: sometimes', `:3: speculation: ${modes} or a mapping, got "sometimes"`],
  ['speculation: 1', `:3: speculation: ${modes} or a mapping, got 1`],
  ['speculation: [on]', `:3: speculation: ${modes} or a mapping, got a list`],
  ['speculation:\n  mode: maybe', `:4: speculation.mode: ${modes}, got "maybe"`],
  ['speculation:\n  preset: bold', ':4: speculation.preset: expected one of careful, eager, got "bold"'],
  ['speculation:\n  presett: eager', ':4: speculation.presett: unknown key, did you mean "preset"?'],
  ['speculation:\n  tools: on', ':4: speculation.tools: expected a mapping, got "on"'],
  ['speculation:\n  tools:\n    files:ls: fast', `:5: speculation.tools["files:ls"]: ${modes}, got "fast"`],
  ['speculation:\n  tools:\n    ls: off', `:5: speculation.tools.ls: ${names}`],
  ["speculation:\n  tools:\n    'files:l*': off", `:5: speculation.tools["files:l*"]: ${names}`],
  [
    'speculation:\n  tools:\n    fiels:ls: off',
    ':5: speculation.tools["fiels:ls"]: no server "fiels", did you mean "files"?',
  ],
  [
    'speculation:\n  costPerCall:\n    files:ls: -1',
    ':5: speculation.costPerCall["files:ls"]: expected at least 0, got -1',
  ],
  [
    'speculation:\n  costPerCall:\n    files:ls: cheap',
    ':5: speculation.costPerCall["files:ls"]: expected a number, got "cheap"',
  ],
  ['speculation:\n  costPerCall:\n    ls: 1', `:5: speculation.costPerCall.ls: ${names}`],
  [
    'speculation:\n  costPerCall:\n    files:ls: .inf',
    ':5: speculation.costPerCall["files:ls"]: expected a number',
  ],
  ['speculation:\n  maxCost: .nan', ':4: speculation.maxCost: expected a number'],
  ['speculation:\n  maxCost: -0.01', ':4: speculation.maxCost: expected at least 0, got -0.01'],
  ['speculation:\n  maxCost: $1', ':4: speculation.maxCost: expected a number, got "$1"'],
  ['speculation:\n  wastePerHour: -1', ':4: speculation.wastePerHour: expected at least 0, got -1'],
  ['speculation:\n  wastePerHour: 1.5', ':4: speculation.wastePerHour: expected a whole number, got 1.5'],
  [
    'speculation:\n  wastePerServerPerHour: many',
    ':4: speculation.wastePerServerPerHour: expected a number, got "many"',
  ],
  ['speculation: { mode: maybe, preset: bold }', '(and 1 more)'],
])('%j is a mistake, and named with its file and line', async (written, named) => {
  const loading = load(beneathServers(written))
  await expect(loading).rejects.toThrow(named)
  await expect(loading).rejects.toThrow(join(folder, 'pml.config.yaml'))
})

it('a switch or a price for a server that is gone is told, and stops nothing', async () => {
  const written = `speculation: { tools: { 'database:*': off }, costPerCall: { 'search:web': 0.01 } }`
  expect((await load(beneathServers(written))).tools).toEqual({ 'database:*': 'off' })
  expect(warnings).toEqual([
    expect.stringContaining('no server "database", so it applies to nothing'),
    expect.stringContaining('no server "search", so it applies to nothing'),
  ])
})
