// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are what is tested
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BadArgumentsError, ConfigError, ToolNotFoundError } from '../errors.js'
import { noFigures } from '../gateway/speculation-figures.js'
import type { Status } from '../gateway/status.js'
import { version } from '../version.js'
import { checkDataDirectory, explainUnwritable } from './check-setup.js'
import type { GatewayAccess, GatewayChoice, HttpChoice } from './cli-command.js'
import type { Finding } from './finding.js'
import { main } from './main.js'

const status: Status = {
  version: '0.1.0',
  pid: 4242,
  uptimeMs: 125_000,
  config: '/x/pml.config.yaml',
  http: 'http://127.0.0.1:3939/',
  clients: 1,
  exposure: { mode: 'auto', effective: 'meta' },
  listing: { tools: 4, tokens: 812 },
  tools: { known: 3, callable: 1, unreachable: 1, quarantined: 1 },
  search: { model: 'static-1' },
  speculation: {
    mode: 'on',
    preset: 'careful',
    figures: { ...noFigures, predicted: 30, started: 20, hits: 9, joined: 3, wasted: 8, savedMs: 3_120 },
  },
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
/** Another process listens already. */
let isRunning: boolean

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-cli-'))
  mkdirSync(join(folder, 'home'), { mode: 0o700 })
  asked = []
  chosen = undefined
  isRunning = false
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
      const reply = typeof replies[path] === 'function' ? replies[path](body) : replies[path]
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
      isNew: !isRunning,
      here: !isRunning,
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

const names = [
  'serve',
  'up',
  'status',
  'tools',
  'search',
  'call',
  'plan',
  'run',
  'runs',
  'approve',
  'reject',
  'resume',
  'pause',
  'abort',
  'speculation',
  'capabilities',
  'learn',
  'model',
  'init',
  'add',
  'remove',
  'trust',
  'doctor',
]

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
    [
      ['search', 'x', '--limit', 'many'],
      '--limit: expected a whole number above 0, got "many".',
      'See: pml search --help',
    ],
    [['up', '--port', '99999'], '--port: expected a number from 0 to 65535, got "99999".', ''],
    [['serve', '--port', '1'], '--port and --host are for HTTP.', 'Add --http'],
    [['add', 'x'], 'Expected the command of the server after --, or --url.', ''],
    [['add', 'x', 'npx', '-y', 'z'], 'Unknown option -y.', 'Put the command of the server after --.'],
    [['add', 'x', '--url', 'ftp://y'], '--url: expected an address that starts with http', ''],
    [['add', 'x', '--env', 'A', '--', 'c'], '--env: expected name=value', ''],
    [['tools', '--server', 'fils'], 'No server "fils".', 'Did you mean "files"?'],
    [['trust', '--all'], 'There is no terminal to ask at.', 'Accept with: --yes'],
    [['init', 'undo'], 'Unexpected: undo.', 'Did you mean --undo?'],
    [['auth', 'web', 'signout'], 'Unexpected: signout.', 'Did you mean --sign-out?'],
    [['tools', 'files', 'web'], 'Unexpected: files web.', 'See: pml tools --help'],
    [['remove', 'a', 'b'], 'Unexpected: b.', 'See: pml remove --help'],
    [['status', '--', 'x'], 'Unexpected: x.', 'See: pml status --help'],
    [['search', ' '], 'Expected words to search for.', 'pml tools'],
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
    expect(people.stderr).toContain('pml search WORDS')
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
    tools     3 known, 1 callable, 1 of servers that are down, 1 waiting for pml trust
    search    by words and static-1
    ahead     speculation on (careful): 12 of 20 calls run ahead were used, 3.1 s saved

    SERVER  STATE  TOOLS  VIA    NOTE
    files   ready  2      stdio
    web     down   1      http   Nobody answers. Start it.

    RUN    STATUS    TASKS  TOOK   STARTED (UTC)        INTENT
    run-1  complete  2      1.5 s  1970-01-01 00:00:00  copy
    "
  `)
})

it('status shows what servers are busy with, and a change of the configuration that cannot be used', async () => {
  const start = { since: Date.now() - 14_500, launcher: { program: 'npx', target: '@scope/server' } }
  const server = { transport: 'stdio', toolCount: 0, fromSnapshot: false, pids: [] }
  replies['/api/status'] = {
    ...status,
    configProblem: { file: '/x/pml.config.yaml', line: 3, message: '/x/pml.config.yaml:3: no.', since: 0 },
    servers: [
      { ...server, name: 'cold', status: 'connecting', start },
      { ...server, name: 'later', status: 'waiting', start: { since: Date.now(), ahead: 3 } },
    ],
  }
  const { stdout } = await pml(['status'])
  expect(stdout).toMatch(/npx is starting @scope\/server, 1\d s; a first start downloads it/)
  expect(stdout).toContain('3 servers start before it')
  expect(stdout).toContain('its change cannot be used, since 1970-01-01 00:00:00 UTC; the one before stays')
  expect(stdout).toContain('/x/pml.config.yaml:3: no.')
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

it('search takes the tools used before, and says why', async () => {
  const graph = { alpha: 0.8, evidence: 0.6, by: 'edge', from: 'git:clone' }
  replies['/api/search'] = {
    tools: [
      { id: 'npm:install', score: 0.5, description: 'Installs', parts: { words: 0, cosine: 0.1, graph } },
      { id: 'ship:it', score: 1, description: 'Ships', parts: { name: 1, words: 2, cosine: 0.9 } },
    ],
    unknownContext: ['nobody'],
  }
  const { stdout } = await pml(['search', 'ship it', '--context', 'git:clone, nobody', '--why'])
  const body = { query: 'ship it', limit: 10, context: ['git:clone', 'nobody'] }
  expect(asked).toEqual([{ path: '/api/search', body }])
  expect(stdout).toMatchInlineSnapshot(`
    "TOOL         SCORE  WHY                                           DESCRIPTION
    npm:install  0.50   words 0.00, cosine 0.10, with git:clone 0.60  Installs
    ship:it      1.00   name                                          Ships
    --context: there is no tool "nobody"
    "
  `)
})

describe('learn', () => {
  const edge = {
    ...{ from: 'files:list', to: 'files:read', type: 'provides', source: 'observed' },
    ...{ count: 7, successes: 6, failures: 1 },
  }
  const summary = {
    ...{ tools: 2, edges: 1, density: 0.5, strongest: [{ ...edge, weight: 0.547 }] },
    ...{ communities: 1, central: [{ tool: 'files:read', pageRank: 0.65 }] },
    kinds: [{ type: 'provides', source: 'observed', edges: 1 }],
  }

  it('shows what is known by type and source, and what is strongest', async () => {
    replies['/api/learn'] = { summary }
    const { stdout } = await pml(['learn'])
    expect(stdout).toContain('2 tools, 1 edge (50.0 % of all pairs), 1 group\nmost ways lead to files:read\n')
    expect(stdout).toMatch(/EDGES +OBSERVED +INFERRED +TEMPLATE\nprovides +1\n/)
    expect(stdout).toMatch(/files:list +files:read +provides +observed +7 +1 +0\.55/)
    expect(asked).toEqual([{ path: '/api/learn', body: {} }])
    expect(JSON.parse((await pml(['learn', '--json'])).stdout)).toEqual({ summary })
  })

  it('says when nothing was learned yet', async () => {
    replies['/api/learn'] = { summary: { ...summary, tools: 0, edges: 0, kinds: [], strongest: [] } }
    expect((await pml(['learn'])).stdout).toContain('Nothing learned yet')
  })

  it('--rebuild tells what changed', async () => {
    const rebuilt = { runs: 3, traces: 12, edges: 1, added: [], removed: [], changed: [] as unknown[] }
    replies['/api/learn'] = { summary, rebuilt }
    expect((await pml(['learn', '--rebuild'])).stdout).toContain('3 runs (12 traces): nothing changed.')
    expect(asked.at(-1)).toEqual({ path: '/api/learn', body: { rebuild: true } })
    const before = { ...edge, count: 9, source: 'inferred' }
    replies['/api/learn'] = { summary, rebuilt: { ...rebuilt, changed: [{ before, after: edge }] } }
    const { stdout } = await pml(['learn', '--rebuild'])
    expect(stdout).toContain('0 edges added, 0 removed, 1 changed.')
    expect(stdout).toContain(
      '~ files:list provides files:read: inferred, seen 9 (1 failed) -> observed, seen 7 (1 failed)',
    )
  })
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

  it('a number is sent as the text it was typed as where the tool wants text, and only there', async () => {
    const refuse = ({ arguments: given }: { arguments: { id: unknown; n: unknown } }) =>
      typeof given.id === 'string'
        ? { content: [] }
        : new BadArgumentsError('files:read', [
            { path: '/id', expected: 'must be string' },
            { path: '/n', expected: 'must be boolean' },
          ])
    replies['/api/call'] = refuse
    expect((await pml(['call', 'files:read', 'id=05e1', 'n=1'])).code).toBe(0)
    asked = []
    expect((await pml(['call', 'files:read', 'id=5', 'n=1'])).code).toBe(0)
    expect(asked.map(({ body }) => (body as { arguments: unknown }).arguments)).toEqual([
      { id: 5, n: 1 },
      { id: '5', n: 1 },
    ])
    replies['/api/call'] = new BadArgumentsError('files:read', [{ path: '/n', expected: 'must be boolean' }])
    asked = []
    expect((await pml(['call', 'files:read', 'n=1'])).code).toBe(1)
    expect(asked).toHaveLength(1)
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
    expect(asked).toEqual([{ path: '/api/run', body: { ...body, follow: false } }])
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

it('runs says of one that was left by its gateway how to go on with it', async () => {
  const left = { id: 'run-1', status: 'running', tasks: 1, startedAt: 0, isElsewhere: true }
  const going = { id: 'run-2', status: 'running', tasks: 1, startedAt: 0 }
  replies['/api/runs?limit=20'] = { runs: [going, left] }
  replies['/api/decisions'] = { decisions: [] }
  const { stdout } = await pml(['runs'])
  expect(stdout).toMatch(/INTENT\nrun-1 {2}left +1 .*\nrun-2 {2}running +1 /)
  expect(stdout).toMatch(/\n\nleft: is taken up again, or: pml resume run-1\n$/)
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

  it('a program that asks to accept without --yes is not told that it went well', async () => {
    const { code, stdout } = await pml(['trust', '--all', '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      quarantined: [{ id: 'web:get' }],
      accepted: [],
      hint: expect.any(String),
    })
    expect((await pml(['trust', '--json'])).code).toBe(0)
    expect((await pml(['trust', '--all', '--yes', '--json'])).code).toBe(0)
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
    expect(chosen).toEqual({ port: 0, host: '127.0.0.1', mayReuse: true })
    expect(stdout).toBe('http://127.0.0.1:3939/\n')
    expect(stderr).toMatch(/^Reading the configuration \(\d+ ms\)\n/)
    expect(stderr).toMatch(/Opening the store \(\d+ ms\)\nready \(\d+ ms\)\n$/)
    expect(stderr).toContain('claude mcp add --transport http pml http://127.0.0.1:3939/mcp')
    expect(stderr).toContain(`--config ${join(folder, 'pml.config.yaml')}`)
  })

  it('up says where a gateway listens already, and ends', async () => {
    isRunning = true
    const { code, stdout, stderr } = await pml(['up'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'http://127.0.0.1:3939/\n' })
    expect(stderr).toContain('Already running at http://127.0.0.1:3939/ (process 1)')
    expect(stderr).toContain('claude mcp add --transport http pml http://127.0.0.1:3939/mcp')
    expect(stderr).not.toMatch(/^ready/m)
  })

  it('a data directory that clients do not find by themselves is named', async () => {
    expect((await pml(['up'])).stderr).toContain(`"env":{"PML_HOME":"${join(folder, 'home')}"}`)
    expect((await pml(['up'], { env: { PML_HOME: '', HOME: folder } })).stderr).not.toContain('PML_HOME')
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
    version,
    config: join(folder, 'pml.config.yaml'),
    servers: status.servers.slice(0, 1),
    tools: { known: 1, callable: 1, unreachable: 0, quarantined: 0 },
  })
  /** A user without files of a shell, and without clients. */
  const env = { HOME: '', SHELL: '/bin/sh' }
  beforeEach(() => {
    env.HOME = join(folder, 'user')
    mkdirSync(env.HOME)
    replies['/api/tools'] = { tools: tools.slice(0, 1) }
  })
  const doctor = (extra: Record<string, string> = {}) => pml(['doctor'], { env: { ...env, ...extra } })
  const findings = async (extra: Record<string, string> = {}): Promise<Finding[]> =>
    JSON.parse((await pml(['doctor', '--json'], { env: { ...env, ...extra } })).stdout).findings
  const level = (found: readonly Finding[], check: string) => found.find((one) => one.check === check)?.level

  it('is content when everything works', async () => {
    config('http: { port: 0 }\nservers: { files: { command: node } }\n')
    replies['/api/status'] = healthy()
    const { code, stdout } = await doctor()
    expect(stdout).toContain('ok       server files: ready, 2 tools')
    expect(stdout).toContain('ok       database: opens')
    expect(stdout).toContain('ok       PATH: ')
    expect(stdout).toContain('ok       login shell: /bin/sh')
    expect(stdout).toMatch(/ok {7}launchers: .*\/node\b/)
    expect(stdout).toMatch(/\nEverything works\.\n$/)
    expect(code).toBe(0)
  })

  it('names each trouble with one fix, gives 1, and sums up honestly', async () => {
    config(
      'servers:\n  files: { command: no-such-program }\n  web: { url: http://x }\n  odd: { command: npx -y x, env: { A: "${NOPE}" } }\n',
    )
    replies['/api/tools'] = { tools }
    const { code, stdout } = await doctor()
    expect(code).toBe(1)
    for (const text of [
      'warning  config:',
      'the environment variable NOPE to be set',
      'fix: Set NOPE where the gateway is started',
      'broken   command of files: no-such-program is neither on PATH nor in the PATH of the login shell',
      'Write the program alone in command and the rest in args: ["npx","-y","x"].',
      'warning  gateway: it runs with /x/pml.config.yaml',
      'broken   server web: Nobody answers.\n         fix: Start it.',
      '1 changed since they were approved and are not called: web:get',
    ])
      expect(stdout).toContain(text)
    // A server without a program is told once, by that.
    expect(stdout).not.toContain('server files')
    const all = await findings()
    const count = (wanted: string) => all.filter((one) => one.level === wanted).length
    expect(stdout).toMatch(new RegExp(`\n${count('broken')} broken, ${count('warning')} warnings\\.\n$`))
    for (const finding of all) expect('fix' in finding).toBe(finding.level !== 'ok')
  })

  it('no servers is a warning with a way to get some', async () => {
    config('http: { port: 0 }\n')
    replies['/api/status'] = { ...healthy(), servers: [] }
    const { code, stdout } = await doctor()
    expect(stdout).toContain('has no servers\n         fix: Take over those of your clients with: pml init')
    expect(stdout).toMatch(/\n0 broken, 1 warning\.\n$/)
    expect(code).toBe(0)
  })

  it('a configuration that is not there is told so', async () => {
    const { stdout } = await pml(['doctor', '--config', 'nope.yaml'], { env })
    expect(stdout).toContain('fix: Create it, or correct the path.')
  })

  it('a server that ends is told with its command, ready to paste and without secrets', async () => {
    config(
      'http: { port: 0 }\nservers: { files: { command: node, args: [my server.js, "${KEY}"], env: { A: b } } }\n',
    )
    const hint = 'Run its command by hand to see why; check args and env in the configuration.'
    const trouble = { kind: 'exit', message: 'Server "files": ended.', hint, at: 0 }
    replies['/api/status'] = { ...healthy(), servers: [{ ...status.servers[0], status: 'down', trouble }] }
    expect(await findings({ KEY: 'a-secret-of-mine' })).toContainEqual({
      check: 'server files',
      level: 'broken',
      message: 'ended.',
      fix: "Run: node 'my server.js' '[redacted]' (with A as in the configuration)",
    })
  })

  it('warnings alone are no failure, and no "everything works"', async () => {
    config('http: { port: 0 }\nservers: { files: { command: node, env: { A: "${NOPE}" } } }\n')
    replies['/api/status'] = healthy()
    const { code, stdout } = await doctor()
    expect(stdout).toMatch(/\n0 broken, 1 warning\.\n$/)
    expect(code).toBe(0)
  })

  it('every problem of a broken configuration is told with its line, and the other checks go on', async () => {
    config('servers:\n  a: { comand: x }\n  b: {}\nhttp: { host: 0.0.0.0 }\n')
    replies['/api/status'] = new ConfigError('x', 1, 'no')
    const found = await findings()
    const told = found.filter(({ check }) => check === 'config')
    expect(told.map(({ message }) => message.replace(`${folder}/`, ''))).toEqual([
      'pml.config.yaml:2: servers.a.comand: unknown key, did you mean "command"?',
      'pml.config.yaml:3: servers.b: expected command or url',
      expect.stringContaining('pml.config.yaml:4: http.host: expected http.token too'),
    ])
    expect(told[0]).toMatchObject({ level: 'broken', fix: 'Write command.' })
    expect(found.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['node', 'data directory', 'PATH', 'launchers', 'servers']),
    )
  })

  it('a gateway that still runs with the configuration of before is asked all the same', async () => {
    config('servers: [')
    replies['/api/status'] = {
      ...healthy(),
      configProblem: { file: 'x', message: 'pml.config.yaml:1: expected YAML', since: 0 },
    }
    const found = await findings()
    expect(level(found, 'server files')).toBe('ok')
    expect(found).toContainEqual(
      expect.objectContaining({
        check: 'gateway',
        level: 'warning',
        fix: expect.stringContaining('Correct'),
      }),
    )
  })

  it('a port taken by another program is told, our own is not', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    config(`http: { port: ${port} }\nservers: { files: { command: node } }\n`)
    replies['/api/status'] = { ...healthy(), http: undefined }
    expect((await findings()).find(({ check }) => check === 'port')).toMatchObject({
      level: 'warning',
      fix: `Set http.port in ${join(folder, 'pml.config.yaml')} to another one.`,
    })
    replies['/api/status'] = { ...healthy(), http: `http://127.0.0.1:${port}/` }
    expect(level(await findings(), 'port')).toBe('ok')
    server.close()
  })

  it('a token that is short for an address beyond loopback is told', async () => {
    config('http: { host: 0.0.0.0, port: 0, token: short }\n')
    expect(level(await findings(), 'token')).toBe('warning')
    config(`http: { host: 0.0.0.0, port: 0, token: ${'x'.repeat(32)} }\n`)
    expect(level(await findings(), 'token')).toBe('ok')
  })

  it('a data directory that cannot be written is told', async () => {
    writeFileSync(join(folder, 'plain-file'), '')
    const { code, stdout } = await doctor({ PML_HOME: join(folder, 'plain-file', 'below') })
    expect(code).toBe(1)
    expect(stdout).toContain('broken   data directory')
    expect(stdout).toContain('set PML_HOME to another folder')
  })

  it.skipIf(process.platform === 'win32')(
    'one that others can read is told with how to close it',
    async () => {
      chmodSync(join(folder, 'home'), 0o755)
      const found = (await findings()).find(({ check }) => check === 'data directory')
      expect(found).toMatchObject({ level: 'warning', fix: expect.stringContaining('chmod 700') })
    },
  )

  it.skipIf(process.getuid?.() !== 0)('one that belongs to another user is told', () => {
    const home = join(folder, 'home')
    chownSync(home, 12_345, 12_345)
    expect(checkDataDirectory(home)).toMatchObject([
      { level: 'warning', fix: expect.stringContaining('chown') },
    ])
  })

  it('a disk that is full, or nearly so, is told', () => {
    expect(checkDataDirectory(join(folder, 'home'), () => 5 * 1024 * 1024)).toMatchObject([
      { level: 'warning', message: expect.stringContaining('only 5 MB are free') },
    ])
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    expect(explainUnwritable('/x', full)[0]).toBe('/x: the disk is full')
  })

  it('a database that does not open is told with its own words', async () => {
    config('http: { port: 0 }\n')
    const { runs: _, ...without } = healthy()
    const storeTrouble = { code: 'STORE', message: 'The database is damaged.', hint: 'Move it away.' }
    replies['/api/status'] = { ...without, storeTrouble }
    expect(await findings()).toContainEqual({
      check: 'database',
      level: 'broken',
      message: 'The database is damaged.',
      fix: 'Move it away.',
    })
  })

  it('a program that only this terminal can find is told, with its full path', async () => {
    const hidden = join(folder, 'hidden')
    mkdirSync(hidden)
    writeFileSync(join(hidden, 'my-launcher'), '#!/bin/sh\n', { mode: 0o755 })
    config('http: { port: 0 }\nservers: { files: { command: my-launcher } }\n')
    replies['/api/status'] = healthy()
    const PATH = `${hidden}:${process.env.PATH}`
    const command = async () => (await findings({ PATH })).find(({ check }) => check === 'command of files')
    expect(await command()).toMatchObject({
      level: 'warning',
      fix: `Write ${join(hidden, 'my-launcher')} as its command.`,
    })
    writeFileSync(join(env.HOME, '.profile'), `export PATH="$PATH:${hidden}"\n`)
    expect(await command()).toMatchObject({ level: 'ok' })
  })

  it('a login shell that fails is told', async () => {
    config('http: { port: 0 }\n')
    writeFileSync(join(env.HOME, '.profile'), 'exit 1\n')
    expect(await findings()).toContainEqual(
      expect.objectContaining({
        check: 'login shell',
        level: 'warning',
        fix: expect.stringContaining('-ilc'),
      }),
    )
  })

  it('a file that may not be executed, and one that is not there, are told', async () => {
    writeFileSync(join(folder, 'plain.sh'), '', { mode: 0o644 })
    config('http: { port: 0 }\nservers:\n  a: { command: ./plain.sh }\n  b: { command: ./none.sh }\n')
    const found = await findings()
    expect(found).toContainEqual(
      expect.objectContaining({ check: 'command of a', fix: expect.stringContaining('chmod +x') }),
    )
    expect(found).toContainEqual(
      expect.objectContaining({
        check: 'command of b',
        message: expect.stringContaining('there is no program'),
      }),
    )
  })

  it('a server that waits for a sign-in is told with the command that signs in', async () => {
    config('http: { port: 0 }\nservers: { web: { url: http://x } }\n')
    const trouble = {
      kind: 'auth',
      message: 'Server "web": needs you to sign in.',
      hint: 'Run: pml auth web',
      at: 0,
    }
    replies['/api/status'] = { ...healthy(), servers: [{ ...status.servers[1], trouble }] }
    expect(await findings()).toContainEqual({
      check: 'server web',
      level: 'broken',
      message: 'needs you to sign in.',
      fix: 'Run: pml auth web',
    })
  })

  it('the same server configured twice is told, a name that two share is only noted', async () => {
    config(
      'http: { port: 0 }\nservers:\n  a: { command: node, args: [x] }\n  b: { command: node, args: [x] }\n  c: { command: node, args: [y] }\n',
    )
    replies['/api/status'] = healthy()
    const of = (server: string, ...ids: string[]) =>
      ids.map((id) => ({ ...tools[0], id: `${server}:${id}`, server }))
    replies['/api/tools'] = { tools: [...of('a', 'read', 'write'), ...of('b', 'read')] }
    const found = await findings()
    expect(found).toContainEqual({
      check: 'config',
      level: 'warning',
      message: 'b is the same as a: every tool is there twice',
      fix: 'Run: pml remove b',
    })
    expect(found).toContainEqual({
      check: 'tools',
      level: 'ok',
      message: 'in more than one server, so called as server:tool: read',
    })
  })

  it('a gateway of another version is told', async () => {
    config('http: { port: 0 }\n')
    replies['/api/status'] = { ...healthy(), version: '0.0.1' }
    expect(await findings()).toContainEqual(
      expect.objectContaining({ level: 'warning', message: expect.stringContaining('it is version 0.0.1') }),
    )
  })

  it.skipIf(process.platform === 'win32')(
    'clients are told: connected, not connected, broken, not there',
    async () => {
      config('http: { port: 0 }\n')
      replies['/api/status'] = healthy()
      const cursor = join(env.HOME, '.cursor', 'mcp.json')
      mkdirSync(join(cursor, '..'))
      const client = async () => (await findings()).filter(({ check }) => check.startsWith('client '))
      expect(await client()).toEqual([])
      writeFileSync(cursor, '{"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}}}')
      expect(await client()).toMatchObject([
        { check: 'client Cursor', level: 'ok', message: expect.stringContaining('not connected') },
      ])
      const pml = (program: string) =>
        JSON.stringify({ mcpServers: { pml: { command: process.execPath, args: [program, 'serve'] } } })
      writeFileSync(cursor, pml(join(import.meta.dirname, '../../bin/pml.js')))
      expect(await client()).toMatchObject([{ level: 'ok', message: 'connected' }])
      writeFileSync(cursor, pml('/moved/away/bin/pml.js'))
      expect(await client()).toMatchObject([{ level: 'broken', fix: 'Run: pml init' }])
      writeFileSync(cursor, '{"mcpServers": ')
      expect(await client()).toMatchObject([{ level: 'warning', fix: expect.any(String) }])
    },
  )
})
