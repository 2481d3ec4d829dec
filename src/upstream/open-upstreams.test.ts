import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  call,
  callText,
  closeAll,
  failure,
  fixture,
  fixturePath,
  isAlive,
  openTestUpstreams,
  startedUpstreams,
  waitFor,
} from '../../test/servers/fixtures.js'
import { createRedact } from '../model/redact.js'
import type { ToolId } from '../model/tool.js'
import type { Upstreams } from './upstreams.js'

afterEach(closeAll)

const stateOf = (upstreams: Upstreams, name: string) =>
  upstreams.servers().find((server) => server.name === name)!

describe('connecting', () => {
  test('nothing is spawned before start', () => {
    const upstreams = openTestUpstreams([fixture('echo')])
    expect(upstreams.servers()).toMatchObject([{ name: 'echo', status: 'waiting', pids: [] }])
  })

  test('a server of 2026-07-28 is listed and called', async () => {
    const upstreams = await startedUpstreams([fixture('echo')])
    expect(upstreams.servers()).toMatchObject([
      { status: 'ready', toolCount: 6, protocolVersion: '2026-07-28', fromSnapshot: false },
    ])
    expect(stateOf(upstreams, 'echo').serverInfo).toEqual({ name: 'echo', version: '1.0.0' })
    expect(upstreams.tools().map((tool) => tool.id)).toEqual(
      ['add', 'big', 'echo', 'env', 'fail', 'sleep'].map((name) => `echo:${name}`),
    )
    expect(await callText(upstreams, 'echo:echo', { text: 'hello' })).toBe('hello')
    expect(upstreams.eras()).toMatchObject({ echo: { kind: 'modern' } })
  })

  test.each(['answers', 'dies'])('an older server that %s at the probe is served too', async (onProbe) => {
    const config = fixture('legacy-only', { args: [fixturePath('legacy-only'), onProbe] })
    const upstreams = await startedUpstreams([config])
    expect(stateOf(upstreams, 'legacy-only')).toMatchObject({
      status: 'ready',
      protocolVersion: '2025-11-25',
    })
    expect(upstreams.eras()).toEqual({ 'legacy-only': { kind: 'legacy' } })
    expect(await callText(upstreams, 'legacy-only:greet', { name: 'you' })).toBe('hello you')
  })

  test('a server that is silent about the probe counts as an older one, within its connect time', async () => {
    const args = [fixturePath('legacy-only'), 'silent']
    const upstreams = await startedUpstreams([fixture('legacy-only', { args, connectTimeoutMs: 2500 })])
    expect(stateOf(upstreams, 'legacy-only').status).toBe('ready')
  })

  test('a remembered verdict saves the probe, and a wrong one is forgotten', async () => {
    const first = await startedUpstreams([fixture('echo')])
    const eras = first.eras()
    const again = await startedUpstreams([fixture('echo')], { eras })
    expect(stateOf(again, 'echo').protocolVersion).toBe('2026-07-28')
    const wrong = await startedUpstreams([fixture('legacy-only')], { eras: { 'legacy-only': eras.echo! } })
    expect(stateOf(wrong, 'legacy-only').status).toBe('ready')
    expect(wrong.eras()).toEqual({ 'legacy-only': { kind: 'legacy' } })
  })

  test('a remembered older revision is used without asking', async () => {
    const upstreams = await startedUpstreams([fixture('echo')], { eras: { echo: { kind: 'legacy' } } })
    expect(stateOf(upstreams, 'echo').protocolVersion).toBe('2025-11-25')
    expect(await callText(upstreams, 'echo:echo', { text: 'old' })).toBe('old')
  })

  test('one server that hangs and one that is missing block nobody', async () => {
    const upstreams = openTestUpstreams([
      fixture('hanging', { connectTimeoutMs: 1200 }),
      fixture('missing', { command: 'npx-that-is-not-there' }),
      fixture('echo'),
    ])
    upstreams.start()
    await waitFor(() => stateOf(upstreams, 'echo').status === 'ready')
    expect(await callText(upstreams, 'echo:echo', { text: 'up' })).toBe('up')
    await upstreams.settled({ timeoutMs: 5000 })
    expect(stateOf(upstreams, 'hanging')).toMatchObject({
      status: 'down',
      trouble: { kind: 'timeout', message: expect.stringContaining('thinking about it') },
      retryAt: expect.any(Number),
    })
    expect(stateOf(upstreams, 'missing')).toMatchObject({
      status: 'down',
      trouble: { kind: 'exit', message: expect.stringContaining('was not found: not on PATH') },
    })
  })

  test('only so many processes start at once; the others are waiting', async () => {
    const limits = {
      maxMessageBytes: 4_000_000,
      concurrentColdStarts: 1,
      concurrentCalls: 64,
      concurrentCallsPerServer: 16,
    }
    const names = ['a', 'b', 'c']
    const upstreams = openTestUpstreams(
      names.map((name) => fixture('counter', { name })),
      { limits },
    )
    const seen = new Set<string>()
    upstreams.onChange(() =>
      seen.add(
        upstreams
          .servers()
          .map(({ status }) => status)
          .join(),
      ),
    )
    upstreams.start()
    await upstreams.settled({ timeoutMs: 10_000 })
    for (const states of seen) expect(states.match(/connecting/g)?.length ?? 0).toBeLessThanOrEqual(1)
    expect(upstreams.servers().every(({ status }) => status === 'ready')).toBe(true)
  })

  test('the tools of an earlier run serve at once, and wait for their server when called', async () => {
    const before = await startedUpstreams([fixture('echo')])
    const known = before.tools()
    const upstreams = openTestUpstreams([fixture('echo')], {
      known,
      eras: before.eras(),
      tried: before.tried(),
    })
    expect(upstreams.tools()).toHaveLength(6)
    expect(stateOf(upstreams, 'echo')).toMatchObject({ fromSnapshot: true, toolCount: 6 })
    await upstreams.settled({ timeoutMs: 5000, onlyUnknown: true })
    upstreams.start()
    expect(await callText(upstreams, 'echo:echo', { text: 'early' })).toBe('early')
    expect(stateOf(upstreams, 'echo').fromSnapshot).toBe(false)
  })

  test('one server is waited for without the others', async () => {
    const upstreams = openTestUpstreams([fixture('echo'), fixture('hanging')])
    upstreams.start()
    const startedAt = Date.now()
    await upstreams.settled({ timeoutMs: 15_000, server: 'echo' })
    expect(stateOf(upstreams, 'echo').status).toBe('ready')
    expect(Date.now() - startedAt).toBeLessThan(10_000)
  })

  test('a disabled server is not started and says so', async () => {
    const upstreams = await startedUpstreams([fixture('echo', { disabled: true })])
    expect(upstreams.servers()).toMatchObject([{ status: 'disabled', pids: [] }])
    expect(await failure(call(upstreams, 'echo:echo', { text: '' }))).toMatchObject({
      code: 'UPSTREAM_OFFLINE',
      hint: 'Enable it in the configuration.',
    })
  })

  test('pages are followed to the end, and endless ones are not', async () => {
    const paged = (name: string, arg: string) => fixture('paged', { name, args: [fixturePath('paged'), arg] })
    const upstreams = await startedUpstreams([paged('many', '250'), paged('endless', 'endless')])
    expect(stateOf(upstreams, 'many').toolCount).toBe(250)
    expect(stateOf(upstreams, 'endless')).toMatchObject({ status: 'ready', toolCount: 8000 })
  })
})

