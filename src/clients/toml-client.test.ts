import { expect, it } from 'vitest'
import { ClientEditError, ClientFileError } from '../errors.js'
import type { PmlEntry } from './client-format.js'
import { codex } from './codex.js'
import { tomlStatements } from './toml-statements.js'

const place = { file: '/home/ada/.codex/config.toml', section: ['mcp_servers'] }
const put: PmlEntry = { command: 'node', args: ['pml.js', 'serve'], env: {}, inherit: [] }
const without = (text: string, ...remove: string[]): string => codex.connect(text, place, { remove })

it('knows where each statement begins and ends', () => {
  const text = `# top
a = 1 # one
b."c d".'e' = [
  "]", # not the end ]
  { x = "}" },
]
[t . "u.v"]
s = """
[not.a.table]
x = 1 \\""" y""""
l = '''
it's'''
[[list]]
n = 2`
  expect(
    tomlStatements(text).map(({ path, start, end }) => [
      path.join('|'),
      text.slice(start, end).split('\n').length - 1,
    ]),
  ).toEqual([
    ['a', 1],
    ['b|c d|e', 4],
    ['t|u.v', 1],
    ['t|u.v|s', 3],
    ['t|u.v|l', 2],
    ['list', 1],
    ['list|n', 0],
  ])
})

it.each([
  [
    'inline tables',
    '[mcp_servers]\na = { command = "a" }\nb = { command = "b" } # stays\n',
    '[mcp_servers]\nb = { command = "b" } # stays\n',
  ],
  [
    'dotted keys',
    'mcp_servers.a.command = "a"\nmcp_servers.b.command = "b"\nmodel = "x"\n',
    'mcp_servers.b.command = "b"\nmodel = "x"\n',
  ],
  [
    'pieces in several places',
    '[mcp_servers.a]\ncommand = "a"\n\n[other]\nx = 1\n\n[mcp_servers.a.env]\nK = "v"\n',
    '[other]\nx = 1\n\n',
  ],
  [
    'comments before it',
    '# about a\n[mcp_servers.a]\n# inside\ncommand = "a"\n\n# about other\n[other]\n',
    '# about a\n\n# about other\n[other]\n',
  ],
  [
    'quoted names',
    '[mcp_servers."a"]\ncommand = "a"\n["mcp_servers".b]\ncommand = "b"\n',
    '["mcp_servers".b]\ncommand = "b"\n',
  ],
])('cuts a server written with %s', (_, text, after) => {
  expect(without(text, 'a')).toBe(after)
})

it.each([
  [
    'tables come back as they were, comments within and all',
    '[mcp_servers.a] # mine\n# inside\ncommand = "a"\n\n[mcp_servers.a.env]\nK = "v"\n\n[other]\nx = 1\n',
    '[other]\nx = 1\n\n[mcp_servers.a] # mine\n# inside\ncommand = "a"\n\n[mcp_servers.a.env]\nK = "v"\n',
  ],
  [
    'a line that means something else at the end comes back as a table',
    '[mcp_servers]\na = { command = "a" }\n\n[other]\nx = 1\n',
    '[mcp_servers]\n\n[other]\nx = 1\n\n[mcp_servers.a]\ncommand = "a"\n',
  ],
])('%s', (_, text, after) => {
  const connected = codex.connect(text, place, { remove: ['a'], put })
  expect(codex.restore(connected, place, text).replaceAll(/\n{3,}/g, '\n\n')).toBe(after)
})

it('a file in which the section is one inline table is not edited by guess', () => {
  const text = 'mcp_servers = { a = { command = "a" }, b = { command = "b" } }\n'
  expect(codex.read(text, place, { platform: 'linux', env: {}, cwd: '/' }).map(({ name }) => name)).toEqual([
    'a',
    'b',
  ])
  expect(() => codex.connect(text, place, { remove: ['a'], put })).toThrow(ClientEditError)
  expect(() => without(text, 'a')).toThrow(ClientEditError)
})

it('an error names the line and quotes nothing of the file', () => {
  try {
    codex.read('[mcp_servers.a]\nTOKEN = "secret-word\n', place, { platform: 'linux', env: {}, cwd: '/' })
    expect.unreachable()
  } catch (error) {
    expect(error).toBeInstanceOf(ClientFileError)
    expect((error as Error).message).toMatch(/config\.toml:2: expected TOML/)
    expect((error as Error).message).not.toContain('secret-word')
  }
})

it('dates and large numbers of other settings stay as they are', () => {
  const text = 'seen = 2026-01-02T03:04:05Z\nbig = 9223372036854775807\n\n[mcp_servers.a]\ncommand = "a"\n'
  expect(codex.connect(text, place, { remove: ['a'], put })).toBe(
    'seen = 2026-01-02T03:04:05Z\nbig = 9223372036854775807\n\n[mcp_servers.pml]\ncommand = "node"\nargs = [ "pml.js", "serve" ]\n',
  )
})

it('variables that an entry of PML hands on are added to, never lost', () => {
  const text = '[mcp_servers.a]\ncommand = "a"\n'
  const once = codex.connect(text, place, { remove: ['a'], put: { ...put, inherit: ['A'] } })
  const twice = codex.connect(once, place, { remove: [], put: { ...put, inherit: ['B'] } })
  expect(twice).toContain('env_vars = [ "A", "B" ]')
  expect(codex.connect(twice, place, { remove: [], put })).toBe(twice)
})
