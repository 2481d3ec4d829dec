/** The command on its routes and a real store; runs are only begun, and servers left out. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type CapabilitiesApi,
  openCapabilitiesApi,
  readFile,
} from '../../gateway/test-capabilities-api.contract.js'
import type { CliCommand, GatewayAccess } from '../cli-command.js'
import { parseCommand } from '../parse-command.js'
import { capabilitiesCommand } from './capabilities.js'

const folder = mkdtempSync(join(tmpdir(), 'pml-capabilities-command-'))
let api: CapabilitiesApi
let begun: unknown[]

beforeAll(async () => {
  api = await openCapabilitiesApi()
})
afterAll(async () => {
  await api.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  begun = []
  writeFileSync(join(folder, 'count.ts'), String(readFile.code))
  rmSync(join(folder, 'team.json'), { force: true })
})
afterEach(() => api.clear())

const ended = {
  id: 'run-1',
  status: 'complete',
  tasks: [{ id: 'run', tool: 'cap:x', status: 'complete', result: 7 }],
}

async function pml(argv: readonly string[], { typed = '', isTTY = false } = {}) {
  let [stdout, stderr] = ['', '']
  const command = capabilitiesCommand as unknown as CliCommand
  const code = await command.run({
    ...parseCommand(command, argv),
    io: {
      stdin: Object.assign(Readable.from([Buffer.from(typed)]), { isTTY }),
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      env: {},
      cwd: folder,
    },
    gateway: {
      withGateway: (_, use) =>
        use({
          get: async (path) => (path === '/api/status' ? { servers: [] } : api.get(path)),
          async post(path, body) {
            if (path !== '/api/run') return api.post(path, body)
            begun.push(body)
            return ended
          },
        }),
    } as GatewayAccess,
  })
  return { code, stdout, stderr }
}
const told = async (...argv: readonly string[]) => (await pml(argv)).stdout
const create = () => told('create', 'count.ts', '--name', 'count_letters', '--description', 'Counts letters.')
const names = async () =>
  JSON.parse(await told('--json')).capabilities.map(({ name }: { name: string }) => name)

describe('pml capabilities', () => {
  it('says where they come from while there is none', async () => {
    expect(await told()).toMatch(/^There are none yet\. They come with code that works/)
  })

  it('lists name, id, uses, success, time, risk, last use and what is called; what belongs together below', async () => {
    await create()
    writeFileSync(
      join(folder, 'two.ts'),
      'return (await capabilities.count_letters({ path: args.path })) + 1',
    )
    await told('create', 'two.ts', '--name', 'one_more')
    const at = Date.UTC(2126, 0, 2, 3, 4, 5)
    await api.use('count_letters', { at, ms: 1_500 })
    await api.use('count_letters', { at, success: false })
    const { id } = api.capabilities.find('count_letters')
    const lines = (await told('list')).split('\n')
    expect(lines[0]).toMatch(/^NAME +ID +USES +SUCCESS +MEAN +RISK +LAST USED \(UTC\) +CALLS$/)
    expect(lines[1]).toMatch(
      new RegExp(`^count_letters +${id} +2 +50 % +1\\.5 s +safe +2126-01-02 03:04:05 +files:read$`),
    )
    expect(lines[2]).toMatch(/^one_more +\S+ +0 +moderate +never +count_letters$/)
    expect(lines.slice(3).join('\n')).toBe(
      '\nThese belong together:\n  one_more calls count_letters\n\n2 procedures\n',
    )
  })

  it('shows hidden ones with --all, and why', async () => {
    await create()
    for (let i = 0; i < 6; i++) await api.use('count_letters', { ms: 1_000, callsMs: 100 })
    expect(await told()).toBe('0 procedures, and 1 hidden: see them with --all\n')
    const all = await told('--all')
    expect(all).toMatch(/^count_letters \(hidden\) +cap:/m)
    expect(all).toContain('Hidden, and why:\n  count_letters: Took 1000 ms, its calls one by one 100 ms.')
  })

  it('shows one: what it is for, takes, does, calls, and how it did', async () => {
    await told('create', 'count.ts', '--name', 'count_letters', '--intent', 'how long is it')
    await api.use('count_letters', { at: Date.UTC(2126, 0, 2), ms: 120, callsMs: 100 })
    const { id } = api.capabilities.find('count_letters')
    const today = new Date().toISOString().slice(0, 10)
    const shown = (await told('show', 'countLetters')).replaceAll(id, 'ID').replaceAll(today, 'TODAY')
    expect(shown).toMatchInlineSnapshot(`
      "count_letters  ID
      How long is it. Calls files:read.
      manual on TODAY, used 1 time, 1 with success, 120 ms in the mean, last on 2126-01-02 00:00:00

      RUN FOR
        how long is it

      ARGUMENTS
        NAME  TYPE              WHAT
        path  string  required  path of files:read

      CODE
        1  const text = await tools.files.read({ path: args.path })
        2  return text.length

      WHAT IT CALLS
        1  c1  files:read
             path  args.path

      TOOLS
        TOOL        RISK  WHY
        files:read  safe  Its server says that it only reads.

      RISK
        safe. All of its tools are safe.

      RELIABILITY
        .66 by its own uses; nothing is known against what it needs

      BENEFIT
        Shown. Used once lately: too few to judge by.

      LAST USES
        AT (UTC)             OUTCOME  TOOK    ITS CALLS ONE BY ONE
        2126-01-02 00:00:00  success  120 ms  100 ms
      "
    `)
    expect(JSON.parse(await told('show', id, '--json'))).toMatchObject({ id, tasks: [{ id: 'c1' }] })
  })

  it('draws loops, branches, data and what is only known in a run; nothing hides in code', async () => {
    writeFileSync(
      join(folder, 'odd.ts'),
      `// a\u202eb
const pages = await Promise.all(args.urls.map((url) => tools.web.fetch({ url })))
\tif (pages.length > 3) await tools.files.delete({ path: pages[0].path })
await tools[args.tool](args)
return pages`,
    )
    await told('create', 'odd.ts', '--name', 'odd')
    const shown = await told('show', 'odd')
    expect(shown).toContain('// a\\u{202e}b')
    expect(shown).toContain('  3    if (pages')
    expect(shown).toMatch(/c1 {2}web:fetch {2}for each of several\n +url {2}args\.urls\[\*\]/)
    expect(shown).toMatch(/c2 {2}files:delete {2}perhaps\n +needs {2}c1/)
    expect(shown).toMatch(/c3 {2}\(computed\)/)
  })

  it('makes one of a file or of standard input, once', async () => {
    expect(await create()).toMatch(
      /^count_letters is there: cap:count-letters-\w{6}\. It takes path\.\nTry it: /,
    )
    const again = await pml(['create', '-', '--name', 'other'], { typed: String(readFile.code) })
    expect(again.stdout).toContain('is there already: count_letters')
    expect(again.code).toBe(0)
    expect(JSON.parse(await told('create', 'count.ts', '--name', 'x', '--json'))).toMatchObject({
      isNew: false,
    })
    expect(await names()).toEqual(['count_letters'])
  })

  it('runs one as a workflow of its own, with arguments as it wants them', async () => {
    await create()
    const { id } = api.capabilities.find('count_letters')
    const run = (...argv: readonly string[]) => pml(['run', 'count_letters', ...argv])
    await run('path=5')
    await run('--arg', 'path=null')
    await run('--arguments', '{"path": "a b"}')
    writeFileSync(join(folder, 'given.json'), '{"path": "c"}')
    const { code, stdout } = await run('--arguments', '@given.json')
    const begin = (path: string) => ({ capability: id, arguments: { path }, follow: false })
    expect(begun).toEqual(['5', 'null', 'a b', 'c'].map(begin))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^TASK +TOOL +STATUS +TOOK +RESULT\nrun .* 7\n/)
    expect(JSON.parse((await run('path=a', '--json')).stdout)).toEqual(ended)
  })

  it('renames and describes', async () => {
    await create()
    expect(await told('rename', 'count_letters', 'length_of')).toMatch(
      /^cap:\S+ is length_of now: Counts letters\.\n$/,
    )
    expect(await told('rename', 'length_of', '--description', 'How long.')).toContain(
      'is length_of now: How long.',
    )
  })

  it('merges two', async () => {
    await create()
    writeFileSync(join(folder, 'other.ts'), 'return await tools.web.fetch({ url: args.url })')
    await told('create', 'other.ts', '--name', 'other')
    await api.use('other')
    expect(await told('merge', 'count_letters', 'other')).toBe(
      'other is gone; its uses are those of count_letters now: 1 use.\n',
    )
    expect(await names()).toEqual(['count_letters'])
  })

  it('asks before it forgets, at a terminal, and says who needs it', async () => {
    await create()
    writeFileSync(join(folder, 'two.ts'), 'return await capabilities.count_letters({ path: args.path })')
    await told('create', 'two.ts', '--name', 'caller')
    await expect(pml(['forget', 'count_letters'])).rejects.toThrow('There is no terminal to ask at.')
    const no = await pml(['forget', 'count_letters'], { typed: 'n\n', isTTY: true })
    expect(no).toMatchObject({ code: 1, stdout: 'Nothing was forgotten.\n' })
    expect(no.stderr).toContain(
      'Forget count_letters, used 0 times? Without it these do not work: caller. [y/N]',
    )
    const yes = await pml(['forget', 'count_letters'], { typed: 'y\n', isTTY: true })
    expect(yes).toMatchObject({
      code: 0,
      stdout: 'Forgot count_letters. Without it these do not work: caller.\n',
    })
    expect(await told('forget', 'caller', '--yes')).toBe('Forgot caller.\n')
  })

  it('goes out to a file of its owner alone and comes back, once it was seen and agreed to', async () => {
    await create()
    expect(JSON.parse(await told('export')).capabilities).toHaveLength(1)
    expect(await told('export', 'count_letters', '--out', 'team.json')).toBe(
      'Wrote team.json: 1 procedure (count_letters).\n',
    )
    expect(statSync(join(folder, 'team.json')).mode & 0o777).toBe(0o600)
    await expect(pml(['export', '--out', 'team.json'])).rejects.toThrow('team.json is there already.')
    expect(await told('import', 'team.json')).toBe('count_letters is there already.\n\nNothing was added.\n')

    await told('forget', 'count_letters', '--yes')
    const no = await pml(['import', 'team.json'], { typed: '\n', isTTY: true })
    expect(no.code).toBe(1)
    expect(no.stdout).toBe(`count_letters is new, safe: Counts letters.
  1. files:read
  | const text = await tools.files.read({ path: args.path })
  | return text.length
Nothing was added.
`)
    expect(await names()).toEqual([])
    expect(JSON.parse(await told('import', 'team.json', '--json'))).toMatchObject({
      isTrial: true,
      entries: [{ verdict: 'new' }],
    })
    expect(await names()).toEqual([])
    const yes = await pml(['import', 'team.json'], { typed: 'yes\n', isTTY: true })
    expect(yes.stdout).toMatch(/\nAdded 1 procedure: count_letters\.\n$/)
    expect(await names()).toEqual(['count_letters'])
  })

  it('shows foreign code so that nothing of it hides, and takes nothing that is not sound', async () => {
    await create()
    const file = JSON.parse(await told('export'))
    await told('forget', 'count_letters', '--yes')
    const [one] = file.capabilities
    const capabilities = [
      { ...one, code: '/* \u202e nice */ return await tools.far.off({ path: args.path })' },
      { ...one, name: 'broken', code: 'return (' },
    ]
    writeFileSync(join(folder, 'team.json'), JSON.stringify({ ...file, capabilities }))
    const { code, stdout } = await pml(['import', 'team.json', '--yes'])
    expect(code).toBe(1)
    expect(stdout).toContain('Not here: far:off. It cannot run before that is.')
    expect(stdout).toContain('Note: Its code is not the one that was exported')
    expect(stdout).toContain('| /* \\u{202e} nice */')
    expect(stdout).toContain('broken is not taken: Line 1')
    expect(stdout).toContain('Added 1 procedure: count_letters. Not taken: broken.')
    writeFileSync(join(folder, 'team.json'), '{"format": "pml-memory"}')
    await expect(pml(['import', 'team.json'])).rejects.toThrow('holds no capabilities of PML')
    writeFileSync(join(folder, 'team.json'), '{')
    await expect(pml(['import', 'team.json'])).rejects.toThrow('team.json is no JSON')
    expect(readFileSync(join(folder, 'team.json'), 'utf8')).toBe('{')
  })

  it('says what goes together, lists it and takes it back', async () => {
    await create()
    writeFileSync(join(folder, 'other.ts'), 'return await tools.web.fetch({ url: args.url })')
    await told('create', 'other.ts', '--name', 'other')
    expect(await told('depend')).toBe('Nothing is known yet of what goes together.\n')
    expect(await told('depend', 'other', 'count_letters')).toBe('other needs count_letters (dependency).\n')
    expect(await told('depend', 'other', 'count_letters', '--type', 'sequence')).toContain('comes before')
    expect(await told('depend', 'other')).toMatch(
      /^other +dependency \(needs\) +count_letters +a person +1 time/m,
    )
    expect(await told('depend', 'other', 'count_letters', '--remove')).toBe(
      'other and count_letters are no dependency any more.\n',
    )
    expect(JSON.parse(await told('depend', '--json')).dependencies).toMatchObject([{ type: 'sequence' }])
  })

  it.each([
    [['shw'], 'got "shw".'],
    [['list', 'x'], 'Unexpected: x.'],
    [['show'], 'Expected a name.'],
    [['show', 'a', 'b'], 'Unexpected: b.'],
    [['run'], 'Expected a name.'],
    [['run', 'x', 'nonsense'], 'Expected key=value, got "nonsense".'],
    [['run', 'x', '--arguments', '{'], 'Expected JSON in the arguments'],
    [['rename', 'x'], 'Expected the new name, or --description.'],
    [['merge', 'x'], 'Expected the name of the one that goes.'],
    [['forget'], 'Expected a name.'],
    [['import'], 'Expected a file.'],
    [['import', 'none.json'], 'Cannot read none.json'],
    [['create', 'count.ts'], 'Expected --name'],
    [['create', 'none.ts', '--name', 'x'], 'Cannot read none.ts'],
    [['depend', 'x', '--remove'], 'Expected two names with --remove.'],
    [['depend', 'x', 'y', '--type', 'friend'], 'Expected one of:'],
  ])('%j is refused before anything is done', async (argv, message) => {
    await expect(pml(argv)).rejects.toThrow(message)
  })
})
