// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are what is tested
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ConfigError } from '../errors.js'
import type { PmlConfig } from '../model/config.js'
import { createRedact } from '../model/redact.js'
import { type LoadConfigOptions, loadConfig } from './load-config.js'

const root = mkdtempSync(join(tmpdir(), 'pml-config-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

let folders = 0
async function load(text: string, options: Partial<LoadConfigOptions> & { name?: string } = {}) {
  const folder = join(root, String(folders++))
  mkdirSync(folder)
  const file = join(folder, options.name ?? 'pml.config.yaml')
  writeFileSync(file, text)
  const warnings: string[] = []
  const config = await loadConfig({
    file,
    env: {},
    cwd: folder,
    home: folder,
    onWarning: (warning) => warnings.push(warning.message.replace(file, 'FILE')),
    ...options,
  })
  return { config, warnings, folder, file }
}

const json = { name: 'mcp.json' }

/** The message of the error, with the file's path shortened. */
async function failure(text: string, options: Parameters<typeof load>[1] = {}): Promise<string> {
  try {
    await load(text, options)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).message.replace((error as ConfigError).file, 'FILE')
  }
  throw new Error('expected a ConfigError')
}

describe('what is accepted', () => {
  it('fills in every default', async () => {
    const { config, file } = await load('servers:\n  one: { command: npx, args: [-y, thing] }\n')
    expect(config).toEqual({
      source: file,
      servers: [
        {
          name: 'one',
          transport: 'stdio',
          command: 'npx',
          args: ['-y', 'thing'],
          env: {},
          disabled: false,
          stateful: false,
          trusted: true,
          timeoutMs: 60_000,
          connectTimeoutMs: 180_000,
        },
      ],
      exposure: 'auto',
      prefix: 'server',
      contextWindow: 200_000,
      maxResultTokens: 20_000,
      hybrid: { pinned: [], tokenBudget: 4000 },
      replyWithinMs: 45_000,
      firstListWaitMs: 5000,
      validateArguments: true,
      validateOutput: 'warn',
      http: { host: '127.0.0.1', port: 3939 },
      search: { embedder: 'static', endpoints: [] },
      plan: { askModel: false },
      learning: { keepLessons: 20_000 },
      approvals: { by: 'human', direct: 'gateway', expireAfterMs: 86_400_000, tools: {} },
      speculation: {
        mode: 'on',
        preset: 'careful',
        tools: {},
        costPerCall: {},
        maxCost: 0.1,
        wastePerHour: 120,
        wastePerServerPerHour: 60,
      },
      code: {
        enabled: true,
        wallMs: 30_000,
        heapMb: 256,
        memoryMb: 512,
        maxCalls: 1_000,
        learn: true,
      },
      limits: {
        maxMessageBytes: 16 * 1024 * 1024,
        concurrentColdStarts: expect.any(Number),
        concurrentCalls: 256,
        concurrentCallsPerServer: 64,
      },
      missingVariables: [],
      secrets: [],
    })
    expect(config.limits.concurrentColdStarts).toBeGreaterThanOrEqual(2)
  })

  it('reads the JSON of every common client', async () => {
    const { config, warnings } = await load(
      `{
        // Claude Desktop, Cursor, Windsurf, Cline, Gemini
        "mcpServers": {
          "plain": { "command": "uvx", "args": ["x"], "env": { "A": "1" }, "disabled": false, "autoApprove": [] },
          "cursor": { "url": "https://a.example/mcp", "headers": { "X-Team": "t" } },
          "windsurf": { "serverUrl": "https://b.example/sse", "type": "sse", "disabled": true },
          "gemini": { "httpUrl": "https://c.example/mcp", "timeout": 30000 },
          "cline": { "type": "streamableHttp", "url": "https://d.example/mcp", "timeout": 90 },
          "off": { "type": "streamable-http", "url": "https://e.example", "enabled": false, },
        },
        "globalShortcut": "",
      }`,
      json,
    )
    expect(
      config.servers.map((server) => [server.name, server.transport, server.disabled, server.timeoutMs]),
    ).toEqual([
      ['plain', 'stdio', false, 60_000],
      ['cursor', 'http', false, 60_000],
      ['windsurf', 'sse', true, 60_000],
      ['gemini', 'http', false, 30_000],
      ['cline', 'http', false, 90_000],
      ['off', 'http', true, 60_000],
    ])
    expect(config.servers[1]).toMatchObject({ url: 'https://a.example/mcp', headers: { 'X-Team': 't' } })
    expect(warnings).toEqual([
      'FILE:11: globalShortcut: unknown key, ignored',
      'FILE:4: mcpServers.plain.autoApprove: unknown key, ignored',
    ])
  })

  it('reads servers and inputs as VS Code writes them', async () => {
    const { config } = await load(
      '{"inputs": [{"id": "x"}], "servers": {"a": {"type": "http", "url": "http://localhost:1/mcp"}}}',
      json,
    )
    expect(config.servers[0]).toMatchObject({ name: 'a', transport: 'http' })
  })

  it('resolves ./ commands, ~ and cwd against the file and the home', async () => {
    const { config, folder } = await load(
      'servers:\n  a: { command: ./run.sh, cwd: work }\n  b: { command: ~/bin/b }\n  c: { command: node, args: [./x.js] }\n',
      { env: { HOME: '/home/ada' } },
    )
    expect(config.servers).toMatchObject([
      { command: join(folder, 'run.sh'), cwd: join(folder, 'work') },
      { command: '/home/ada/bin/b' },
      { command: 'node', args: ['./x.js'] },
    ])
  })

  it('takes an empty file, an empty section and a byte order mark as no servers', async () => {
    for (const text of ['', '# nothing yet\n', 'servers:\n', '\ufeffservers: {}\n']) {
      expect((await load(text)).config.servers).toEqual([])
    }
    expect((await load('\ufeff{}', json)).config.servers).toEqual([])
  })

  it('keeps the demo servers where the file chooses a model and no more', async () => {
    const { config } = await load('search: { embedder: none }\n')
    expect(config.servers.map(({ name }) => name)).toEqual(['everything', 'files', 'memory'])
    expect(config.search.embedder).toBe('none')
    expect((await load('servers: {}\nsearch: { embedder: none }\n')).config.servers).toEqual([])
  })

  it('merges anchors, as YAML files with many similar servers do', async () => {
    const { config } = await load(
      'servers:\n  a: &base { command: node, env: { A: "1" } }\n  b:\n    <<: *base\n    args: [b.js]\n',
    )
    expect(config.servers[1]).toMatchObject({ command: 'node', args: ['b.js'], env: { A: '1' } })
  })

  it('lets the command line choose the exposure', async () => {
    expect((await load('exposure: meta\n', { exposure: 'proxy' })).config.exposure).toBe('proxy')
  })
})

describe('references', () => {
  const env = { TOKEN: 'tok-123456', EMPTY: '', PORT: '8123', ON: 'true' }

  it('resolves ${NAME}, ${NAME:-default} and ${env:NAME}, and leaves the rest alone', async () => {
    const { config } = await load(
      `http: { port: "\${PORT}" }
validateArguments: \${OFF:-false}
servers:
  a:
    command: sh
    args: ["\${TOKEN}", "\${env:TOKEN}!", "\${NONE:-x y}", "\${EMPTY:-d}", "$\${TOKEN}", "\${x%y}", "$HOME", "\${PORT}"]
    env: { E: "\${EMPTY}" }
`,
      { env },
    )
    expect(config.servers[0]).toMatchObject({
      args: ['tok-123456', 'tok-123456!', 'x y', 'd', '${TOKEN}', '${x%y}', '$HOME', '8123'],
      env: { E: '' },
    })
    expect(config.http.port).toBe(8123)
    expect(config.validateArguments).toBe(false)
  })

  const oneMissing = `servers:
  a: { command: a, env: { KEY: "\${NOPE}" } }
  b: { url: "\${NOPE_URL}" }
  c: { command: c }
  d: { command: d, disabled: true, env: { KEY: "\${NOPE}" } }
`

  it('one missing variable does not block the other servers', async () => {
    const { config, warnings } = await load(oneMissing)
    expect(config.servers.map((server) => [server.name, server.disabled])).toEqual([
      ['a', false],
      ['b', true],
      ['c', false],
      ['d', true],
    ])
    expect(config.servers[0]).toMatchObject({ env: { KEY: '' } })
    expect(warnings).toEqual([
      'FILE:2: servers.a.env.KEY: expected the environment variable NOPE to be set; until then it is left empty',
      'FILE:3: servers.b.url: expected the environment variable NOPE_URL to be set; until then the server is disabled',
    ])
  })

  it('a missing variable is an error when strict, and always in a setting of our own', async () => {
    expect(await failure(oneMissing, { strict: true })).toBe(
      'FILE:2: servers.a.env.KEY: expected the environment variable NOPE to be set (and 2 more)',
    )
    expect(await failure('http:\n  token: ${NOPE}\n')).toBe(
      'FILE:2: http.token: expected the environment variable NOPE to be set',
    )
  })

  it('says what to do with an input that only VS Code can ask for', async () => {
    const { warnings } = await load('servers:\n  a: { command: a, env: { K: "${input:key}" } }\n')
    expect(warnings[0]).toContain('${input:key} asks a person; expected an environment variable')
  })
})

describe('secrets', () => {
  it('knows the values that must never leave', async () => {
    const { config } = await load(
      `http: { token: door-token }
servers:
  a:
    command: a
    args: [--api-key=arg-secret-1, --token, arg-secret-2, --verbose, "\${ARG}"]
    env: { GITHUB_TOKEN: literal-1, LEVEL: not-secret, VIA: "\${VIA}", DIR: "\${HOME}" }
  b:
    url: https://u:url-pass@x.example/mcp?api_key=query-secret&page=page-2
    headers: { Authorization: Bearer head-secret, Accept: not-secret-2 }
`,
      {
        env: {
          VIA: 'via-secret',
          ARG: 'arg-secret-3',
          HOME: '/home/ada',
          DATABASE_URL: 'postgres://u:db-pass@h/d',
        },
      },
    )
    const secret = ['door-token', 'arg-secret-1', 'arg-secret-2', 'arg-secret-3', 'literal-1', 'via-secret']
    secret.push('url-pass', 'query-secret', 'head-secret', 'db-pass')
    const redact = createRedact(config.secrets)
    for (const value of secret) expect(redact(`<${value}>`), value).toBe('<[redacted]>')
    for (const value of ['not-secret', '/home/ada', 'page-2', '--verbose']) expect(redact(value)).toBe(value)
  })

  it('shows no value of an environment, a header or an address in an error', async () => {
    expect(await failure('servers:\n  a: { url: "postgres://u:hunter22@h" }\n')).not.toContain('hunter22')
    expect(await failure('servers:\n  a: { command: a, env: { PIN: 123456 } }\n')).toBe(
      'FILE:2: servers.a.env.PIN: expected a string, got a number',
    )
    expect(await failure('contextWindow: ${W}\n', { env: { W: 'hunter22' } })).toBe(
      'FILE:1: contextWindow: expected a number, got "${W}"',
    )
  })
})

describe('errors say the file, the line and what was expected', () => {
  const yaml: readonly (readonly [string, string])[] = [
    [
      'servers:\n  github:\n    command: npx\n    args:\n      - -y\n      - 5\n',
      'FILE:6: servers.github.args[1]: expected a string, got 5',
    ],
    ['serverz: {}\n', 'FILE:1: serverz: unknown key, did you mean "servers"?'],
    ['\nexposre: meta\n', 'FILE:2: exposre: unknown key, did you mean "exposure"?'],
    ['exposure: all\n', 'FILE:1: exposure: expected one of auto, meta, proxy, hybrid, got "all"'],
    ['contextWindow: big\n', 'FILE:1: contextWindow: expected a number, got "big"'],
    ['contextWindow: 1.5\n', 'FILE:1: contextWindow: expected a whole number, got 1.5'],
    ['http:\n  port: 70000\n', 'FILE:2: http.port: expected at most 65535, got 70000'],
    ['http:\n  prt: 1\n', 'FILE:2: http.prt: unknown key, did you mean "port"?'],
    ['limits: { concurrentCalls: 0 }\n', 'FILE:1: limits.concurrentCalls: expected at least 1, got 0'],
    ['servers: [a]\n', 'FILE:1: servers: expected a mapping, got a list'],
    ['servers:\n  a: npx\n', 'FILE:2: servers.a: expected a mapping, got "npx"'],
    ['servers:\n  a: {}\n', 'FILE:2: servers.a: expected command or url'],
    [
      'servers:\n  a: { command: x, url: http://x }\n',
      'FILE:2: servers.a: expected either command or url, got both',
    ],
    [
      'servers:\n  a: { type: stdio, url: http://x }\n',
      'FILE:2: servers.a: expected command, because type is stdio',
    ],
    ['servers:\n  a: { type: http, command: x }\n', 'FILE:2: servers.a: expected url, because type is http'],
    [
      'servers:\n  a:\n    url: localhost/mcp\n',
      'FILE:3: servers.a.url: expected an address that starts with http:// or https://',
    ],
    ['servers:\n  a: { command: "" }\n', 'FILE:2: servers.a.command: expected a program, got an empty text'],
    [
      'servers:\n  a:\n    command: x\n    trsut: false\n',
      'FILE:4: servers.a.trsut: unknown key, did you mean "trust"?',
    ],
    [
      'servers:\n  "a:b": { command: x }\n',
      'FILE:2: servers["a:b"]: expected a server name without ":", got "a:b"',
    ],
    ['servers:\n  "": { command: x }\n', 'FILE:2: servers[""]: expected a server name that is not empty'],
    [
      'servers:\n  pml: { command: x }\n',
      'FILE:2: servers.pml: expected another server name: "pml" is reserved',
    ],
    [
      'servers:\n  cap: { command: x }\n',
      'FILE:2: servers.cap: expected another server name: "cap" is reserved',
    ],
    [
      `servers:\n  ${'n'.repeat(65)}: { command: x }\n`,
      `FILE:2: servers.${'n'.repeat(65)}: expected a server name of at most 64 characters, got 65`,
    ],
    [
      'prefix: none\nservers: { a: { command: a }, b: { command: b } }\n',
      'FILE:1: prefix: expected server, because there are 2 servers',
    ],
    [
      'http:\n  host: 0.0.0.0\n',
      'FILE:2: http.host: expected http.token too, because 0.0.0.0 can be reached from other machines',
    ],
    ['servers: {}\nmcpServers: {}\n', 'FILE:2: mcpServers: expected either servers or mcpServers, got both'],
    ['- a\n', 'FILE:1: expected a mapping with servers, got a list'],
    ['just text\n', 'FILE:1: expected a mapping with servers, got "just text"'],
  ]
  it.each(yaml)('%j', async (text, message) => {
    expect(await failure(text)).toBe(message)
  })

  it.each([
    [
      '{\n  "mcpServers": {\n    "a": { "command": 5 }\n  }\n}',
      'FILE:3: mcpServers.a.command: expected a string, got 5',
    ],
    ['{\n  "mcpServers": {},,\n}', 'FILE:2: expected a key in double quotes or "}", got ","'],
    ['// c\n{\n  "servrs": {} }', 'FILE:3: servrs: unknown key, did you mean "servers"?'],
    ['{"mcpServers": null, "servers": {"a": []}}', 'FILE:1: servers.a: expected a mapping, got a list'],
  ])('%j', async (text, message) => {
    expect(await failure(text, json)).toBe(message)
  })

  it('points at the line of broken YAML', async () => {
    expect(await failure('servers:\n  a:\n    command: "x\n')).toMatch(/^FILE:\d+: expected YAML: /)
    expect(await failure('servers:\n  a: {}\n  a: {}\n')).toMatch(
      /^FILE:3: expected YAML: Map keys must be unique/,
    )
  })

  it('counts the problems beyond the first, and carries each with its line', async () => {
    expect(await failure('exposure: 1\nprefix: 2\n')).toMatch(/got 1 \(and 1 more\)$/)
    const text = `servers:
  a: { comand: x }
  "b c": { command: 5 }
limits: { concurentCalls: 3, nonsense: 1 }
http: { host: 0.0.0.0 }
`
    const error = await load(text).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ConfigError)
    const found = [error as ConfigError, ...(error as ConfigError).others]
    expect(found.map(({ line, expected }) => `${line} ${expected}`)).toEqual([
      '3 servers["b c"].command: expected a string, got 5',
      '4 limits.concurentCalls: unknown key, did you mean "concurrentCalls"?',
      expect.stringMatching(/^4 limits.nonsense: unknown key, expected one of maxMessageBytes, /),
    ])
    const shaped = text.replace('5 }', 'x }').replace(/limits.*/, '')
    const later = (await load(shaped).catch((thrown: unknown) => thrown)) as ConfigError
    expect([later, ...later.others].map(({ line, expected }) => `${line} ${expected}`)).toEqual([
      '2 servers.a.comand: unknown key, did you mean "command"?',
      expect.stringMatching(/^5 http.host: expected http.token too/),
    ])
  })

  it('a key that a client may have, but looks like ours, is asked about', async () => {
    const { warnings } = await load('{"mcpServers": {"a": {"command": "x", "comand": "y"}}}', json)
    expect(warnings).toEqual(['FILE:1: mcpServers.a.comand: unknown key, ignored; did you mean "command"?'])
  })

  it('says when the file asked for is not there, and does not take another', async () => {
    const options = { env: {}, cwd: root, home: root, file: 'none.yaml' }
    await expect(loadConfig(options)).rejects.toThrow(
      'none.yaml: expected a configuration file, but there is none',
    )
    await expect(loadConfig({ ...options, file: '.' })).rejects.toThrow('it is a folder')
  })
})

