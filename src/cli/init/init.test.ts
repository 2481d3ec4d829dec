import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { main } from '../main.js'

let folder: string
let home: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-init-'))
  home = join(folder, 'pml')
  mkdirSync(join(folder, 'work'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const place = (name: string) => join(folder, name)
const read = (name: string) => readFileSync(place(name), 'utf8')

function write(name: string, content: unknown): void {
  mkdirSync(join(place(name), '..'), { recursive: true })
  writeFileSync(place(name), typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))
}

const github = {
  command: 'npx',
  args: ['-y', 'server-github'],
  env: { GITHUB_TOKEN: 'very-secret-token', LOG: 'debug' },
}
const cursorFile = (mcpServers: unknown) => write('.cursor/mcp.json', { mcpServers })
const windsurfFile = (mcpServers: unknown) => write('.codeium/windsurf/mcp_config.json', { mcpServers })

/** Answers are given on a terminal; without them there is none. */
async function init(argv: readonly string[], answers?: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const output = { stdout: '', stderr: '' }
  const input = Readable.from(
    answers === undefined ? [] : [Buffer.from(answers.map((line) => `${line}\n`).join(''))],
  )
  const code = await main(['init', ...argv], {
    stdin: Object.assign(input, { isTTY: answers !== undefined }),
    stdout: { write: (text) => append('stdout', text) },
    stderr: { write: (text) => append('stderr', text) },
    env: { HOME: folder, USERPROFILE: folder, PML_HOME: home, ...env },
    cwd: place('work'),
  })
  return { code, ...output }

  function append(to: keyof typeof output, text: string): void {
    output[to] += text
  }
}

describe('the preview', () => {
  beforeEach(() => cursorFile({ github, ws: { type: 'ws', url: 'ws://x' } }))

  it('says what becomes what, and shows no secret', async () => {
    const { code, stdout } = await init(['--dry-run'])
    expect(code).toBe(0)
    expect(stdout).toContain('github: is taken over; secrets become ${GITHUB_TOKEN}')
    expect(stdout).toContain('ws: left alone, because its transport is "ws"')
    expect(stdout).toContain(`would be created ${join(home, 'pml.config.yaml')}`)
    expect(stdout).toContain('+      GITHUB_TOKEN: ${GITHUB_TOKEN}')
    expect(stdout).toContain(`would change ${place('.cursor/mcp.json')}`)
    expect(stdout).toContain('"GITHUB_TOKEN": "[redacted]"')
    expect(stdout).toContain(join(home, 'init-backups'))
    expect(stdout).not.toContain('very-secret')
  })

  it('without a terminal and --yes it changes nothing, and says so', async () => {
    const before = read('.cursor/mcp.json')
    const { code, stdout, stderr } = await init([])
    expect(code).toBe(2)
    expect(stdout).toContain('github: is taken over')
    expect(stderr).toContain('Nothing was changed')
    expect(stderr).toContain('--yes')
    expect(read('.cursor/mcp.json')).toBe(before)
    expect(existsSync(home)).toBe(false)
  })

  it('is data with --json, without secrets too', async () => {
    const { code, stdout } = await init(['--json'])
    expect(code).toBe(2)
    expect(stdout).not.toContain('very-secret')
    expect(JSON.parse(stdout)).toMatchObject({
      applied: false,
      config: { isNew: true, servers: ['github'] },
      places: [
        {
          client: 'cursor',
          servers: [{ name: 'github', becomes: 'github', fate: 'new', secrets: ['GITHUB_TOKEN'] }],
          left: [{ name: 'ws' }],
        },
      ],
      connect: ['cursor'],
      hint: expect.stringContaining('--yes'),
    })
  })
})

describe('what is done', () => {
  it('--yes writes the configuration and points the client at PML, where its secrets stay', async () => {
    cursorFile({ github })
    const { code, stdout } = await init(['--yes'])
    expect(code).toBe(0)
    expect(stdout).toContain('Restart to use PML: Cursor')
    expect(stdout).toContain('pml init --undo')
    expect(read('pml/pml.config.yaml')).toMatch(
      /^# yaml-language-server: \$schema=file:.*pml\.config\.schema\.json\n/,
    )
    expect(read('pml/pml.config.yaml')).toContain('GITHUB_TOKEN: ${GITHUB_TOKEN}\n      LOG: debug')
    expect(JSON.parse(read('.cursor/mcp.json'))).toEqual({
      mcpServers: {
        pml: {
          command: process.execPath,
          args: [expect.stringMatching(/pml\.js$/), 'serve', '--config', join(home, 'pml.config.yaml')],
          env: { PML_HOME: home, GITHUB_TOKEN: 'very-secret-token' },
        },
      },
    })
  })

  it('--no-connect leaves the client as it is, and names what must be set', async () => {
    cursorFile({ github })
    const before = read('.cursor/mcp.json')
    const { code, stdout } = await init(['--yes', '--no-connect'])
    expect(code).toBe(0)
    expect(stdout).toContain('GITHUB_TOKEN must be set wherever PML is started')
    expect(read('.cursor/mcp.json')).toBe(before)
    expect((await init(['--yes', '--no-connect'])).stdout).toContain('There is nothing to do.')
    const later = await init(['--yes'])
    expect(later.stdout).toContain('github: is in the configuration already')
    expect(JSON.parse(read('.cursor/mcp.json')).mcpServers.pml.env.GITHUB_TOKEN).toBe('very-secret-token')
  })

  it('--copy-secrets keeps the values in secrets.env, for the user alone', async () => {
    cursorFile({ github })
    windsurfFile({ slack: { command: 'slack', env: { SLACK_TOKEN: 'another-secret' } } })
    expect((await init(['--yes', '--copy-secrets'])).code).toBe(0)
    expect(read('pml/secrets.env')).toContain('GITHUB_TOKEN=very-secret-token\nSLACK_TOKEN=another-secret\n')
    if (process.platform !== 'win32') expect(statSync(place('pml/secrets.env')).mode & 0o777).toBe(0o600)
    expect(read('.cursor/mcp.json')).not.toContain('very-secret')
    expect(read('pml/pml.config.yaml')).not.toContain('secret-token')
    await init(['--undo'])
    expect(existsSync(place('pml/secrets.env'))).toBe(false)
    expect(read('.cursor/mcp.json')).toContain('very-secret')
  })

  it('it is told that only the client has the secrets, unless they are copied', async () => {
    cursorFile({ github })
    expect((await init(['--dry-run'])).stdout).toContain("note Only the client's own file has GITHUB_TOKEN:")
    expect((await init(['--dry-run', '--copy-secrets'])).stdout).not.toContain('note')
    const set = { GITHUB_TOKEN: 'very-secret-token' }
    expect((await init(['--dry-run'], undefined, set)).stdout).not.toContain('note')
  })

  it('adds to a configuration that is there, and keeps its form', async () => {
    write('work/pml.config.yaml', '# mine\nservers:\n  github: { url: "https://x.example/mcp" } # keep\n')
    cursorFile({ github })
    await init(['--yes'])
    const text = read('work/pml.config.yaml')
    expect(text.startsWith('# mine\nservers:\n  github: { url: "https://x.example/mcp" } # keep\n')).toBe(
      true,
    )
    expect(text).toContain('  github-cursor:\n')
    await init(['--undo'])
    expect(read('work/pml.config.yaml')).toBe(
      '# mine\nservers:\n  github: { url: "https://x.example/mcp" } # keep\n',
    )
  })

  it('--client limits it to some, --config says where', async () => {
    cursorFile({ github })
    windsurfFile({ slack: { command: 'slack' } })
    await init(['--yes', '--client', 'windsurf', '--config', 'mine.yaml'])
    expect(read('work/mine.yaml')).toContain('slack:')
    expect(read('work/mine.yaml')).not.toContain('github')
    expect(read('.cursor/mcp.json')).toContain('server-github')
    expect(JSON.parse(read('.codeium/windsurf/mcp_config.json')).mcpServers.pml.args.at(-1)).toBe(
      place('work/mine.yaml'),
    )
  })

  it('--json with --yes does it and names the backup', async () => {
    cursorFile({ github })
    const { code, stdout } = await init(['--yes', '--json'])
    expect(code).toBe(0)
    const { applied, backup } = JSON.parse(stdout)
    expect(applied).toBe(true)
    expect(readdirSync(backup)).toContain('manifest.json')
  })

  it('a file that cannot be read is told with its line; the others go on', async () => {
    write('.cursor/mcp.json', '{\n  "mcpServers": {\n    "a": nonsense\n')
    windsurfFile({ slack: { command: 'slack' } })
    const { code, stdout } = await init(['--yes'])
    expect(code).toBe(1)
    expect(stdout).toContain(`${place('.cursor/mcp.json')}:3: expected a value`)
    expect(read('pml/pml.config.yaml')).toContain('slack')
    expect(read('.cursor/mcp.json')).toContain('nonsense')
  })

  it('bytes that are no UTF-8 are not touched', async () => {
    mkdirSync(place('.cursor'))
    writeFileSync(place('.cursor/mcp.json'), Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))
    const { code, stdout } = await init(['--yes'])
    expect(code).toBe(1)
    expect(stdout).toContain('expected UTF-8')
  })

  it('where there is nothing, it says what to do', async () => {
    const { code, stdout } = await init([])
    expect(code).toBe(0)
    expect(stdout).toContain('pml add')
    expect(existsSync(home)).toBe(false)
  })
})

