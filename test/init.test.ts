/** `pml init` with the files of real clients, and the gateway that their new entry starts. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { parse } from 'smol-toml'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseJsonTree, treeValue } from '../src/model/json-tree.js'
import { dataOf, eventually, fixture, pmlBin, root } from './harness.js'

const secret = 'journey-secret-0123456789'
const server = fixture('echo')
/** Each starts a dozen processes, and a new database. */
const slow = { timeout: 300_000 }
const darwin = process.platform === 'darwin'

interface PmlEntry {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly env_vars?: readonly string[]
}

interface Journey {
  readonly client: string
  readonly title: string
  /** Beneath the user's home. */
  readonly file: string
  /** The file as its user has it, with one server that has the secret as ECHO_TOKEN. */
  readonly text: string
  entry(text: string): PmlEntry
}

const json = (value: unknown): string => JSON.stringify(value)
const settings = darwin ? 'Library/Application Support' : '.config'
const [node, [script]] = [json(server.command), server.args.map(json)] as const
const jsonServers = (text: string, key: string): Record<string, PmlEntry> =>
  (treeValue(parseJsonTree(text)) as Record<string, Record<string, PmlEntry>>)[key]!

const journeys: readonly Journey[] = [
  {
    client: 'claude-code',
    title: 'Claude Code',
    file: '.claude.json',
    text: `{
  "numStartups": 3,
  "mcpServers": {
    "echo": { "type": "stdio", "command": ${node}, "args": [${script}], "env": { "ECHO_TOKEN": "${secret}" } }
  },
  "projects": {}
}`,
    entry: (text) => jsonServers(text, 'mcpServers').pml!,
  },
  {
    client: 'claude-desktop',
    title: 'Claude Desktop',
    file: `${settings}/Claude/claude_desktop_config.json`,
    text: `\ufeff{\r\n\t"mcpServers": {\r\n\t\t"echo": {\r\n\t\t\t"command": ${node},\r\n\t\t\t"args": [${script}],\r\n\t\t\t"env": { "ECHO_TOKEN": "${secret}" }\r\n\t\t}\r\n\t}\r\n}\r\n`,
    entry: (text) => jsonServers(text, 'mcpServers').pml!,
  },
  {
    client: 'cursor',
    title: 'Cursor',
    file: '.cursor/mcp.json',
    text: `{"mcpServers":{"echo":{"command":${node},"args":[${script}],"env":{"ECHO_TOKEN":"${secret}"}}}}`,
    entry: (text) => jsonServers(text, 'mcpServers').pml!,
  },
  {
    client: 'vscode',
    title: 'VS Code',
    file: `${settings}/Code/User/mcp.json`,
    text: `{
  // asked for once
  "inputs": [{ "type": "promptString", "id": "token", "password": true, "description": "Token", }],
  "servers": {
    "echo": { "type": "stdio", "command": ${node}, "args": [${script}], "env": { "ECHO_TOKEN": "\${input:token}" }, },
  },
}
`,
    entry: (text) => jsonServers(text, 'servers').pml!,
  },
  {
    client: 'windsurf',
    title: 'Windsurf',
    file: '.codeium/windsurf/mcp_config.json',
    text: `{
    "mcpServers": {
        "echo": {
            "command": ${node},
            "args": [${script}],
            "env": { "ECHO_TOKEN": "${secret}" },
            "disabledTools": []
        }
    }
}
`,
    entry: (text) => jsonServers(text, 'mcpServers').pml!,
  },
  {
    client: 'zed',
    title: 'Zed',
    file: '.config/zed/settings.json',
    text: `// Zed settings
{
  "vim_mode": true,
  "context_servers": {
    // the older form
    "echo": { "command": { "path": ${node}, "args": [${script}], "env": { "ECHO_TOKEN": "${secret}" } }, "settings": {} },
  },
}
`,
    entry: (text) => jsonServers(text, 'context_servers').pml!,
  },
  {
    client: 'codex',
    title: 'Codex',
    file: '.codex/config.toml',
    text: `model = "o4" # mine

[mcp_servers.echo]
command = ${node}
args = [${script}]
env_vars = ["ECHO_TOKEN"]

[tui]
notifications = true`,
    entry: (text) => (parse(text) as unknown as { mcp_servers: Record<string, PmlEntry> }).mcp_servers.pml!,
  },
]

