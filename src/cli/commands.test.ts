// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are what is tested
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ToolNotFoundError } from '../errors.js'
import type { Status } from '../gateway/status.js'
import type { GatewayAccess, GatewayChoice, HttpChoice } from './cli-command.js'
import { main } from './main.js'

const status: Status = {
  version: '0.1.0',
  pid: 4242,
  uptimeMs: 125_000,
  config: '/x/pml.config.yaml',
  http: 'http://127.0.0.1:3939/',
  exposure: { mode: 'auto', effective: 'meta' },
  listing: { tools: 4, tokens: 812 },
  tools: { known: 3, callable: 2, quarantined: 1 },
  servers: [
    { name: 'files', transport: 'stdio', status: 'ready', toolCount: 2, fromSnapshot: false, pids: [1] },
    {
      name: 'web',
      transport: 'http',
      status: 'down',
      toolCount: 1,
      fromSnapshot: true,
      pids: [],
      trouble: { kind: 'offline', message: 'Nobody answers.', hint: 'Start it.', at: 0 },
    },
  ],
  runs: [{ id: 'run-1', status: 'complete', tasks: 2, startedAt: 0, ms: 1500, intent: 'copy' }],
}
const tools = [
  { id: 'files:read', server: 'files', description: 'Reads a file', state: 'ready', tokens: 50, flags: [] },
  {
    id: 'web:get',
    server: 'web',
    description: 'Gets a page',
    state: 'quarantined',
    tokens: 70,
    flags: ['hidden-text'],
  },
]
const change = {
  id: 'web:get',
  hash: 'f00d',
  server: 'web',
  seenAt: 0,
  flags: ['hidden-text'],
  diff: '- description: a\n+ description: b',
}