describe('a child process', () => {
  test('gets its configured secret and nothing else of ours', async () => {
    process.env.PML_TEST_OTHER_SECRET = 'must-not-leak'
    process.env.HTTPS_PROXY = 'http://proxy.invalid'
    try {
      const upstreams = await startedUpstreams([fixture('echo', { env: { API_KEY: 'configured' } })])
      const env = (await call(upstreams, 'echo:env')).structuredContent as Record<string, string>
      expect(env.API_KEY).toBe('configured')
      // With the folder of our own Node behind it, where it was not there.
      expect(env.PATH?.startsWith(process.env.PATH ?? '')).toBe(true)
      const allowed = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TERM|TMPDIR|API_KEY)$/
      expect(Object.keys(env).filter((name) => !allowed.test(name))).toEqual([])
    } finally {
      delete process.env.PML_TEST_OTHER_SECRET
      delete process.env.HTTPS_PROXY
    }
  })

  test('is gone after close, and so are its descendants', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'pml-')), 'pid')
    const upstreams = await startedUpstreams([
      fixture('grandchild', { env: { GRANDCHILD_PID_FILE: file } }),
      fixture('counter'),
    ])
    expect(await callText(upstreams, 'grandchild:echo', { text: 'through' })).toBe('through')
    const pids = [...upstreams.servers().flatMap((server) => server.pids), Number(readFileSync(file, 'utf8'))]
    expect(pids).toHaveLength(3)
    expect(pids.every(isAlive)).toBe(true)
    const startedAt = Date.now()
    await upstreams.close()
    expect(Date.now() - startedAt).toBeLessThan(1600)
    expect(pids.filter(isAlive)).toEqual([])
  })

  test('that ignores the end of its input and SIGTERM is killed, behind a wrapper too', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'pml-')), 'pid')
    const args = [fixturePath('grandchild'), 'stubborn']
    const upstreams = await startedUpstreams([
      fixture('wrapped', { args, env: { GRANDCHILD_PID_FILE: file } }),
    ])
    const pids = [...stateOf(upstreams, 'wrapped').pids, Number(readFileSync(file, 'utf8'))]
    const startedAt = Date.now()
    await upstreams.close()
    expect(Date.now() - startedAt).toBeLessThan(1600)
    expect(pids.filter(isAlive)).toEqual([])
  })

  test('closing in the middle of a start leaves nothing behind', async () => {
    const upstreams = openTestUpstreams([fixture('hanging')])
    upstreams.start()
    await waitFor(() => stateOf(upstreams, 'hanging').status === 'connecting')
    await new Promise((resolve) => setTimeout(resolve, 150))
    const startedAt = Date.now()
    await upstreams.close()
    expect(Date.now() - startedAt).toBeLessThan(1600)
  })

  test('a start that our own end cuts short is no attempt, and says what it is to those who wait', async () => {
    const known = (await startedUpstreams([fixture('counter', { name: 'hanging' })])).tools()
    const tools = ['hanging', 'queued'].flatMap((server) =>
      known.map((tool) => ({ ...tool, server, id: `${server}:${tool.name}` as ToolId })),
    )
    const limits = {
      maxMessageBytes: 4_000_000,
      concurrentColdStarts: 1,
      concurrentCalls: 64,
      concurrentCallsPerServer: 16,
    }
    const eras = { hanging: { kind: 'legacy' } } as const
    const servers = [fixture('hanging'), fixture('hanging', { name: 'queued' })]
    const upstreams = openTestUpstreams(servers, { known: tools, limits, eras })
    upstreams.start()
    await waitFor(() => stateOf(upstreams, 'hanging').status === 'connecting')
    const waiting = ['hanging:pid', 'queued:pid'].map((id) => failure(call(upstreams, id)))
    await new Promise((resolve) => setTimeout(resolve, 150))
    await upstreams.reconfigure([])
    for (const error of await Promise.all(waiting)) {
      expect(error).toMatchObject({ code: 'UPSTREAM_OFFLINE', hint: expect.stringContaining('Call again') })
      expect(error.message).toContain('removed from the configuration')
    }
    expect(upstreams.tried()).toEqual([])
  })

  test('closing keeps what was learned of a server, and makes none a tried one', async () => {
    const eras = { hanging: { kind: 'legacy' } } as const
    const upstreams = openTestUpstreams([fixture('hanging'), fixture('echo')], { eras })
    upstreams.start()
    await waitFor(() => stateOf(upstreams, 'echo').status === 'ready')
    await upstreams.close()
    expect(upstreams.tried()).toEqual(['echo'])
    expect(upstreams.eras()).toMatchObject({ hanging: { kind: 'legacy' } })
  })

  test('that cannot be spawned is not remembered by the last resort', async () => {
    const before = process.listenerCount('exit')
    await startedUpstreams([fixture('missing', { command: 'npx-that-is-not-there' })])
    expect(process.listenerCount('exit')).toBe(before)
  })

  test('that dies in a call fails that call at once, says why without secrets, and comes back', async () => {
    const upstreams = await startedUpstreams([fixture('dying')], { redact: createRedact(['on fire']) })
    const startedAt = Date.now()
    const error = await failure(call(upstreams, 'dying:die'))
    expect(Date.now() - startedAt).toBeLessThan(1000)
    expect(error).toMatchObject({ code: 'UPSTREAM_EXIT', kind: 'exit' })
    expect(error.message).toContain('exited with code 3')
    expect(error.message).toContain('the disk is [redacted]')
    expect(stateOf(upstreams, 'dying')).toMatchObject({
      status: 'down',
      trouble: { kind: 'exit', message: expect.stringContaining('the disk is [redacted]') },
    })
    expect(stateOf(upstreams, 'dying').toolCount).toBe(2)
    await waitFor(() => stateOf(upstreams, 'dying').status === 'ready')
    expect(await callText(upstreams, 'dying:live')).toContain('alive')
  })

  test('that keeps dying is not started in a storm', async () => {
    const upstreams = await startedUpstreams([fixture('dying')])
    let starts = 0
    let last: number | undefined
    upstreams.onChange(() => {
      const [pid] = stateOf(upstreams, 'dying').pids
      if (pid !== undefined && pid !== last) starts += 1
      last = pid
    })
    const until = Date.now() + 2500
    while (Date.now() < until) {
      await call(upstreams, 'dying:die').catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    expect(starts).toBeLessThan(12)
  })
})

