import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadConfig } from './load-config.js'

let folder: string
let warnings: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-approvals-config-'))
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function load(approvals: string) {
  const file = join(folder, 'pml.config.yaml')
  writeFileSync(file, `servers:\n  files: { command: x }\n${approvals}\n`)
  const onWarning = ({ message }: Error): void => void warnings.push(message)
  return loadConfig({ file, env: {}, cwd: folder, home: folder, strict: false, onWarning })
}

const usual = { by: 'human', direct: 'gateway', expireAfterMs: 86_400_000, tools: {} }

it.each([
  ['', usual],
  ['approvals:', usual],
  ['approvals: {}', usual],
  ['approvals: human', usual],
  ['approvals: agent', { ...usual, by: 'agent' }],
  ['approvals: { direct: client }', { ...usual, direct: 'client' }],
  ['approvals: { expireAfterMs: 1000 }', { ...usual, expireAfterMs: 1_000 }],
  [
    `approvals: { tools: { 'files:*': ask, 'files:rm': block, '*': allow } }`,
    { ...usual, tools: { 'files:*': 'ask', 'files:rm': 'block', '*': 'allow' } },
  ],
])('%j is understood', async (written, approvals) => {
  expect((await load(written)).approvals).toEqual(approvals)
  expect(warnings).toEqual([])
})

it.each([
  ['approvals: nobody', ':3: approvals: expected one of human, agent or a mapping, got "nobody"'],
  ['approvals: 5', 'approvals: expected one of human, agent or a mapping, got 5'],
  ['approvals:\n  by: robot', ':4: approvals.by: expected one of human, agent, got "robot"'],
  ['approvals:\n  bye: human', ':4: approvals.bye: unknown key, did you mean "by"?'],
  [
    `approvals: { tools: { 'files:run_*': block } }`,
    'approvals.tools["files:run_*"]: expected server:tool, server:* or * as its name',
  ],
  ['approvals: { expireAfterMs: 0 }', 'approvals.expireAfterMs: expected at least 1, got 0'],
  [
    `approvals:\n  tools:\n    files:rm: maybe`,
    ':5: approvals.tools["files:rm"]: expected one of allow, ask, block, got "maybe"',
  ],
  [
    'approvals:\n  tools:\n    rm: block',
    ':5: approvals.tools.rm: expected server:tool, server:* or * as its name',
  ],
  ['approvals:\n  tools:\n    fiels:rm: block', 'no server "fiels", did you mean "files"?'],
  ['approvals: { by: robot, direct: nobody }', '(and 1 more)'],
])('%j is a mistake, and named with its line', async (written, named) => {
  await expect(load(written)).rejects.toThrow(named)
})

it('a rule for a server that is gone is told, and stops nothing', async () => {
  await load(`approvals: { tools: { 'database:drop': block } }`)
  expect(warnings).toEqual([expect.stringContaining('no server "database", so it applies to nothing')])
})
