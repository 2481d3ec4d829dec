import { expect, it } from 'vitest'
import { claudeCode } from './claude-code.js'
import { claudeDesktop } from './claude-desktop.js'
import { system } from './client-format.contract.js'
import type { ClientFormat } from './client-format.js'
import { cursor } from './cursor.js'
import { type ImportOptions, planImport } from './plan-import.js'
import type { ScannedPlace } from './scan-clients.js'

function place(client: ClientFormat, mcpServers: Record<string, unknown>): ScannedPlace {
  const text = JSON.stringify({ mcpServers })
  const where = { file: `/home/ada/${client.name}.json`, section: ['mcpServers'] }
  const found = client.read(text, where, system)
  return {
    client,
    place: where,
    target: where.file,
    text,
    servers: found.filter((one) => one.kind === 'server'),
    left: found.filter((one) => one.kind === 'left'),
    connected: found.some((one) => one.kind === 'pml'),
  }
}

function plan(places: readonly ScannedPlace[], changes: Partial<ImportOptions> = {}) {
  return planImport(places, {
    existing: {},
    lookUp: () => undefined,
    problemOf: (name) => (/^pml$|:|^$/i.test(name) || name.length > 64 ? 'illegal' : undefined),
    ...changes,
  })
}
const fates = (result: ReturnType<typeof plan>) =>
  result.servers.map(({ found, name, fate }) => `${found.name} ${fate} ${name}`)

const github = (token: string) => ({ command: 'npx', args: ['github'], env: { GITHUB_TOKEN: token } })

it('identical servers of two clients are one, different ones get the name of their client', () => {
  const result = plan([
    place(claudeDesktop, { github: github('one-token'), files: { command: 'files' } }),
    place(cursor, { github: github('one-token'), files: { command: 'files', args: ['/'] } }),
    place(claudeCode, { github: github('other-token') }),
  ])
  expect(fates(result)).toEqual([
    'github new github',
    'files new files',
    'github same github',
    'files new files-cursor',
    'github new github-claude-code',
  ])
  expect(result.added).toEqual({
    github: { command: 'npx', args: ['github'], env: { GITHUB_TOKEN: '${GITHUB_TOKEN}' } },
    files: { command: 'files' },
    'files-cursor': { command: 'files', args: ['/'] },
    'github-claude-code': {
      command: 'npx',
      args: ['github'],
      env: { GITHUB_TOKEN: '${GITHUB_CLAUDE_CODE_GITHUB_TOKEN}' },
    },
  })
  expect(
    result.servers.map(({ variables }) => variables.map(({ name, value }) => `${name}=${value}`)),
  ).toEqual([
    ['GITHUB_TOKEN=one-token'],
    [],
    ['GITHUB_TOKEN=one-token'],
    [],
    ['GITHUB_CLAUDE_CODE_GITHUB_TOKEN=other-token'],
  ])
})

it('what the configuration has is not taken twice, and tells the names of its references', () => {
  const places = [place(cursor, { github: github('a-token'), web: { url: 'https://x.example/mcp' } })]
  const first = plan(places)
  const second = plan(places, { existing: first.added })
  expect(fates(second)).toEqual(['github existing github', 'web existing web'])
  expect(second.added).toEqual({})
  expect(second.servers[0]!.variables).toMatchObject([{ name: 'GITHUB_TOKEN', value: 'a-token' }])

  const renamed = {
    github: { ...github('${MY_PAT}'), disabled: false },
    web: { serverUrl: 'https://x.example/mcp', type: 'http' },
  }
  const third = plan(places, { existing: renamed })
  expect(fates(third)).toEqual(['github existing github', 'web existing web'])
  expect(third.servers[0]!.variables).toMatchObject([{ name: 'MY_PAT' }])
})

it('another server by the same name in the configuration stays, and so does its reference', () => {
  const existing = { github: { ...github('${GITHUB_TOKEN}'), args: ['other'] } }
  const result = plan([place(cursor, { github: github('a-token') })], { existing })
  expect(fates(result)).toEqual(['github new github-cursor'])
  expect(result.servers[0]!.variables[0]!.name).toBe('GITHUB_CURSOR_GITHUB_TOKEN')
  expect(
    fates(
      plan([place(cursor, { github: github('a-token') })], { existing: { ...existing, ...result.added } }),
    ),
  ).toEqual(['github existing github-cursor'])
})

