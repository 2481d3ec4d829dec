import { afterEach, describe, expect, test } from 'vitest'
import {
  call,
  callText,
  closeAll,
  failure,
  fixture,
  openTestUpstreams,
  startedUpstreams,
} from '../../test/servers/fixtures.js'
import { createRedact } from '../model/redact.js'
import type { ToolProgress } from '../model/tool-call.js'

afterEach(closeAll)

const limits = {
  maxMessageBytes: 100_000,
  concurrentColdStarts: 4,
  concurrentCalls: 64,
  concurrentCallsPerServer: 16,
}

describe('what is refused before it travels', () => {
  test('an unknown tool is answered with the closest names and the servers that cannot say yet', async () => {
    const upstreams = openTestUpstreams([fixture('echo'), fixture('hanging')])
    upstreams.start()
    await upstreams.settled({ timeoutMs: 60_000, server: 'echo' })
    expect(await failure(call(upstreams, 'echo:ecko'))).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      closest: expect.arrayContaining(['echo:echo']),
      notReady: ['hanging'],
    })
    expect(await failure(call(upstreams, 'nonsense'))).toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  test('arguments that do not fit never reach the server', async () => {
    const upstreams = await startedUpstreams([fixture('echo')])
    const error = await failure(call(upstreams, 'echo:add', { a: 'one' }))
    expect(error).toMatchObject({
      code: 'BAD_ARGUMENTS',
      issues: [
        { path: '/b', expected: 'is required' },
        { path: '/a', expected: 'must be number' },
      ],
    })
  })

  test('where validation is off, the server judges', async () => {
    const upstreams = await startedUpstreams([fixture('echo')], { validateArguments: false })
    const result = await call(upstreams, 'echo:add', { a: 'one' })
    expect(result.isError).toBe(true)
  })
})

describe('what comes back', () => {
  test('a result passes as the server sent it', async () => {
    const upstreams = await startedUpstreams([fixture('echo'), fixture('garbage')])
    expect(await call(upstreams, 'echo:add', { a: 2, b: 3 })).toMatchObject({
      content: [{ type: 'text', text: '{"sum":5}' }],
      structuredContent: { sum: 5 },
    })
    expect(await call(upstreams, 'echo:fail', { message: 'no' })).toMatchObject({ isError: true })
    expect(await call(upstreams, 'garbage:no_content')).toEqual({
      content: [],
      structuredContent: { a: 1 },
      custom: 'kept',
    })
  })

  test('a refusal keeps its code and data', async () => {
    const upstreams = await startedUpstreams([fixture('garbage')])
    expect(await failure(call(upstreams, 'garbage:refuse'))).toMatchObject({
      code: 'UPSTREAM_REFUSED',
      rpcCode: -32050,
      message: 'not today',
      data: { reason: 'rain' },
    })
  })

  test('a refusal that repeats a secret is cleaned of it', async () => {
    const upstreams = await startedUpstreams([fixture('garbage')], { redact: createRedact(['not today']) })
    expect(await failure(call(upstreams, 'garbage:refuse'))).toMatchObject({ message: '[redacted]' })
  })

  test('what breaks the protocol fails that call alone, with a typed error', async () => {
    const upstreams = await startedUpstreams([fixture('garbage')])
    expect(await failure(call(upstreams, 'garbage:null_result'))).toMatchObject({ code: 'UPSTREAM_PROTOCOL' })
    expect(await failure(call(upstreams, 'garbage:text_content'))).toMatchObject({
      code: 'UPSTREAM_PROTOCOL',
    })
    expect(await failure(call(upstreams, 'garbage:asks_back'))).toMatchObject({
      code: 'UPSTREAM_PROTOCOL',
      hint: expect.stringContaining('Give it everything'),
    })
    expect(await callText(upstreams, 'garbage:bad_utf8')).toBe('after bad bytes')
    expect(await callText(upstreams, 'garbage:twice')).toBe('first')
    expect(upstreams.servers()).toMatchObject([{ status: 'ready' }])
  })

  test('entries that are no tools are left out, and the rest of the list lives', async () => {
    const upstreams = await startedUpstreams([fixture('garbage')])
    expect(upstreams.tools().map((tool) => tool.name)).not.toContain('no_schema')
    expect(upstreams.tools()).toHaveLength(9)
  })

  test.each([
    'huge_id_first',
    'huge_id_last',
  ])('an answer beyond the limit fails its call at once: %s', async (name) => {
    const upstreams = await startedUpstreams([fixture('garbage')], { limits })
    const beside = callText(upstreams, 'garbage:twice')
    const error = await failure(call(upstreams, `garbage:${name}`, { bytes: 3_000_000 }))
    expect(error).toMatchObject({ code: 'MESSAGE_TOO_LARGE', limit: 100_000 })
    expect(await beside).toBe('first')
    expect(await callText(upstreams, 'garbage:bad_utf8')).toBe('after bad bytes')
  })

  test('noise on standard output breaks nothing', async () => {
    const upstreams = await startedUpstreams([fixture('noisy')])
    const texts = await Promise.all(
      ['a', 'b', 'c'].map((text) => callText(upstreams, 'noisy:shout', { text })),
    )
    expect(texts).toEqual(['A', 'B', 'C'])
  })

  test('progress reaches the caller', async () => {
    const upstreams = await startedUpstreams([fixture('echo')])
    const seen: ToolProgress[] = []
    await call(upstreams, 'echo:sleep', { ms: 20 }, { onProgress: (progress) => seen.push(progress) })
    expect(seen).toEqual([
      { progress: 0, total: 1 },
      { progress: 0.5, total: 1 },
    ])
  })

  test('a large answer within the limit arrives whole', async () => {
    const upstreams = await startedUpstreams([fixture('echo')])
    expect(await callText(upstreams, 'echo:big', { bytes: 3_000_000 })).toHaveLength(3_000_000)
  })
})

