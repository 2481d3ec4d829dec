import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import {
  call,
  callText,
  closeAll,
  failure,
  httpServer,
  startedUpstreams,
  startWeb,
  waitFor,
} from '../../test/servers/fixtures.js'
import type { ToolProgress } from '../model/tool-call.js'

afterEach(closeAll)

describe('servers over HTTP', () => {
  test('Streamable HTTP of 2026-07-28: calls, progress, timeouts, cancellation', async () => {
    const { url } = await startWeb('http-echo')
    const upstreams = await startedUpstreams([httpServer(url)])
    expect(upstreams.servers()).toMatchObject([
      { status: 'ready', protocolVersion: '2026-07-28', toolCount: 6 },
    ])
    expect(await call(upstreams, 'web:add', { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } })
    const seen: ToolProgress[] = []
    await call(upstreams, 'web:sleep', { ms: 10 }, { onProgress: (progress) => seen.push(progress) })
    expect(seen).toHaveLength(2)
    expect(await failure(call(upstreams, 'web:sleep', { ms: 5000 }, { timeoutMs: 100 }))).toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
    })
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 50)
    expect(
      await failure(call(upstreams, 'web:sleep', { ms: 5000 }, { signal: controller.signal })),
    ).toMatchObject({ code: 'ABORTED' })
    expect(await callText(upstreams, 'web:echo', { text: 'still here' })).toBe('still here')
  })

  test('a body beyond the limit fails its call alone', async () => {
    const { url } = await startWeb('http-echo')
    const limits = {
      maxMessageBytes: 50_000,
      concurrentColdStarts: 4,
      concurrentCalls: 9,
      concurrentCallsPerServer: 9,
    }
    const upstreams = await startedUpstreams([httpServer(url)], { limits })
    expect(await failure(call(upstreams, 'web:big', { bytes: 100_000 }))).toMatchObject({
      code: 'MESSAGE_TOO_LARGE',
    })
    expect(await callText(upstreams, 'web:big', { bytes: 40_000 })).toHaveLength(40_000)
  })

  test('configured headers reach the server; without them the trouble is auth and says what to do', async () => {
    const { url } = await startWeb('http-echo', '--token', 's3cret-token')
    const upstreams = await startedUpstreams([
      httpServer(url, { headers: { Authorization: 'Bearer s3cret-token' } }),
      httpServer(url, { name: 'locked' }),
    ])
    expect(await callText(upstreams, 'web:echo', { text: 'in' })).toBe('in')
    expect(upstreams.servers()[0]).toMatchObject({
      name: 'locked',
      status: 'down',
      trouble: { kind: 'auth', hint: expect.stringContaining('header') },
    })
  })

  test('a server of the 2025 revisions that forgot our session is asked again under a new one', async () => {
    const { url } = await startWeb('http-session')
    const upstreams = await startedUpstreams([httpServer(url)])
    expect(upstreams.eras()).toEqual({ web: { kind: 'legacy' } })
    expect([await callText(upstreams, 'web:count'), await callText(upstreams, 'web:count')]).toEqual([
      '1',
      '2',
    ])
    await call(upstreams, 'web:forget')
    expect(await callText(upstreams, 'web:count')).toBe('1')
  })

  test.each([
    'http',
    'sse',
  ] as const)('the HTTP+SSE transport of 2024, asked for as %s', async (transport) => {
    const { url } = await startWeb('sse-legacy')
    const upstreams = await startedUpstreams([httpServer(url, { transport })])
    expect(upstreams.servers()).toMatchObject([{ status: 'ready' }])
    expect(await callText(upstreams, 'web:echo', { text: 'by SSE' })).toBe('by SSE')
  })

  test('nobody at the address: offline, and tried again', async () => {
    const { url, process } = await startWeb('http-echo')
    process.kill('SIGKILL')
    await once(process, 'exit')
    const upstreams = await startedUpstreams([httpServer(url)])
    expect(upstreams.servers()).toMatchObject([
      { status: 'down', trouble: { kind: 'offline', message: expect.stringContaining('ECONNREFUSED') } },
    ])
  })

  test.each([
    'http-echo',
    'sse-legacy',
  ])('a server that goes away is noticed without a call: %s', async (name) => {
    const { url, process } = await startWeb(name)
    const upstreams = await startedUpstreams([httpServer(url)])
    process.kill('SIGKILL')
    await waitFor(() => upstreams.servers()[0]?.status === 'down')
    expect(upstreams.servers()).toMatchObject([{ trouble: { kind: 'offline' } }])
    expect(upstreams.tools().length).toBeGreaterThan(0)
  })

  test('a server that comes back is found again', async () => {
    const first = await startWeb('http-echo')
    const upstreams = await startedUpstreams([httpServer(first.url)])
    first.process.kill('SIGKILL')
    await waitFor(() => upstreams.servers()[0]?.status === 'down')
    await startWeb('http-echo', '--port', new URL(first.url).port)
    await waitFor(() => upstreams.servers()[0]?.status === 'ready')
    expect(await callText(upstreams, 'web:echo', { text: 'back' })).toBe('back')
  })
})