describe('the questions', () => {
  beforeEach(() => {
    cursorFile({ github })
    windsurfFile({ slack: { command: 'slack' } })
  })

  it('each is answered for itself', async () => {
    const { code, stdout, stderr } = await init([], ['y', 'n', 'yes', 'n'])
    expect(code).toBe(0)
    expect(stderr).toContain(
      `Write 2 servers to ${join(home, 'pml.config.yaml')}? [y/N] Point Cursor at PML? [y/N]`,
    )
    expect(read('.cursor/mcp.json')).toContain('server-github')
    expect(read('.codeium/windsurf/mcp_config.json')).toContain('pml')
    expect(stdout).toContain('GITHUB_TOKEN must be set')
  })

  it('secrets are copied when the person says so', async () => {
    const { stderr } = await init([], ['y', 'n', 'n', 'y'])
    expect(stderr).toContain('Keep one secret in secrets.env')
    expect(read('pml/secrets.env')).toContain('GITHUB_TOKEN=very-secret-token')
  })

  it.each([[['n']], [['']], [[]]])('%j changes nothing', async (answers) => {
    const { code, stdout } = await init([], answers)
    expect(code).toBe(1)
    expect(stdout).toContain('Nothing was changed.')
    expect(existsSync(home)).toBe(false)
  })
})

