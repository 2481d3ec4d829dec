import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadConfig } from './load-config.js'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-plan-config-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function load(plan: string) {
  const file = join(folder, 'pml.config.yaml')
  writeFileSync(file, `servers: {}\n${plan}\n`)
  return loadConfig({ file, env: {}, cwd: folder, home: folder, strict: false, onWarning() {} })
}

it.each([
  ['', false],
  ['plan:', false],
  ['plan: {}', false],
  ['plan: { askModel: false }', false],
  ['plan: { askModel: true }', true],
])('the model is asked only where the configuration says so: %j', async (written, askModel) => {
  expect((await load(written)).plan).toEqual({ askModel })
})

it.each([
  ['plan: { askModel: "yes" }', 'plan.askModel: expected true or false, got "yes"'],
  ['plan: { askmodel: true }', 'did you mean "askModel"?'],
  ['plan: true', 'plan: expected'],
])('%j is a mistake, and named', async (written, named) => {
  await expect(load(written)).rejects.toThrow(named)
})