describe('time and its end', () => {
  test('a call that is not answered in time fails, and the server is told to stop', async () => {
    const upstreams = await startedUpstreams([fixture('silent-call')])
    const error = await failure(call(upstreams, 'silent-call:wait', {}, { timeoutMs: 100 }))
    expect(error).toMatchObject({ code: 'UPSTREAM_TIMEOUT', kind: 'timeout' })
    expect(JSON.parse(await callText(upstreams, 'silent-call:cancelled'))).toHaveLength(1)
  })

  test('a cancelled call ends at once, and the server is told to stop', async () => {
    const upstreams = await startedUpstreams([fixture('silent-call')])
    const controller = new AbortController()
    const pending = failure(call(upstreams, 'silent-call:wait', {}, { signal: controller.signal }))
    setTimeout(() => controller.abort(), 50)
    expect(await pending).toMatchObject({ code: 'ABORTED' })
    expect(JSON.parse(await callText(upstreams, 'silent-call:cancelled'))).toHaveLength(1)
    expect(
      await failure(call(upstreams, 'silent-call:wait', {}, { signal: controller.signal })),
    ).toMatchObject({
      code: 'ABORTED',
    })
  })

  test('a call waits for a server that is connecting no longer than its own time', async () => {
    const known = [...(await startedUpstreams([fixture('echo')])).tools()].map((tool) => ({
      ...tool,
      server: 'hanging',
      id: `hanging:${tool.name}` as never,
    }))
    const upstreams = openTestUpstreams([fixture('hanging')], { known })
    upstreams.start()
    const startedAt = Date.now()
    expect(await failure(call(upstreams, 'hanging:echo', { text: '' }, { timeoutMs: 200 }))).toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
    })
    expect(Date.now() - startedAt).toBeLessThan(1000)
  })

  test('calls beyond the limit of a server queue, and leave the queue when cancelled', async () => {
    const upstreams = await startedUpstreams([fixture('silent-call'), fixture('echo')], {
      limits: { ...limits, concurrentCallsPerServer: 1 },
    })
    const first = new AbortController()
    const second = new AbortController()
    const holding = failure(call(upstreams, 'silent-call:wait', {}, { signal: first.signal }))
    const queued = failure(call(upstreams, 'silent-call:wait', {}, { signal: second.signal }))
    const third = callText(upstreams, 'silent-call:cancelled')
    expect(await callText(upstreams, 'echo:echo', { text: 'free' })).toBe('free')
    second.abort()
    expect(await queued).toMatchObject({ code: 'ABORTED' })
    first.abort()
    expect(await holding).toMatchObject({ code: 'ABORTED' })
    expect(JSON.parse(await third)).toHaveLength(1)
  })

  test('a call to a server that is down tries it at once', async () => {
    const upstreams = await startedUpstreams([fixture('dying')])
    for (let round = 0; round < 3; round += 1) await call(upstreams, 'dying:die').catch(() => {})
    const retryAt = upstreams.servers()[0]?.retryAt ?? 0
    await new Promise((resolve) => setTimeout(resolve, 1100))
    expect(await callText(upstreams, 'dying:live')).toContain('alive')
    expect(retryAt).toBeGreaterThan(0)
  })
})