let home: string
let clients: Client[]
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pml-journey-'))
  mkdirSync(join(home, 'work'))
  clients = []
})
afterEach(async () => {
  await Promise.allSettled(clients.map((client) => client.close()))
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

const bare = () => ({ PATH: process.env.PATH ?? '', HOME: home, USERPROFILE: home })

function pml(...args: readonly string[]) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd: join(home, 'work'), env: { ...bare(), PML_HOME: join(home, 'pml') } }
    execFile(process.execPath, [pmlBin, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

function write(file: string, text: string, mode = 0o640): string {
  const path = join(home, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

/** Starts what the entry says, with the environment that the client would give it. */
async function startAsClient({ command, args, env = {}, env_vars = [] }: PmlEntry): Promise<Client> {
  const filled = Object.entries(env).map(([name, value]) => [name, value.replace('${input:token}', secret)])
  const passed = env_vars.map((name) => [name, name === 'ECHO_TOKEN' ? secret : ''])
  const client = new Client({ name: 'init-journey', version: '1.0.0' })
  clients.push(client)
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...args],
      env: { ...bare(), ...Object.fromEntries([...passed, ...filled]) },
      stderr: 'ignore',
    }),
  )
  return client
}

function allFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => lstatSync(path).isFile())
}

describe.each(journeys)('$title', ({ client, title, file, text, entry }) => {
  it(
    'its server is taken over, answers through the entry that starts PML, and all is undone',
    slow,
    async () => {
      const path = write(file, text)

      const preview = await pml('init', '--dry-run')
      expect(preview.code).toBe(0)
      expect(preview.stdout).toContain(`${title} ${path}\n  echo: is taken over`)
      expect(preview.stdout).not.toContain(secret)
      expect(readFileSync(path, 'utf8')).toBe(text)
      expect(existsSync(join(home, 'pml'))).toBe(false)

      const done = await pml('init', '--yes', '--client', client)
      expect(done).toMatchObject({ code: 0, stderr: '' })
      expect(done.stdout).not.toContain(secret)
      const changed = readFileSync(path, 'utf8')
      expect(changed).not.toContain('echo.js')

      const agent = await startAsClient(entry(changed))
      await eventually(
        async () => (await agent.listTools()).tools.map(({ name }) => name),
        (names) => names.includes('echo__env'),
        60_000,
      )
      const seen = await agent.callTool({ name: 'echo__env', arguments: {} })
      expect(dataOf(seen)).toMatchObject({ ECHO_TOKEN: secret })
      await agent.close()

      for (const ours of allFiles(join(home, 'pml')).filter((path) => !path.includes('init-backups'))) {
        expect(readFileSync(ours).includes(secret), ours).toBe(false)
      }

      const again = await pml('init', '--yes')
      expect(again).toMatchObject({ code: 0 })
      expect(again.stdout).toContain('There is nothing to do.')
      expect(readFileSync(path, 'utf8')).toBe(changed)

      expect((await pml('init', '--undo')).code).toBe(0)
      expect(readFileSync(path).equals(Buffer.from(text))).toBe(true)
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o640)
      expect(existsSync(join(home, 'pml/pml.config.yaml'))).toBe(false)
    },
  )
})

it(
  'all clients at once, a broken file among them, and with copied secrets any entry starts all servers',
  slow,
  async () => {
    const fixtures = journeys.filter(({ client }) => client !== 'vscode' && client !== 'codex')
    const paths = fixtures.map(({ client, file, text }) =>
      write(file, text.replace('"echo"', `"echo-${client}"`)),
    )
    write('.codex/config.toml', 'model = "o4"\n[mcp_servers.x\n')
    const before = paths.map((path) => readFileSync(path))

    const done = await pml('init', '--yes', '--copy-secrets')
    expect(done.code).toBe(1)
    expect(done.stdout).toMatch(/cannot be read .*config\.toml:2: expected TOML/)
    expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toContain('[mcp_servers.x\n')

    const zed = fixtures.find(({ client }) => client === 'zed')!
    const agent = await startAsClient(zed.entry(readFileSync(join(home, zed.file), 'utf8')))
    const call = async (tool: string) => dataOf(await agent.callTool({ name: tool, arguments: {} }))
    for (const { client } of fixtures) {
      const answer = await eventually(
        () => call(`echo-${client}:env`).catch(() => undefined),
        (data) => data !== undefined,
        60_000,
      )
      expect(answer).toMatchObject({ ECHO_TOKEN: secret })
    }
    await agent.close()

    expect((await pml('init', '--undo')).code).toBe(0)
    expect(paths.map((path, index) => readFileSync(path).equals(before[index]!))).toEqual(
      paths.map(() => true),
    )
    expect(existsSync(join(home, 'pml/secrets.env'))).toBe(false)
  },
)

