import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadConfig } from './load-config.js'
import { addSecretsToText, parseSecrets } from './read-secrets-file.js'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pml-secrets-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

async function load(secrets: string | undefined, env: NodeJS.ProcessEnv = {}, mode = 0o600) {
  const file = join(home, 'pml.config.yaml')
  writeFileSync(file, 'servers:\n  a:\n    command: x\n    env: { T: "${A_TOKEN}", D: "${B:-none}" }\n')
  if (secrets !== undefined) {
    writeFileSync(join(home, 'secrets.env'), secrets)
    chmodSync(join(home, 'secrets.env'), mode)
  }
  const warnings: string[] = []
  const config = await loadConfig({
    file,
    env,
    cwd: home,
    home,
    onWarning: ({ message }) => warnings.push(message.replace(home, '')),
  })
  return { config, server: config.servers[0] as { env: Record<string, string> }, warnings }
}

it('answers references that the environment does not', async () => {
  const { server, warnings } = await load('# mine\nA_TOKEN=from the file\nB=b\n')
  expect(server.env).toEqual({ T: 'from the file', D: 'b' })
  expect(warnings).toEqual([])
  expect((await load('A_TOKEN=from the file\n', { A_TOKEN: 'from outside' })).server.env.T).toBe(
    'from outside',
  )
})

it('its values are secrets, used or not', async () => {
  const { config } = await load('A_TOKEN=aaaaaaaa\nUNUSED=bbbbbbbb\n')
  expect(config.secrets).toEqual(expect.arrayContaining(['aaaaaaaa', 'bbbbbbbb']))
})

it('without one a missing variable is told as ever', async () => {
  const { server, warnings } = await load(undefined)
  expect(server.env.T).toBe('')
  expect(warnings).toEqual([expect.stringContaining('A_TOKEN')])
})

it.skipIf(process.platform === 'win32')('warns when others may read it', async () => {
  const { server, warnings } = await load('A_TOKEN=aaaaaaaa\n', {}, 0o644)
  expect(server.env.T).toBe('aaaaaaaa')
  expect(warnings).toEqual([expect.stringContaining('chmod 600')])
})

it('a line that is none is a warning with its number, and tells nothing of itself', async () => {
  const { server, warnings } = await load('A_TOKEN=aaaaaaaa\nhunter2\n')
  expect(server.env.T).toBe('aaaaaaaa')
  expect(warnings).toEqual([expect.stringMatching(/secrets\.env:2: expected NAME=value$/)])
})

it.each([
  'plain',
  ' blank around ',
  'two\nlines',
  '"quoted"',
  "it's",
  '#5',
  'a=b=c',
  'back\\slash',
  'ümlaut ☺',
  '',
])('%j comes back as it was written', (value) => {
  const text = addSecretsToText('', { X: value })
  expect(parseSecrets(text, () => expect.unreachable())).toEqual({ X: value })
})

it('adding keeps what is there', () => {
  expect(addSecretsToText('# mine\nA=1', { A: '2', B: '3' })).toBe('# mine\nA=1\nB=3\n')
  expect(addSecretsToText('A=1\n', { A: '2' })).toBe('A=1\n')
})
