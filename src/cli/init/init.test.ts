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

  it('it is told when a gateway has the secrets of a client, unless they are copied', async () => {
    cursorFile({ github })
    const { stdout } = await init(['--dry-run'])
    expect(stdout).toContain(
      'note A gateway that something else started gets GITHUB_TOKEN when a client whose entry has it connects,',
    )
    expect(stdout).toContain('in secrets.env, for you alone to read: --copy-secrets')
    expect((await init(['--dry-run', '--copy-secrets'])).stdout).not.toContain('note')
    const set = { GITHUB_TOKEN: 'very-secret-token' }
    expect((await init(['--dry-run'], undefined, set)).stdout).not.toContain('note')
  })

  it('--yes tells each thing once: the difference, what it did, and when a gateway has the secrets', async () => {
    cursorFile({ github })
    const { stdout } = await init(['--yes'])
    const times = (text: string) => stdout.split(text).length - 1
    expect(times('+      GITHUB_TOKEN: ${GITHUB_TOKEN}')).toBe(1)
    expect(times(`\nChanged ${place('.cursor/mcp.json')}\n`)).toBe(1)
    expect(times('A gateway that something else started')).toBe(1)
    expect(times('pml init --undo, then pml init --copy-secrets')).toBe(1)
  })

  it('what a client asks for cannot be copied, and nobody is told that it could', async () => {
    const asked = { command: 'npx', args: ['github'], env: { GITHUB_TOKEN: '${input:token}' } }
    write('work/.vscode/mcp.json', { inputs: [{ id: 'token', type: 'promptString' }], servers: { asked } })
    for (const options of [['--dry-run'], ['--dry-run', '--copy-secrets'], ['--dry-run', '--no-connect']]) {
      const { stdout } = await init(options)
      expect(stdout).toContain('note GITHUB_TOKEN is what the client asks you for: PML does not know it')
      expect(stdout).not.toContain('--copy-secrets')
    }
    const { stderr } = await init([], ['y', 'y'])
    expect(stderr).not.toContain('secrets.env')
  })

  it('servers of other projects are left, and each project is named', async () => {
    const servers = { one: { command: 'one' }, two: { command: 'two' } }
    const pml = { command: 'pml', args: ['serve'] }
    write('.claude.json', {
      mcpServers: {},
      projects: {
        '/elsewhere': { mcpServers: servers },
        '/single': { mcpServers: { one: servers.one, pml } },
        '/empty': { mcpServers: {} },
        '/done': { mcpServers: { pml } },
        '/odd': [],
        [place('work')]: { mcpServers: { own: { command: 'own' } } },
      },
    })
    const { stdout } = await init(['--yes'])
    expect(stdout.match(/^note .*project.*$/gm)).toEqual([
      'note 2 servers of project /elsewhere are left: run init there',
      'note 1 server of project /single is left: run init there',
    ])
    expect(JSON.parse((await init(['--json'])).stdout).otherProjects).toEqual([
      { project: '/elsewhere', servers: 2 },
      { project: '/single', servers: 1 },
    ])
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

describe('--undo after the client wrote its file', () => {
  const servers =
    '{\n    "github": { "command": "npx",\n      "env": { "GITHUB_TOKEN": "very-secret-token" } }\n  }'
  const claudeFile = (startups: number, part = servers) =>
    `{\n  "numStartups": ${startups},\n  "mcpServers": ${part},\n  "projects": {}\n}\n`
  const copiesSince = () =>
    readdirSync(place('pml/init-backups'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('since-'),
    )
  const rewrite = (change: (state: { mcpServers: Record<string, unknown> }) => object) =>
    write('.claude.json', JSON.stringify(change(JSON.parse(read('.claude.json'))), undefined, '\t'))

  it('its servers come back as they were written, and the rest stays as it is', async () => {
    write('.claude.json', claudeFile(12))
    await init(['--yes', '--copy-secrets'])
    write('.claude.json', read('.claude.json').replace('12', '13'))
    const since = read('.claude.json')

    const dry = await init(['--undo', '--dry-run'])
    expect(dry.stdout).toContain(`its servers would be restored, the rest was changed since and stays`)
    expect([read('.claude.json'), copiesSince()]).toEqual([since, []])

    const { code, stdout } = await init(['--undo'])
    expect(code).toBe(0)
    expect(stdout).toContain(
      `its servers restored, the rest is as it was changed since: ${place('.claude.json')}`,
    )
    expect(read('.claude.json')).toBe(claudeFile(13))
    expect(copiesSince().map((name) => read(join('pml/init-backups', name)))).toEqual([since])
    expect(existsSync(place('pml/pml.config.yaml'))).toBe(false)
    expect(existsSync(place('pml/secrets.env'))).toBe(false)
    expect((await init(['--undo'])).stdout).toContain('There is no init to take back.')
  })

  it('it may have written all of it in another form', async () => {
    write('.claude.json', claudeFile(12))
    await init(['--yes'])
    rewrite(({ mcpServers, ...state }) => ({ mcpServers, ...state, numStartups: 13 }))
    expect((await init(['--undo'])).code).toBe(0)
    expect(read('.claude.json')).toContain(`"mcpServers": ${servers},\n\t"numStartups": 13`)
  })

  it("the user's part and the project's part of one file both come back, undo by undo", async () => {
    const own = (name: string) => ({ [name]: { command: name } })
    const state = (startups: number) => ({
      numStartups: startups,
      mcpServers: own('mine'),
      projects: { [place('work')]: { mcpServers: own('ours') } },
    })
    write('.claude.json', state(1))
    await init(['--yes'])
    rewrite((now) => ({ ...now, numStartups: 2, mcpServers: { ...now.mcpServers, ...own('later') } }))
    await init(['--yes'])
    rewrite((now) => ({ ...now, numStartups: 3 }))
    expect((await init(['--undo'])).code).toBe(0)
    expect(Object.keys(JSON.parse(read('.claude.json')).mcpServers)).toEqual(['pml', 'later'])
    rewrite(({ mcpServers: { later: _, ...mcpServers }, ...now }) => ({ ...now, mcpServers }))
    expect((await init(['--undo'])).code).toBe(0)
    expect(JSON.parse(read('.claude.json'))).toEqual(state(3))
  })

  it('Codex has its tables back', async () => {
    write('.codex/config.toml', 'model = "o4"\n\n[mcp_servers.a] # mine\ncommand = "a"\n')
    await init(['--yes'])
    write('.codex/config.toml', `${read('.codex/config.toml')}\n[projects."/x"]\ntrust_level = "trusted"\n`)
    expect((await init(['--undo'])).code).toBe(0)
    expect(read('.codex/config.toml')).toBe(
      'model = "o4"\n\n[projects."/x"]\ntrust_level = "trusted"\n\n[mcp_servers.a] # mine\ncommand = "a"\n',
    )
  })

  it('servers that somebody changed are left, with all that PML needs to start; --force keeps a copy', async () => {
    write('.claude.json', claudeFile(12))
    cursorFile({ slack: { command: 'slack' } })
    const cursorBefore = read('.cursor/mcp.json')
    await init(['--yes', '--copy-secrets'])
    rewrite((now) => ({
      ...now,
      numStartups: 13,
      mcpServers: { ...now.mcpServers, later: { command: 'x' } },
    }))
    const since = read('.claude.json')

    const { code, stdout } = await init(['--undo'])
    expect(code).toBe(1)
    expect(stdout).toContain(`changed since, left alone: ${place('.claude.json')}`)
    for (const file of ['pml/pml.config.yaml', 'pml/secrets.env']) {
      expect(stdout).toContain(`kept, because what is left alone needs it: ${place(file)}`)
      expect(existsSync(place(file))).toBe(true)
    }
    expect(read('.claude.json')).toBe(since)
    expect(read('.cursor/mcp.json')).toBe(cursorBefore)

    expect((await init(['--undo', '--force'])).code).toBe(0)
    expect(JSON.parse(read('.claude.json'))).toEqual(JSON.parse(claudeFile(13)))
    expect(copiesSince().map((name) => read(join('pml/init-backups', name)))).toEqual([since])
    expect(existsSync(place('pml/pml.config.yaml'))).toBe(false)
    expect(existsSync(place('pml/secrets.env'))).toBe(false)
  })

  it('a file that can no longer be read is left with all that PML needs, and --force copies it first', async () => {
    cursorFile({ github })
    const before = read('.cursor/mcp.json')
    await init(['--yes'])
    write('.cursor/mcp.json', '{ half')
    expect((await init(['--undo'])).code).toBe(1)
    expect(existsSync(place('pml/pml.config.yaml'))).toBe(true)
    const { code, stdout } = await init(['--undo', '--force'])
    expect(code).toBe(0)
    expect(read('.cursor/mcp.json')).toBe(before)
    const [copy] = copiesSince()
    expect(stdout).toContain(`as it was until now: ${join(place('pml/init-backups'), copy!)}`)
    expect(read(join('pml/init-backups', copy!))).toBe('{ half')
  })

  it('a client that starts PML no more needs no configuration', async () => {
    cursorFile({ github })
    await init(['--yes'])
    cursorFile({ other: { command: 'other' } })
    expect((await init(['--undo'])).code).toBe(1)
    expect(existsSync(place('pml/pml.config.yaml'))).toBe(false)
  })

  it('a configuration that the user changed keeps its secrets', async () => {
    cursorFile({ github })
    await init(['--yes', '--copy-secrets'])
    write('pml/pml.config.yaml', `${read('pml/pml.config.yaml')}# mine\n`)
    expect((await init(['--undo'])).code).toBe(1)
    expect(read('.cursor/mcp.json')).toContain('very-secret')
    expect(read('pml/secrets.env')).toContain('very-secret')
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