it('the same reference with another value is another server', () => {
  const existing = { github: github('${GITHUB_TOKEN}') }
  const lookUp = (name: string) => (name === 'GITHUB_TOKEN' ? 'the-old-token' : undefined)
  const result = plan([place(cursor, { github: github('the-new-token') })], { existing, lookUp })
  expect(fates(result)).toEqual(['github new github-cursor'])
})

it('a variable that is set to something else is not taken for a secret', () => {
  const lookUp = (name: string) => (name === 'GITHUB_TOKEN' ? 'of the shell' : undefined)
  const result = plan([place(cursor, { gh: github('a-token') })], { lookUp })
  expect(result.servers[0]!.variables[0]!.name).toBe('GH_GITHUB_TOKEN')
})

it('variables that the gateway itself reads are never used for secrets', () => {
  const env = { DATABASE_URL: 'postgres://u:p@h/d', PML_TOKEN: 'abcdefgh', NODE_AUTH_TOKEN: 'abcdefgh' }
  const result = plan([place(cursor, { shop: { command: 'x', env } })])
  expect(result.servers[0]!.variables.map(({ name }) => name)).toEqual([
    'SHOP_DATABASE_URL',
    'SHOP_PML_TOKEN',
    'SHOP_NODE_AUTH_TOKEN',
  ])
})

it('names that are illegal here are mended', () => {
  const result = plan([
    place(cursor, {
      'a:b': { command: 'x' },
      '': { command: 'y' },
      pml: { command: 'somebody-elses' },
      ['n'.repeat(80)]: { command: 'z' },
    }),
  ])
  expect(Object.keys(result.added)).toEqual(['a-b', 'server', 'pml-server', 'n'.repeat(64)])
})

it('PML itself is never taken', () => {
  const from = place(cursor, {
    pml: { command: '/usr/bin/node', args: ['/opt/pml/bin/pml.js', 'serve'] },
    gateway: { command: 'npx', args: ['-y', 'casys-pml@1.2.0', 'serve', '--config', 'x'] },
    http: { url: 'http://127.0.0.1:3939/mcp' },
    'not-pml': { command: 'node', args: ['pml.js'] },
    other: { url: 'http://localhost:8080/mcp' },
  })
  expect(Object.keys(plan([from]).added)).toEqual(['not-pml', 'other'])
  expect(from.connected).toBe(true)
})

it('texts that mean nothing to their client mean nothing to us', () => {
  const result = plan([
    place(claudeDesktop, { sh: { command: 'sh', args: ['-c', 'echo ${HOME} $${X} ${y%z}'] } }),
  ])
  expect(result.added).toEqual({ sh: { command: 'sh', args: ['-c', 'echo $${HOME} $$${X} $${y%z}'] } })
})

it('an entry that reaches PML over HTTP makes way for one that can bring secrets along', () => {
  const from = place(cursor, { pml: { url: 'http://127.0.0.1:3939/mcp', headers: {} }, a: { command: 'a' } })
  const put = { command: 'node', args: ['pml.js', 'serve'], env: { T: 't' }, inherit: [] }
  expect(JSON.parse(cursor.connect(from.text, from.place, { remove: ['a'], put }))).toEqual({
    mcpServers: { pml: { command: 'node', args: ['pml.js', 'serve'], env: { T: 't' } } },
  })
})

it('a server by the name of pml that is left alone keeps its name', () => {
  const from = place(cursor, { pml: { type: 'ws', url: 'ws://x' }, a: { command: 'a' } })
  const put = { command: 'node', args: ['pml.js', 'serve'], env: {}, inherit: [] }
  const { mcpServers } = JSON.parse(cursor.connect(from.text, from.place, { remove: ['a'], put }))
  expect(Object.keys(mcpServers)).toEqual(['pml', 'casys-pml'])
})