it('a linked file is changed where it is, and restored there', async () => {
  const real = write('dotfiles/mcp.json', journeys[2]!.text)
  mkdirSync(join(home, '.cursor'))
  symlinkSync(real, join(home, '.cursor/mcp.json'))
  await pml('init', '--yes')
  expect(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true)
  expect(readFileSync(real, 'utf8')).toContain('pml.js')
  await pml('init', '--undo')
  expect(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true)
  expect(readFileSync(real, 'utf8')).toBe(journeys[2]!.text)
})

const places: Readonly<Record<string, string>> = {
  'claude-code.user.json.txt': '.claude.json',
  'claude-code.mcp.json.txt': 'work/.mcp.json',
  'claude-desktop.json.txt': `${settings}/Claude/claude_desktop_config.json`,
  'cursor.json.txt': '.cursor/mcp.json',
  'vscode.json.txt': 'work/.vscode/mcp.json',
  'vscode.settings.json.txt': `${settings}/Code/User/settings.json`,
  'windsurf.json.txt': '.codeium/windsurf/mcp_config.json',
  'zed.json.txt': '.config/zed/settings.json',
  'codex.toml.txt': '.codex/config.toml',
}

/** Files as people have them, each where its client looks. */
function writeFixtures() {
  return Object.entries(places).map(([fixture, file]) => {
    const text = readFileSync(join(root, 'test/clients', fixture), 'utf8')
    const path = write(file, text.replaceAll('/home/ada/shop', join(home, 'work')))
    return { path, bytes: readFileSync(path) }
  })
}

it(
  'files as people have them come back byte for byte, after init by init and undo by undo',
  slow,
  async () => {
    const written = writeFixtures()
    const steps = ['codex', 'zed', 'claude-code', 'vscode', 'cursor', 'windsurf', 'claude-desktop']
    for (const client of steps) {
      expect(await pml('init', '--yes', '--client', client)).toMatchObject({ code: 0, stderr: '' })
    }
    for (const { path, bytes } of written) expect(readFileSync(path).equals(bytes), path).toBe(false)
    expect(await pml('init', '--yes')).toEqual({
      code: 0,
      stdout: expect.stringContaining('There is nothing to do.'),
      stderr: '',
    })
    expect(readFileSync(join(home, 'pml/pml.config.yaml'), 'utf8')).not.toMatch(
      /ghp_|sk-|BSA|xoxb|ntn_|figd_|s3cret|tea-4/,
    )
    for (const _ of steps) expect((await pml('init', '--undo')).code).toBe(0)
    for (const { path, bytes } of written) expect(readFileSync(path).equals(bytes), path).toBe(true)
    expect((await pml('init', '--undo')).stdout).toContain('There is no init to take back.')
  },
)

it(
  'files that every client wrote since have their servers back, and keep what was written',
  slow,
  async () => {
    const since = (path: string, text: string): string =>
      path.endsWith('.toml') ? `${text}\n[since]\nstarts = 13\n` : text.replace('{', '{ "since": 13,')
    const written = writeFixtures()
    expect((await pml('init', '--yes', '--copy-secrets')).code).toBe(0)
    for (const { path } of written) writeFileSync(path, since(path, readFileSync(path, 'utf8')))
    expect(await pml('init', '--undo')).toMatchObject({ code: 0, stderr: '' })
    for (const { path, bytes } of written) {
      const now = readFileSync(path, 'utf8')
      if (path.endsWith('.toml')) {
        expect(parse(now)).toEqual({ ...parse(bytes.toString()), since: { starts: 13 } })
      } else expect(now).toBe(since(path, bytes.toString()))
      if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o640)
    }
    expect(readdirSync(join(home, 'pml'))).toEqual(['init-backups'])
  },
)

it('killed among its changes, it is taken back as far as it went', slow, async () => {
  const files = Array.from({ length: 200 }, (_, index) => write(`many/${index}`, `before ${index}`))
  const changes = files.map((file, index) => ({ file, before: `before ${index}`, after: `after ${index}` }))
  const room = pathToFileURL(join(root, 'dist/clients/change-files.js'))
  const backups = join(home, 'pml', 'init-backups')
  const script = `import { changeFiles } from ${json(room)}
    await changeFiles(${json(changes)}, { backups: ${json(backups)}, now: new Date() })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await eventually(
    () => readFileSync(files[0]!, 'utf8'),
    (text) => text === 'after 0',
    60_000,
  )
  child.kill('SIGKILL')
  await exited
  expect((await pml('init', '--undo')).code).toBe(0)
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(changes.map(({ before }) => before))
})
