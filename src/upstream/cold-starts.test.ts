import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { closeAll, fixture, fixturePath, openTestUpstreams, waitFor } from '../../test/servers/fixtures.js'
import { describeStart } from '../model/describe-start.js'
import { silentLog } from '../model/log.js'
import type { StdioServerConfig } from '../model/server.js'
import type { Upstreams } from './upstreams.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pml-cold-'))
})
afterEach(async () => {
  await closeAll()
  rmSync(folder, { recursive: true, force: true })
})

const limits = {
  maxMessageBytes: 4_000_000,
  concurrentColdStarts: 1,
  concurrentCalls: 64,
  concurrentCallsPerServer: 16,
}

/** An `npx` that downloads until the gate opens, and then is the echo server. */
function npxServer(name: string): StdioServerConfig {
  const npx = join(folder, 'npx')
  const gate = join(folder, 'gate')
  const wait = `while [ ! -e "${gate}" ]; do sleep 0.05; done`
  writeFileSync(npx, `#!/bin/sh\n${wait}\nexec "${process.execPath}" "${fixturePath('echo')}"\n`, {
    mode: 0o755,
  })
  const args = ['-y', `@scope/${name}`]
  return fixture('echo', { name, command: 'npx', args, env: { PATH: `${folder}:/usr/bin:/bin` } })
}

function stateOf(upstreams: Upstreams, name: string) {
  return upstreams.servers().find((server) => server.name === name)!
}

describe.skipIf(process.platform === 'win32')('starts that download', () => {
  test('are limited among themselves, shown with what they do, and keep no other server waiting', async () => {
    const names = ['first', 'second', 'third']
    const upstreams = openTestUpstreams([...names.map(npxServer), fixture('echo')], { limits })
    upstreams.start()
    await waitFor(() => stateOf(upstreams, 'echo').status === 'ready')
    const shown = names.map((name) =>
      describeStart(stateOf(upstreams, name), Date.now())!.replace(/\d+ s/, 'N s'),
    )
    expect(shown).toEqual([
      'npx is starting @scope/first, N s; a first start downloads it',
      'waits for its turn, N s; it is next',
      'waits for its turn, N s; 1 server starts before it',
    ])
    expect(names.map((name) => stateOf(upstreams, name).status)).toEqual(['connecting', 'waiting', 'waiting'])
    writeFileSync(join(folder, 'gate'), '')
    await waitFor(() => names.every((name) => stateOf(upstreams, name).status === 'ready'), 30_000)
    expect(stateOf(upstreams, 'third').start).toBeUndefined()
    expect(existsSync(join(folder, 'gate'))).toBe(true)
  })

  test('end at once when the gateway does', async () => {
    const upstreams = openTestUpstreams([npxServer('first'), npxServer('second')], { limits })
    upstreams.start()
    await waitFor(() => stateOf(upstreams, 'first').status === 'connecting')
    await upstreams.close()
  })
})

test('a server that hangs gives its place back, so that the next one starts', async () => {
  const hanging = fixture('hanging', { name: 'a', connectTimeoutMs: 120_000 })
  const upstreams = openTestUpstreams([hanging, fixture('echo')], { limits })
  upstreams.start()
  await waitFor(() => stateOf(upstreams, 'echo').start?.ahead === 0)
  await waitFor(() => stateOf(upstreams, 'echo').status === 'ready', 50_000)
  expect(stateOf(upstreams, 'a').status).toBe('connecting')
})

test('the same trouble at every attempt is warned of once', async () => {
  const told: string[] = []
  const log = {
    ...silentLog,
    warn: (message: string) => void told.push(`warn ${message}`),
    debug: (message: string) => void told.push(`debug ${message}`),
  }
  const gone = fixture('echo', { name: 'gone', args: [join(folder, 'none.js')] })
  const upstreams = openTestUpstreams([gone], { log })
  upstreams.start()
  const about = (level: string) =>
    told.filter((line) => line.startsWith(`${level} Server "gone": Error: Cannot find module`))
  await waitFor(() => about('debug').length >= 2, 30_000)
  expect(about('warn')).toHaveLength(1)
  const { trouble } = stateOf(upstreams, 'gone')
  expect(trouble?.message).toMatch(/Cannot find module '.*none\.js' \(the process exited with code 1\)$/)
  expect(trouble?.message).not.toContain('\n')
  expect(trouble?.detail).toContain('    at ')
})
