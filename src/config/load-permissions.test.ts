import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ConfigError } from '../errors.js'
import { noPermissions, type Permissions } from '../model/permissions.js'
import { loadPermissions, permissionsPlaces } from './load-permissions.js'
import { permissionsJsonSchema } from './permissions-schema.js'
import { watchPermissions } from './watch-permissions.js'

let folder: string
let file: string
let warnings: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-permissions-'))
  file = join(folder, 'mcp-permissions.yaml')
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function load(places: readonly string[] = [file]): Promise<Permissions> {
  return loadPermissions({
    places,
    servers: ['files', 'git'],
    onWarning: (warning) => void warnings.push(warning.message),
  })
}

describe('the file', () => {
  it('says what servers and tools may do', async () => {
    writeFileSync(
      file,
      `servers:
  files: { isReadOnly: true }
  git: { permissionSet: mcp-standard }
toolOverrides:
  git:push: { risk: dangerous, reason: "It is seen by all: beware." }
`,
    )
    expect(await load()).toEqual({
      servers: { files: { isReadOnly: true }, git: { permissionSet: 'mcp-standard' } },
      toolOverrides: { 'git:push': { risk: 'dangerous', reason: 'It is seen by all: beware.' } },
    })
    expect(warnings).toEqual([])
  })

  it('is beside the configuration, else in the data directory, and may be absent', async () => {
    const home = join(folder, 'home')
    mkdirSync(home)
    const places = permissionsPlaces([join(folder, 'pml.config.yaml'), join(folder, 'pml.config.json')], home)
    expect(places).toEqual([file, join(home, 'mcp-permissions.yaml')])
    expect(await load(places)).toEqual(noPermissions)
    writeFileSync(places[1]!, 'servers: { git: { isReadOnly: true } }')
    expect(Object.keys((await load(places)).servers)).toEqual(['git'])
    writeFileSync(file, 'servers: { files: { isReadOnly: true } }')
    expect(Object.keys((await load(places)).servers)).toEqual(['files'])
  })

  it.each([
    '',
    'servers:\n',
    'toolOverrides: {}\n',
    '# nothing yet\n',
  ])('that says nothing: %j', async (text) => {
    writeFileSync(file, text)
    expect(await load()).toEqual(noPermissions)
  })

  it('about a server that is not there warns', async () => {
    writeFileSync(
      file,
      'servers:\n  fiels: { isReadOnly: true }\ntoolOverrides:\n  "nobody:x": { risk: safe }\n',
    )
    await load()
    expect(warnings[0]).toContain('mcp-permissions.yaml:2: servers.fiels: no server "fiels"')
    expect(warnings[0]).toContain('did you mean "files"?')
    expect(warnings[1]).toContain(
      ':4: toolOverrides["nobody:x"]: no server "nobody", so it applies to nothing',
    )
  })

  it.each([
    [
      'servers:\n  files: { readOnly: true }',
      ':2: servers.files.readOnly: unknown key, did you mean "isReadOnly"?',
    ],
    [
      'servers:\n  files: { isReadOnly: maybe }',
      ':2: servers.files.isReadOnly: expected true or false, got "maybe"',
    ],
    [
      'servers:\n  files:\n    permissionSet: all',
      ':3: servers.files.permissionSet: expected one of minimal, readonly',
    ],
    [
      'toolOverrides:\n  "git:push": { risk: low }',
      ':2: toolOverrides["git:push"].risk: expected one of safe, moderate',
    ],
    ['toolOverrides:\n  "git:push": {}', 'risk: expected one of safe, moderate, dangerous, got nothing'],
    ['toolOverrides:\n  push: { risk: safe }', ':2: toolOverrides.push: expected server:tool as its name'],
    ['overrides: {}', 'overrides: unknown key'],
    ['- a\n- b', 'expected a mapping, got a list'],
    ['servers: [', 'expected YAML'],
  ])('that is wrong is told with its line: %j', async (text, message) => {
    writeFileSync(file, text)
    const error = (await load().catch((error: ConfigError) => error)) as ConfigError
    expect(error.message).toContain(message)
    expect(error.message).toContain(file)
  })

  it('that is a folder is told', async () => {
    mkdirSync(file)
    await expect(load()).rejects.toThrow('it is a folder')
  })
})

describe('while it is watched', () => {
  async function waitFor(check: () => boolean): Promise<void> {
    for (let i = 0; i < 400 && !check(); i++) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(check()).toBe(true)
  }

  it('a change is taken up, a broken one keeps what was read, and one taken away says nothing', async () => {
    const seen: Permissions[] = []
    const errors: string[] = []
    const watch = watchPermissions(
      [file, join(folder, 'other', 'mcp-permissions.yaml')],
      () => load(),
      {
        onPermissions: (permissions) => void seen.push(permissions),
        onError: (error) => void errors.push(error.message),
      },
      { pollMs: 200 },
    )
    try {
      writeFileSync(file, 'servers: { files: { isReadOnly: true } }')
      await waitFor(() => seen.length === 1)
      expect(seen[0]?.servers.files?.isReadOnly).toBe(true)
      writeFileSync(file, 'servers: { files: { isReadOnly: 5 } }')
      await waitFor(() => errors.length === 1)
      expect(seen).toHaveLength(1)
      rmSync(file)
      await waitFor(() => seen.length === 2)
      expect(seen[1]).toEqual(noPermissions)
    } finally {
      watch.close()
    }
  })
})

describe('the published JSON Schema', () => {
  const published = JSON.parse(
    readFileSync(new URL('../../schema/mcp-permissions.schema.json', import.meta.url), 'utf8'),
  )

  it('is up to date (else run: node scripts/write-config-schema.js)', () => {
    expect(published).toEqual(permissionsJsonSchema())
  })

  it.each([
    [true, {}],
    [true, { servers: { a: { permissionSet: 'readonly' } }, toolOverrides: { 'a:b': { risk: 'safe' } } }],
    [false, { servers: { a: { permissionSet: 'everything' } } }],
    [false, { toolOverrides: { b: { risk: 'safe' } } }],
    [false, { toolOverrides: { 'a:b': {} } }],
    [false, { server: {} }],
  ])('says %s to %j', (valid, permissions) => {
    expect(new Ajv2020({ strict: false }).validate(published, permissions)).toBe(valid)
  })
})