describe('stateful servers', () => {
  test('two sessions do not see each other, and each keeps its own connection', async () => {
    const upstreams = await startedUpstreams([fixture('counter', { stateful: true })])
    const as = (session: string) => callText(upstreams, 'counter:increment', {}, { session })
    expect([await as('a'), await as('a'), await as('b'), await as('a')]).toEqual(['1', '2', '1', '3'])
    expect(stateOf(upstreams, 'counter').pids).toHaveLength(3)
    const pid = Number(await callText(upstreams, 'counter:pid', {}, { session: 'a' }))
    upstreams.endSession('a')
    await waitFor(() => !isAlive(pid))
    expect(await as('a')).toBe('1')
    expect(await as('b')).toBe('2')
  })

  test('other servers share one connection that stays open', async () => {
    const upstreams = await startedUpstreams([fixture('counter')])
    const pids = new Set<string>()
    for (const session of ['a', 'b', 'c']) pids.add(await callText(upstreams, 'counter:pid', {}, { session }))
    expect(pids.size).toBe(1)
  })
})

describe('a new configuration', () => {
  test('starts what is new, ends what is gone, and leaves the rest untouched', async () => {
    const upstreams = await startedUpstreams([fixture('counter'), fixture('echo')])
    const kept = stateOf(upstreams, 'counter').pids[0]!
    const gone = stateOf(upstreams, 'echo').pids[0]!
    await upstreams.reconfigure([fixture('counter'), fixture('dying')])
    expect(isAlive(gone)).toBe(false)
    expect(stateOf(upstreams, 'counter').pids).toEqual([kept])
    expect(upstreams.tool('echo:echo' as never)).toBeUndefined()
    await upstreams.settled({ timeoutMs: 5000 })
    expect(upstreams.servers().map(({ name, status }) => [name, status])).toEqual([
      ['counter', 'ready'],
      ['dying', 'ready'],
    ])
    await upstreams.reconfigure([fixture('counter', { timeoutMs: 9999 })])
    expect(isAlive(kept)).toBe(false)
  })
})