describe('hostile files', () => {
  it.each([
    ['brackets', '['.repeat(200_000)],
    ['open mappings', '{"a":'.repeat(100_000)],
    ['dashes', '- '.repeat(200_000)],
    ['keys', '? '.repeat(200_000)],
    ['indents', Array.from({ length: 1300 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['too much', 'a'.repeat(2 * 1024 * 1024)],
    [
      'aliases',
      `a: &a [x,x]\n${'bcdefghij'.replace(/./g, (c) => `${c}: &${c} [*a,*a,*a,*a,*a,*a,*a,*a]\n`)}`,
    ],
    ['a circle', 'servers: &a { x: *a }\n'],
    ['nul', '\u0000'],
  ])('%s give a ConfigError, not a crash', async (_name, text) => {
    await failure(text)
    await failure(text, json)
  })

  const corpus = join(import.meta.dirname, '../../../shared/corpora/json-test-suite/test_parsing')
  const files = listOrNothing(corpus)
  it.skipIf(files.length === 0)(
    'every file of the JSON parsing test suite is read or refused with a ConfigError',
    async () => {
      for (const file of files) {
        const content = readFileSync(join(corpus, file))
        for (const name of ['pml.config.json', 'pml.config.yaml']) {
          const at = join(root, name)
          writeFileSync(at, content)
          const result = await loadConfig({ file: at, env: {}, cwd: root, home: root }).catch(
            (error) => error,
          )
          if (result instanceof Error) expect(result, `${file} as ${name}`).toBeInstanceOf(ConfigError)
          else expect((result as PmlConfig).source).toBe(at)
        }
      }
    },
  )
})

function listOrNothing(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    console.warn(`skipped: no corpus at ${folder}`)
    return []
  }
}