let folder: string
/** What the commands asked of the gateway. */
let asked: { path: string; body?: unknown }[]
let chosen: GatewayChoice | HttpChoice | undefined
let replies: Record<string, unknown>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-cli-'))
  mkdirSync(join(folder, 'home'))
  asked = []
  chosen = undefined
  replies = {
    '/api/status': status,
    '/api/tools': { tools },
    '/api/search': {
      tools: [{ id: 'files:read', score: 0.912, description: 'Reads a file' }],
      servers: [{ name: 'web', status: 'down' }],
    },
    '/api/call': {
      content: [
        { type: 'text', text: 'hello' },
        { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      ],
    },
    '/api/run': {
      id: 'run-2',
      status: 'complete',
      startedAt: 0,
      tasks: [{ id: 'a', tool: 'files:read', arguments: {}, status: 'complete', result: { n: 1 }, ms: 12 }],
    },
    '/api/trust': { quarantined: [change], accepted: ['web:get'] },
  }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const gateway: GatewayAccess = {
  async withGateway(args, use) {
    chosen = args
    const answer = async (path: string, body?: unknown): Promise<unknown> => {
      asked.push({ path, ...(body === undefined ? {} : { body }) })
      const reply = replies[path]
      if (reply instanceof Error) throw reply
      return reply
    }
    return use({ get: answer, post: answer })
  },
  async serveStdioClient(args) {
    chosen = args
  },
  async openHttpFront(args, onProgress) {
    chosen = args
    onProgress('Reading the configuration')
    onProgress('Opening the store')
    return {
      url: 'http://127.0.0.1:3939/',
      here: true,
      holderPid: 1,
      reportStart: async () => {},
      stopped: Promise.resolve(),
      async close() {},
    }
  },
}

async function pml(argv: string[], { stdin = '', isTTY = false, env = {} } = {}) {
  const output = { stdout: '', stderr: '' }
  const code = await main(
    argv,
    {
      stdin: Object.assign(Readable.from([Buffer.from(stdin)]), { isTTY: false }),
      stdout: { isTTY, write: (text) => append('stdout', text) },
      stderr: { isTTY, write: (text) => append('stderr', text) },
      env: { PML_HOME: join(folder, 'home'), PATH: process.env.PATH, ...env },
      cwd: folder,
    },
    gateway,
  )
  return { code, ...output }

  function append(to: keyof typeof output, text: string): void {
    output[to] += text
  }
}

const names = ['serve', 'up', 'status', 'tools', 'search', 'call', 'run', 'add', 'remove', 'trust', 'doctor']

describe('every command', () => {
  it.each(names)('%s --help shows its options and an example', async (name) => {
    const { code, stdout } = await pml([name, '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`USAGE pml ${name}`)
    for (const option of ['--config', '--exposure', '--json']) expect(stdout).toContain(option)
    expect(stdout).toMatch(new RegExp(`EXAMPLES\n\n {2}.*pml ${name}`))
    expect(stdout).not.toContain('\u001b')
  })

  it('is listed by pml --help, and pml help NAME is the same as pml NAME --help', async () => {
    const { code, stdout } = await pml(['--help'])
    expect(code).toBe(0)
    for (const name of names) expect(stdout).toMatch(new RegExp(`^ +${name} {2,}\\S`, 'm'))
    expect(await pml(['help', 'status'])).toEqual(await pml(['status', '--help']))
  })

  it('takes the global options before and after its name', async () => {
    await pml(['--config', 'a.yaml', 'status', '--exposure=meta'])
    expect(chosen).toEqual({ config: 'a.yaml', exposure: 'meta' })
  })

  it.each([
    [['stauts'], 'No command "stauts".', 'Did you mean: pml status'],
    [['frobnicate'], 'No command "frobnicate".', 'List all commands with: pml --help'],
    [['status', '--jsno'], 'Unknown option --jsno.', 'Did you mean --json?'],
    [
      ['status', '--exposure', 'all'],
      'Invalid value for argument: --exposure (all). Expected one of:',
      'See: pml status',
    ],
    [['status', '--config'], '--config needs a value.', 'See: pml status --help'],
    [['call'], 'Missing required positional argument: TOOL.', 'See: pml call --help'],
    [['call', 'x', 'nonsense'], 'Expected key=value, got "nonsense".', 'key=value'],
    [['call', 'x', '{"a":'], 'Expected JSON in the arguments', ''],
    [['call', 'x', '@none.json'], 'Cannot read', 'Check the path'],
    [['run', 'none.yaml'], 'Cannot read', 'Check the path'],
    [['search', 'x', '--limit', 'many'], '--limit: expected a whole number above 0, got "many".', ''],
    [['up', '--port', '99999'], '--port: expected a number from 0 to 65535, got "99999".', ''],
    [['serve', '--port', '1'], '--port and --host are for HTTP.', 'Add --http'],
    [['add', 'x'], 'Expected the command of the server after --, or --url.', ''],
    [['add', 'x', 'npx', '-y', 'z'], 'Unknown option -y.', 'Put the command of the server after --.'],
    [['add', 'x', '--url', 'ftp://y'], '--url: expected an address that starts with http', ''],
    [['add', 'x', '--env', 'A', '--', 'c'], '--env: expected name=value', ''],
    [['tools', '--server', 'fils'], 'No server "fils".', 'Did you mean "files"?'],
    [['trust', '--all'], 'There is no terminal to ask at.', 'Accept with: --yes'],
  ])('%j is refused with what to do, and exit code 2', async (argv, message, hint) => {
    const { code, stderr } = await pml(argv)
    expect(stderr).toContain(`error: ${message}`)
    expect(stderr).toContain(hint)
    expect(code).toBe(2)
  })

  it('errors of the gateway are exit code 1, and JSON on standard output for programs', async () => {
    replies['/api/call'] = new ToolNotFoundError('x', ['files:read'])
    const people = await pml(['call', 'x'])
    expect(people).toMatchObject({ code: 1, stdout: '' })
    expect(people.stderr).toContain('No tool "x". Closest: files:read.')
    const programs = await pml(['call', 'x', '--json'])
    expect(programs).toMatchObject({ code: 1, stderr: '' })
    expect(JSON.parse(programs.stdout).error).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      hint: expect.any(String),
    })
  })

  it.each([
    ['status'],
    ['tools'],
    ['search', 'x'],
    ['call', 'files:read'],
    ['trust'],
    ['doctor'],
    ['up'],
    ['serve', '--http'],
  ])('%s --json prints one JSON value', async (...argv) => {
    expect(JSON.parse((await pml([...argv, '--json'])).stdout)).toBeTypeOf('object')
  })

  it('colours only a terminal, and not with NO_COLOR', async () => {
    expect((await pml(['status'])).stdout).not.toContain('\u001b')
    expect((await pml(['status'], { isTTY: true })).stdout).toContain('\u001b[32mready')
    expect((await pml(['status'], { isTTY: true, env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b')
  })

  it('pml --version is the package’s', async () => {
    expect((await pml(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

it('status shows who holds, the cost of the listing, every server and the last runs', async () => {
  expect((await pml(['status'])).stdout).toMatchInlineSnapshot(`
    "version   0.1.0
    held by   process 4242, for 2 min
    config    /x/pml.config.yaml
    http      http://127.0.0.1:3939/
    exposure  auto (meta)
    listing   4 tools, 812 tokens
    tools     3 known, 2 callable, 1 waiting for pml trust

    SERVER  STATE  TOOLS  VIA    TROUBLE
    files   ready  2      stdio
    web     down   1      http   Nobody answers. Start it.

    RUN    STATUS    TASKS  TOOK   STARTED (UTC)        INTENT
    run-1  complete  2      1.5 s  1970-01-01 00:00:00  copy
    "
  `)
})

it('tools shows tokens, state and what looked suspicious, and can be limited to a server', async () => {
  expect((await pml(['tools'])).stdout).toMatchInlineSnapshot(`
    "TOOL        STATE        TOKENS  DESCRIPTION
    files:read  ready        50      Reads a file
    web:get     quarantined  70      [hidden-text] Gets a page

    2 tools, 120 tokens if all were listed
    web is down: Nobody answers. Start it.
    "
  `)
  expect((await pml(['tools', '--server', 'files'])).stdout).not.toContain('web')
})

it('search sends all words, and says which servers could not be asked', async () => {
  const { stdout } = await pml(['search', 'read', 'a', 'file', '--limit', '3'])
  expect(asked).toEqual([{ path: '/api/search', body: { query: 'read a file', limit: 3 } }])
  expect(stdout).toMatchInlineSnapshot(`
    "TOOL        SCORE  DESCRIPTION
    files:read  0.91   Reads a file
    web is down
    "
  `)
})

describe('call', () => {
  it.each([
    [[], '', {}],
    [
      ['path=a b', 'n=5', 'on=true', 'x=null', 'l=[1,2]', 'o={"a":1}'],
      '',
      { path: 'a b', n: 5, on: true, x: null, l: [1, 2], o: { a: 1 } },
    ],
    [
      ['s="5"', 'id=00123', 'big=12345678901234567890', 'empty=', 'eq=a=b', 'neg=-1.5'],
      '',
      { s: '5', id: '00123', big: '12345678901234567890', empty: '', eq: 'a=b', neg: -1.5 },
    ],
    [['{"a": {"b": 1}}'], '', { a: { b: 1 } }],
    [['@args.json'], '', { from: 'file' }],
    [['-'], '{"from": "stdin"}', { from: 'stdin' }],
  ])('%j gives the arguments', async (words, stdin, expected) => {
    writeFileSync(join(folder, 'args.json'), '{"from": "file"}')
    await pml(['call', 'files:read', ...words], { stdin })
    expect(asked).toEqual([{ path: '/api/call', body: { tool: 'files:read', arguments: expected } }])
  })

  it('prints text as it is and names what is not text', async () => {
    expect((await pml(['call', 'files:read'])).stdout).toBe('hello\n[image image/png, 3 bytes; see --json]\n')
  })

  it('a tool error is exit code 1', async () => {
    replies['/api/call'] = { isError: true, content: [{ type: 'text', text: 'no such file' }] }
    expect(await pml(['call', 'files:read'])).toMatchObject({ code: 1, stdout: 'no such file\n' })
  })
})

describe('run', () => {
  const tasks = [{ id: 'a', tool: 'files:read' }]
  it.each([
    ['flow.yaml', 'intent: copy\ntasks:\n  - { id: a, tool: files:read }\n', { intent: 'copy', tasks }],
    ['flow.json', JSON.stringify({ tasks }), { tasks }],
    ['list.json', JSON.stringify(tasks), { tasks }],
  ])('%s', async (name, text, body) => {
    writeFileSync(join(folder, name), text)
    const { code, stdout } = await pml(['run', name])
    expect(asked).toEqual([{ path: '/api/run', body }])
    expect(stdout).toContain('a     files:read  complete  12 ms  {"n":1}')
    expect(code).toBe(0)
  })

  it('reads standard input, and gives 1 unless every task is complete', async () => {
    replies['/api/run'] = {
      id: 'r',
      status: 'failed',
      startedAt: 0,
      tasks: [
        {
          id: 'a',
          tool: 'x:y',
          arguments: {},
          status: 'failed',
          error: { code: 'X', message: 'Broke.', hint: 'Mend it.' },
        },
      ],
    }
    const { code, stdout } = await pml(['run', '-'], { stdin: JSON.stringify({ tasks }) })
    expect(code).toBe(1)
    expect(stdout).toContain('Broke. Mend it.')
  })
})

describe('add and remove', () => {
  const file = () => readFileSync(join(folder, 'home', 'pml.config.yaml'), 'utf8')

  it('without a configuration a new one is made in the data directory, references kept as written', async () => {
    const { code, stdout } = await pml([
      'add',
      'gh',
      '--env',
      'T=${T}',
      '--env=U=1',
      '--',
      'npx',
      '-y',
      'srv',
      '--env',
      'x',
    ])
    expect(code).toBe(0)
    expect(stdout).toContain('Added gh to')
    expect(file()).toMatchInlineSnapshot(`
      "servers:
        gh:
          command: npx
          args:
            - -y
            - srv
            - --env
            - x
          env:
            T: \${T}
            U: "1"
      "
    `)
    await pml([
      'add',
      'web',
      '--url',
      'https://x/mcp',
      '--header',
      'Authorization=Bearer ${K}',
      '--header',
      'X-A: b',
      '--sse',
    ])
    expect(file()).toMatchInlineSnapshot(`
      "servers:
        gh:
          command: npx
          args:
            - -y
            - srv
            - --env
            - x
          env:
            T: \${T}
            U: "1"
        web:
          url: https://x/mcp
          type: sse
          headers:
            Authorization: Bearer \${K}
            X-A: b
      "
    `)
    expect((await pml(['remove', 'hg'])).stderr).toContain('Did you mean "gh"?')
    await pml(['remove', 'gh'])
    expect(file()).not.toContain('gh:')
  })

  it('edits the configuration in force, and writes paths so that they hold from anywhere', async () => {
    writeFileSync(join(folder, 'pml.config.json'), '{"mcpServers": {}}')
    writeFileSync(join(folder, 'server.js'), '')
    await pml(['add', 'mine', '--', 'node', './server.js', './not-there'])
    const written = JSON.parse(readFileSync(join(folder, 'pml.config.json'), 'utf8'))
    expect(written.mcpServers.mine).toEqual({
      command: 'node',
      args: [join(folder, 'server.js'), './not-there'],
    })
  })
})

describe('trust', () => {
  it('shows what changed and accepts nothing by itself', async () => {
    const { code, stdout } = await pml(['trust'])
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "web:get
        looks suspicious: hidden-text
        - description: a
        + description: b

      Accept one with: pml trust TOOL, or all with: pml trust --all
      "
    `)
    expect(asked.filter(({ path }) => path === '/api/trust')).toEqual([{ path: '/api/trust', body: {} }])
  })

  it('accepts exactly what it has shown, with --yes', async () => {
    expect((await pml(['trust', 'web:get', '--yes'])).stdout).toContain('Accepted: web:get')
    expect(asked.filter(({ path }) => path === '/api/trust').map(({ body }) => body)).toEqual([
      { ids: ['web:get'] },
      { accept: [{ id: 'web:get', hash: change.hash }] },
    ])
  })

  it('a tool that changed once more while the person looked is not accepted', async () => {
    replies['/api/trust'] = { quarantined: [change], accepted: [] }
    const { code, stderr } = await pml(['trust', 'web:get', '--yes'])
    expect(code).toBe(1)
    expect(stderr).toContain('web:get changed once more')
  })

  it('says when nothing has changed', async () => {
    replies['/api/trust'] = { quarantined: [] }
    expect(await pml(['trust', '--all'])).toMatchObject({ code: 0, stdout: 'Nothing has changed.\n' })
  })
})

describe('serve and up', () => {
  it('serve writes nothing to standard output of its own', async () => {
    expect(await pml(['serve', '--exposure', 'proxy'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(chosen).toEqual({ exposure: 'proxy' })
  })

  it('up prints the address alone, and progress and help beside it', async () => {
    writeFileSync(join(folder, 'pml.config.yaml'), '')
    const { stdout, stderr } = await pml(['up', '--port', '0', '--host', '127.0.0.1'])
    expect(chosen).toEqual({ port: 0, host: '127.0.0.1' })
    expect(stdout).toBe('http://127.0.0.1:3939/\n')
    expect(stderr).toMatch(/^Reading the configuration \(\d+ ms\)\n/)
    expect(stderr).toMatch(/Opening the store \(\d+ ms\)\nready \(\d+ ms\)\n$/)
    expect(stderr).toContain('claude mcp add --transport http pml http://127.0.0.1:3939/mcp')
    expect(stderr).toContain(`--config ${join(folder, 'pml.config.yaml')}`)
  })

  it('a configuration that every client finds by itself is not named', async () => {
    writeFileSync(join(folder, 'home', 'pml.config.yaml'), '')
    expect((await pml(['up'])).stderr).not.toContain('--config')
  })
})

describe('doctor', () => {
  const config = (text: string) => writeFileSync(join(folder, 'pml.config.yaml'), text)
  const healthy = () => ({
    ...status,
    config: join(folder, 'pml.config.yaml'),
    servers: status.servers.slice(0, 1),
    tools: { known: 1, callable: 1, quarantined: 0 },
  })
  const findings = async () => JSON.parse((await pml(['doctor', '--json'])).stdout).findings

  it('is content when everything works', async () => {
    config('http: { port: 0 }\nservers: { files: { command: node } }\n')
    replies['/api/status'] = healthy()
    const { code, stdout } = await pml(['doctor'])
    expect(stdout).toContain('ok       server files: ready, 2 tools')
    expect(stdout).toContain('Everything works.')
    expect(code).toBe(0)
  })

  it('names each trouble with one fix, and gives 1', async () => {
    config(
      'servers:\n  files: { command: no-such-program }\n  web: { url: http://x }\n  odd: { command: npx -y x, env: { A: "${NOPE}" } }\n',
    )
    const { code, stdout } = await pml(['doctor'])
    expect(code).toBe(1)
    for (const text of [
      'warning  config:',
      'the environment variable NOPE to be set',
      'broken   command of files: no-such-program is not found in PATH',
      'Write the program in command and the rest in args: ["npx","-y","x"].',
      'warning  gateway: it runs with /x/pml.config.yaml',
      'broken   server web: Nobody answers.\n         fix: Start it.',
      '1 changed since they were approved',
    ])
      expect(stdout).toContain(text)
    const all = (await findings()) as { level: string; fix?: string }[]
    for (const finding of all) expect(finding.fix === undefined).toBe(finding.level === 'ok')
  })

  it('a broken configuration is told with its line, and no gateway is opened', async () => {
    config('servers:\n  a: { comand: x }\n')
    const { code, stdout } = await pml(['doctor'])
    expect(code).toBe(1)
    expect(stdout).toContain('pml.config.yaml:2: servers.a.comand: unknown key, did you mean "command"?')
    expect(asked).toEqual([])
  })

  it('a port taken by another program is told, our own is not', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    config(`http: { port: ${port} }\nservers: { files: { command: node } }\n`)
    replies['/api/status'] = { ...healthy(), http: undefined }
    expect(await findings()).toContainEqual(expect.objectContaining({ check: 'port', level: 'warning' }))
    replies['/api/status'] = { ...healthy(), http: `http://127.0.0.1:${port}/` }
    expect(await findings()).toContainEqual(expect.objectContaining({ check: 'port', level: 'ok' }))
    server.close()
  })

  it('a data directory that cannot be written is told', async () => {
    writeFileSync(join(folder, 'plain-file'), '')
    const { code, stdout } = await pml(['doctor'], { env: { PML_HOME: join(folder, 'plain-file', 'below') } })
    expect(code).toBe(1)
    expect(stdout).toContain('fix: Make it writable, or set PML_HOME')
  })
})
