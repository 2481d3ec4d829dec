import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isAlive, waitFor } from '../../test/servers/fixtures.js'
import { loginShellPath } from './login-shell-path.js'
import { createProgramFinder, type FinderOptions, isBare } from './program-finder.js'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pml-finder-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const bare = '/usr/bin:/bin:/usr/sbin:/sbin'

function program(path: string): string {
  const file = join(home, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '#!/bin/sh\n')
  chmodSync(file, 0o755)
  return file
}

/** Counts how often a shell was started, by a line that each writes. */
function rcFile(...lines: readonly string[]): void {
  writeFileSync(join(home, '.profile'), [`echo started >> ${home}/starts`, ...lines, ''].join('\n'))
}
const starts = (): number =>
  existsSync(join(home, 'starts')) ? readFileSync(join(home, 'starts'), 'utf8').split('\n').length - 1 : 0

function finder(path: string, changes: Partial<FinderOptions> = {}) {
  return createProgramFinder({
    env: { PATH: path, HOME: home },
    platform: process.platform,
    home,
    shell: '/bin/sh',
    shellTimeoutMs: 30_000,
    ...changes,
  })
}

describe.skipIf(process.platform === 'win32')('the PATH that servers are started with', () => {
  test('a command on our own PATH costs no shell, and the child gets our PATH and our Node', async () => {
    const tool = program('ours/tool')
    rcFile()
    const path = `${home}/ours:/usr/bin`
    expect(await finder(path).find('tool', {})).toEqual({
      file: tool,
      path: `${path}:${dirname(process.execPath)}`.replace(':/usr/bin:/usr/bin', ':/usr/bin'),
      searched: ['PATH'],
    })
    expect(starts()).toBe(0)
  })

  test('a command that the login shell alone knows is found, with the PATH that its wrapper needs', async () => {
    const tool = program('by-shell/tool')
    rcFile('echo "Welcome to this machine"', `export PATH="$PATH:${home}/by-shell"`, 'echo "a fortune" >&2')
    const found = await finder(`${home}/ours:/usr/bin`).find('tool', {})
    expect(found.file).toBe(tool)
    expect(found.path.split(':').slice(0, 2)).toEqual([`${home}/ours`, '/usr/bin'])
    expect(found.path.split(':')).toContain(dirname(process.execPath))
  })

  test('over a bare PATH what a terminal would start comes first', async () => {
    const tool = program('by-shell/ls')
    rcFile(`export PATH="${home}/by-shell:$PATH"`)
    expect((await finder(bare).find('ls', {})).file).toBe(tool)
  })

  test('the shell is asked once, however many ask at the same time or later', async () => {
    rcFile()
    const one = finder(bare)
    await Promise.all(['a', 'b', 'c'].map((command) => one.find(command, {})))
    await one.find('d', {})
    expect(starts()).toBe(1)
  })

  test('folders of installers are looked at where the shell knows nothing', async () => {
    const uvx = program('.local/bin/uvx')
    program('.nvm/versions/node/v9.9.9/bin/npx')
    const npx = program('.nvm/versions/node/v22.1.0/bin/npx')
    const one = finder(`${home}/ours`, { shell: undefined })
    expect((await one.find('uvx', {})).file).toBe(uvx)
    expect([npx, join(dirname(process.execPath), 'npx')]).toContain((await one.find('npx', {})).file)
  })

  test("a server's own PATH wins: nothing else is looked at, and it is passed on as it is", async () => {
    const tool = program('own/tool')
    program('ours/other')
    rcFile()
    const one = finder(`${home}/ours`)
    expect(await one.find('tool', { PATH: `${home}/own` })).toEqual({
      file: tool,
      path: `${home}/own`,
      searched: ['env.PATH of the server'],
    })
    expect((await one.find('other', { PATH: `${home}/own` })).file).toBeUndefined()
    expect(starts()).toBe(0)
  })

  test('a command that is nowhere says where it was looked for', async () => {
    rcFile()
    expect(await finder(bare).find('no-such-program', {})).toMatchObject({
      file: undefined,
      searched: ['PATH', 'the PATH of the login shell', 'the usual folders'],
    })
  })
})

test.skipIf(process.platform === 'win32')(
  'a shell that did not answer is named where a command is missing',
  async () => {
    rcFile('exit 3')
    expect((await finder(bare).find('no-such-program', {})).searched[1]).toBe(
      'the PATH of the login shell (/bin/sh ended without an answer (code 3))',
    )
  },
)

describe.skipIf(process.platform === 'win32')('asking the login shell', () => {
  const ask = (shell: string, timeoutMs = 30_000) =>
    loginShellPath({ shell, env: { PATH: bare, HOME: home }, timeoutMs })

  test('an rc file that hangs costs its time and no more, and leaves no process', async () => {
    rcFile(`sleep 600 & echo $! > ${home}/pid; echo $$ >> ${home}/pid`, 'wait')
    const answer = await ask('/bin/sh', 1500)
    expect(answer).toEqual({ shell: '/bin/sh', trouble: 'did not answer within 1500 ms' })
    // A machine so busy that the file was not even read has nothing to leave.
    const pids = existsSync(join(home, 'pid'))
      ? readFileSync(join(home, 'pid'), 'utf8').trim().split('\n')
      : []
    await waitFor(() => pids.every((pid) => !isAlive(Number(pid))))
  })

  test('an rc file that asks a question reads the end of its input', async () => {
    rcFile('read answer', `PATH="$PATH:/asked"; export PATH`)
    expect(await ask('/bin/sh')).toMatchObject({ path: expect.stringContaining(':/asked') })
  })

  test('an rc file that leaves is no answer', async () => {
    rcFile('exit 3')
    expect(await ask('/bin/sh')).toMatchObject({ trouble: 'ended without an answer (code 3)' })
  })

  test('one that writes without end is given up', async () => {
    rcFile('while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done')
    expect(await ask('/bin/sh')).toMatchObject({ trouble: 'writes without end' })
  })

  test.each([
    ['/usr/sbin/nologin', 'not a shell we know'],
    ['/no/such/bash', 'cannot be started (ENOENT)'],
  ])('%s is skipped with a reason', async (shell, trouble) => {
    expect(await ask(shell)).toMatchObject({ shell, trouble: expect.stringContaining(trouble) })
  })

  test.skipIf(!existsSync('/bin/bash'))('what .bashrc adds for terminals alone is seen too', async () => {
    writeFileSync(join(home, '.bash_profile'), '. ~/.bashrc\n')
    writeFileSync(join(home, '.bashrc'), 'case $- in *i*) export PATH="$PATH:/interactive";; esac\n')
    expect(await ask('/bin/bash')).toMatchObject({ path: expect.stringContaining(':/interactive') })
  })
})

test.each([
  [bare, true],
  ['', true],
  ['/usr/bin:/bin', true],
  ['/usr/local/bin:/usr/bin:/bin', false],
  ['/home/ada/bin', false],
])('%j is bare: %s', (path, expected) => {
  expect(isBare(path, 'darwin')).toBe(expected)
  expect(isBare(path, 'win32')).toBe(false)
})