describe('--undo', () => {
  it('restores what was, and says so', async () => {
    cursorFile({ github })
    const before = read('.cursor/mcp.json')
    await init(['--yes'])
    const { code, stdout } = await init(['--undo'])
    expect(code).toBe(0)
    expect(stdout).toContain(`restored: ${place('.cursor/mcp.json')}`)
    expect(stdout).toContain(`removed: ${join(home, 'pml.config.yaml')}`)
    expect(read('.cursor/mcp.json')).toBe(before)
    expect((await init(['--undo'])).stdout).toContain('There is no init to take back.')
  })

  it('a file that was changed since is left alone, with the place of its copy', async () => {
    cursorFile({ github })
    await init(['--yes'])
    write('.cursor/mcp.json', '{"mine": true}')
    const { code, stdout } = await init(['--undo'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/changed since, left alone: .*mcp\.json\n {4}as it was: .*init-backups/)
    expect(read('.cursor/mcp.json')).toBe('{"mine": true}')
    expect((await init(['--undo', '--force', '--json'])).code).toBe(0)
    expect(read('.cursor/mcp.json')).toContain('very-secret')
  })
})

it.each([
  [['--client', 'curser'], 'Did you mean "cursor"?'],
  [['--force'], 'See: pml init --help'],
])('%j is a mistake, with a hint', async (argv, hint) => {
  const { code, stderr } = await init(argv)
  expect(code).toBe(2)
  expect(stderr).toContain(hint)
})
