import { afterEach, describe, expect, it } from 'vitest'
import { UpstreamError, UpstreamRpcError } from '../errors.js'
import {
  dataOf,
  eventually,
  makeServer,
  makeTool,
  openTestGateway,
  type TestGateway,
  type TestGatewayOptions,
  textOf,
  ways,
} from './test-gateway.contract.js'

let house: TestGateway
afterEach(() => house.close())

describe.each(ways)('over %s', (_way, face, clientOptions) => {
  const open = async (options: TestGatewayOptions = {}) => {
    house = openTestGateway(options)
    return house[face](clientOptions)
  }
  const isModern = clientOptions.versionNegotiation.mode === 'auto'

  it('negotiates the revision the client speaks', async () => {
    const client = await open()
    expect(client.getNegotiatedProtocolVersion()).toBe(isModern ? '2026-07-28' : '2025-11-25')
  })

  it('lists our tools first, then the servers by wire name, with every field of a definition', async () => {
    const odd = {
      title: 'B',
      icons: [{ src: 'data:,' }],
      _meta: { own: 1 },
      annotations: { readOnlyHint: true },
      outputSchema: { type: 'object' as const },
    }
    const client = await open({ tools: [makeTool('z', 'a'), makeTool('a', 'b', odd)] })
    const { tools } = await client.listTools()
    expect(tools.map((tool) => tool.name)).toEqual([
      'discover',
      'execute_workflow',
      'execute_code',
      'control_workflow',
      'a__b',
      'z__a',
    ])
    expect(tools[4]).toMatchObject({ name: 'a__b', ...odd })
  })

  it('calls a tool by any form of its name, listed or not', async () => {
    const client = await open({ config: { exposure: 'meta' } })
    for (const name of ['files:read', 'files__read', 'read', 'mcp__pml__files__read', 'Files__Read'])
      expect(textOf(await client.callTool({ name, arguments: { text: name } }))).toBe(
        JSON.stringify({ text: name }),
      )
    expect(house.calls.map((call) => call.tool)).toEqual(Array(5).fill('files:read'))
  })

  it('passes a result through unchanged, fields and content it does not know included', async () => {
    const result = {
      content: [
        { type: 'text', text: 'a', annotations: { audience: ['user'], priority: 1 } },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'file:///a', name: 'a' },
      ],
      structuredContent: { a: [1, null, { b: 'x' }] },
      _meta: { own: { deep: true } },
      another: 'field',
    }
    const client = await open({ callTool: async () => result })
    const answer = await client.callTool({ name: 'files__read', arguments: {} })
    expect(answer).toMatchObject(result)
    expect(answer.content).toEqual(result.content)
  })

  it('passes a tool error on as the result it is', async () => {
    const client = await open({
      callTool: async () => ({ content: [{ type: 'text', text: 'no such file' }], isError: true }),
    })
    expect(await client.callTool({ name: 'files__read', arguments: {} })).toMatchObject({
      isError: true,
      content: [{ text: 'no such file' }],
    })
  })

  it('passes the JSON-RPC error of a server on with code, message and data', async () => {
    const client = await open({
      async callTool() {
        throw new UpstreamRpcError('files', -32050, 'quota used up', { retryAfter: 7 })
      },
    })
    await expect(client.callTool({ name: 'files__read', arguments: {} })).rejects.toMatchObject({
      code: -32050,
      message: expect.stringContaining('quota used up'),
      data: { retryAfter: 7 },
    })
  })

  it('answers an unknown tool with the closest names, as a result the agent can act on', async () => {
    const client = await open({
      servers: [makeServer('files'), makeServer('slow', { status: 'connecting' })],
    })
    const answer = await client.callTool({ name: 'files__raed', arguments: {} })
    expect(answer.isError).toBe(true)
    expect(dataOf(answer)).toMatchObject({
      error: { code: 'TOOL_NOT_FOUND', hint: expect.stringContaining('discover') },
    })
    expect(textOf(answer)).toMatch(/files:read.*slow/)
  })

  it('answers trouble with a server as a result that says what to do, without secrets', async () => {
    const client = await open({
      config: { secrets: ['sk-12345678'] },
      async callTool() {
        throw new UpstreamError('files', 'auth', 'token sk-12345678 was refused', 'Renew the token.')
      },
    })
    const answer = await client.callTool({ name: 'files__read', arguments: {} })
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'UPSTREAM_AUTH', hint: 'Renew the token.' } },
    })
    expect(JSON.stringify(answer)).not.toContain('sk-12345678')
  })

  it('does not call a quarantined tool, and says how to accept it', async () => {
    const changed = { definition: { name: 'read', inputSchema: {} }, hash: 'other', seenAt: 1 }
    const client = await open({
      tools: [makeTool('files', 'read', { changed })],
      config: { exposure: 'proxy' },
    })
    expect((await client.listTools()).tools).toEqual([])
    const answer = await client.callTool({ name: 'files__read', arguments: {} })
    expect(dataOf(answer)).toMatchObject({
      error: { code: 'TOOL_QUARANTINED', hint: expect.stringContaining('pml trust files:read') },
    })
    expect(house.calls).toEqual([])
  })

  it('carries progress of a call to the client that asked for it', async () => {
    const client = await open({
      async callTool(call) {
        call.onProgress?.({ progress: 1, total: 2, message: 'half' })
        await new Promise((resolve) => setTimeout(resolve, 20))
        return { content: [{ type: 'text', text: call.onProgress ? 'told' : 'silent' }] }
      },
    })
    const seen: unknown[] = []
    const answer = await client.callTool(
      { name: 'files__read', arguments: {} },
      { onprogress: (progress) => void seen.push(progress) },
    )
    expect(seen).toEqual([{ progress: 1, total: 2, message: 'half' }])
    expect(textOf(answer)).toBe('told')
    expect(textOf(await client.callTool({ name: 'files__read', arguments: {} }))).toBe('silent')
  })

  it('carries cancellation to the call', async () => {
    let reason: unknown
    const client = await open({
      callTool: (call) =>
        new Promise((_, reject) => {
          call.signal.addEventListener('abort', () => {
            reason = 'aborted'
            reject(new Error('aborted'))
          })
        }),
    })
    const stop = new AbortController()
    const call = client.callTool({ name: 'files__read', arguments: {} }, { signal: stop.signal })
    await eventually(
      () => house.calls.length,
      (count) => count === 1,
    )
    stop.abort('enough')
    await expect(call).rejects.toThrow()
    await eventually(
      () => reason,
      (value) => value === 'aborted',
    )
  })

  it('refuses parameters that are no tool call as invalid', async () => {
    const client = await open()
    await expect(client.callTool({ name: 'files__read', arguments: [] as never })).rejects.toMatchObject({
      code: -32602,
    })
  })

  it('tells the client when the list changed, and not when only a state did', async () => {
    const client = await open({ config: { exposure: 'proxy' } })
    let told = 0
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      told += 1
    })
    await client.listTools()
    if (isModern) await client.listen({ toolsListChanged: true })
    else await new Promise((resolve) => setTimeout(resolve, 50))
    house.setServers([makeServer('files', { status: 'down' })])
    house.setTools([makeTool('files', 'read', { tokens: 12 })])
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(told).toBe(0)
    house.setTools([makeTool('files', 'read'), makeTool('files', 'write')])
    await eventually(
      () => told,
      (count) => count === 1,
    )
    const { tools } = await client.listTools(undefined, { cacheMode: 'bypass' })
    expect(tools.map((tool) => tool.name)).toEqual(['files__read', 'files__write'])
  })
})
