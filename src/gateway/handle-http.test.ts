import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { formatToolId } from '../model/tool.js'
import {
  dataOf,
  eventually,
  makeServer,
  makeTool,
  openTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from './test-gateway.contract.js'
import { makeSpeculation } from './test-speculation.contract.js'

let house: TestGateway
afterEach(() => house.close())

const open = async (options: TestGatewayOptions = {}, via: 'tcp' | 'local' = 'tcp'): Promise<string> => {
  house = openTestGateway(options)
  return house.listen(via)
}

/** fetch forbids a Host header of one's own. */
function ask(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      { method: options.method ?? 'GET', headers: options.headers ?? {} },
      (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
      },
    )
    request.on('error', reject)
    request.end(options.body)
  })
}
const rpcHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

describe('who may come in', () => {
  it.each([
    ['a foreign Host', { host: 'evil.example' }, 403],
    ['a rebound Host', { host: 'evil.example:80' }, 403],
    ['a foreign Origin', { origin: 'https://evil.example' }, 403],
    ['an Origin of null', { origin: 'null' }, 403],
    ['a loopback Origin', { origin: 'http://localhost:3000' }, 200],
    ['localhost', { host: 'localhost' }, 200],
  ])('%s', async (_what, headers, status) => {
    const url = await open()
    expect((await ask(`${url}/status.json`, { headers })).status).toBe(status)
    const call = { method: 'POST', headers: { ...rpcHeaders, ...headers }, body: '{}' }
    expect((await ask(`${url}/mcp`, call)).status === 403).toBe(status === 403)
  })

  it('beyond loopback nothing but /healthz is served without the token', async () => {
    const url = await open({ config: { http: { host: '0.0.0.0', port: 0, token: 'the-right-token' } } })
    for (const path of [
      '/',
      '/status.json',
      '/metrics',
      '/runs.json',
      '/events',
      '/decisions/x',
      '/mcp',
      '/none',
    ]) {
      const refused = await ask(url + path)
      expect([path, refused.status, refused.headers['www-authenticate']]).toEqual([
        path,
        401,
        expect.stringMatching(/^Bearer/),
      ])
      expect((await ask(url + path, { headers: { authorization: 'Bearer the-wrong-token' } })).status).toBe(
        401,
      )
    }
    expect((await ask(`${url}/healthz`)).status).toBe(200)
    const headers = { authorization: 'Bearer the-right-token', host: 'gateway.example' }
    expect((await ask(`${url}/status.json`, { headers })).status).toBe(200)
  })

  it('beyond loopback and without a configured token nothing is served at all', async () => {
    const url = await open({ config: { http: { host: '0.0.0.0', port: 0 } } })
    expect((await ask(`${url}/`, { headers: { authorization: 'Bearer undefined' } })).status).toBe(401)
  })

  it('a token configured on loopback is asked for too', async () => {
    const url = await open({ config: { http: { host: '127.0.0.1', port: 0, token: 'the-right-token' } } })
    expect((await ask(`${url}/`)).status).toBe(401)
  })

  it('the API is on the local socket alone', async () => {
    expect((await ask(`${await open()}/api/status`)).status).toBe(404)
  })
})

describe('/mcp', () => {
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  })
  const start = async (url: string): Promise<string> => {
    const answer = await ask(`${url}/mcp`, { method: 'POST', headers: rpcHeaders, body: initialize })
    return answer.headers['mcp-session-id'] as string
  }

  it('a session unknown here answers 404, so that the client starts anew', async () => {
    const url = await open()
    const headers = { ...rpcHeaders, 'mcp-session-id': 'from-before-the-restart' }
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    expect((await ask(`${url}/mcp`, { method: 'POST', headers, body })).status).toBe(404)
    expect((await ask(`${url}/mcp`, { headers })).status).toBe(404)
    expect((await ask(`${url}/mcp`, { method: 'POST', headers: rpcHeaders, body })).status).toBe(400)
  })

  it('a session lives until it is deleted, which ends it for the servers too', async () => {
    const url = await open()
    const headers = { ...rpcHeaders, 'mcp-session-id': await start(url) }
    const body = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{}}}'
    expect((await ask(`${url}/mcp`, { method: 'POST', headers, body })).text).toContain('"result"')
    expect((await ask(`${url}/mcp`, { method: 'DELETE', headers })).status).toBe(200)
    expect(house.ended).toEqual([house.calls[0]!.session])
    expect((await ask(`${url}/mcp`, { method: 'POST', headers, body })).status).toBe(404)
  })

  it('the number of sessions is bounded: the one idle longest goes', async () => {
    const url = await open()
    const first = await start(url)
    for (let i = 0; i < 1_000; i++) await start(url)
    const headers = { ...rpcHeaders, 'mcp-session-id': first }
    expect(
      (await ask(`${url}/mcp`, { method: 'POST', headers, body: '{"jsonrpc":"2.0","id":2,"method":"ping"}' }))
        .status,
    ).toBe(404)
    expect(house.ended.length).toBe(1)
  })

  it.each([
    ['PUT', { method: 'PUT' }, 405],
    [
      'another content type',
      { method: 'POST', headers: { 'content-type': 'text/plain' }, body: initialize },
      415,
    ],
    ['no JSON', { method: 'POST', headers: rpcHeaders, body: '{' }, 400],
    ['no UTF-8', { method: 'POST', headers: rpcHeaders, body: Buffer.from([0x22, 0xff, 0x22]) }, 400],
    ['nothing', { method: 'POST', headers: rpcHeaders, body: '' }, 400],
    ['too much', { method: 'POST', headers: rpcHeaders, body: `"${'x'.repeat(1_100_000)}"` }, 413],
  ])('refuses %s', async (_what, options, status) => {
    const answer = await ask(`${await open()}/mcp`, options)
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: expect.any(Number) },
    })
  })

  it('a body sent in chunks without a length is bounded too', async () => {
    const url = await open()
    const status = await new Promise<number>((resolve, reject) => {
      const request = httpRequest(`${url}/mcp`, { method: 'POST', headers: rpcHeaders }, (response) => {
        response.resume()
        resolve(response.statusCode!)
      })
      request.on('error', reject)
      for (let i = 0; i < 40; i++) request.write('x'.repeat(50_000))
      request.end()
    })
    expect(status).toBe(413)
  })

  const suite = new URL('../../../shared/corpora/json-test-suite/test_parsing/', import.meta.url)
  it.skipIf(!existsSync(suite))(
    'every file of the JSON test suite is answered with a typed error (skipped where ../shared is absent)',
    async () => {
      const url = await open()
      for (const file of readdirSync(suite)) {
        const body = readFileSync(new URL(encodeURIComponent(file), suite))
        const answer = await ask(`${url}/mcp`, { method: 'POST', headers: rpcHeaders, body })
        expect([file, answer.status]).toEqual([file, 400])
        expect(JSON.parse(answer.text).error.code).toBeLessThan(0)
      }
      expect((await ask(`${url}/healthz`)).status).toBe(200)
    },
  )

  it('a client of 2026 that goes away cancels its call', async () => {
    const url = await open({ callTool: () => new Promise(() => {}) })
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const stop = new AbortController()
    const gone = fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        ...rpcHeaders,
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'read',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'read', arguments: {}, _meta },
      }),
      signal: stop.signal,
    })
    const call = await eventually(
      () => house.calls[0],
      (one) => one !== undefined,
    )
    stop.abort()
    await expect(gone).rejects.toThrow()
    await eventually(
      () => call!.signal.aborted,
      (aborted) => aborted,
    )
  })
})

it('nesting as deep as a message allows is answered over HTTP too, in both directions', async () => {
  let deep: unknown = 1
  for (let i = 0; i < 100_000; i++) deep = [deep]
  const url = await open({ callTool: async () => ({ content: [], structuredContent: { deep } as never }) })
  const _meta =
    '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
  const headers = {
    ...rpcHeaders,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'read',
  }
  for (const args of ['{}', `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`]) {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":${args},"_meta":${_meta}}}`
    expect((await ask(`${url}/mcp`, { method: 'POST', headers, body })).text).toContain('rror')
  }
})

describe('the page', () => {
  it('shows servers with their trouble, tools, runs and what waits for a person', async () => {
    const trouble = { kind: 'exit', message: 'it exited with 1', hint: 'Install it.', at: 1 } as const
    const changed = { definition: { name: 'send', inputSchema: {} }, hash: 'other', seenAt: 1 }
    const url = await open({
      tools: [makeTool('files', 'read', { tokens: 1_234 }), makeTool('mail', 'send', { changed })],
      servers: [makeServer('files'), makeServer('mail', { status: 'down', trouble })],
    })
    const client = await house.http()
    await client.callTool({
      name: 'execute_workflow',
      arguments: { intent: 'a first run', tasks: [{ id: 'a', tool: 'read' }] },
    })
    const { status, headers, text } = await ask(`${url}/`)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    for (const shown of [
      'files:read',
      '1,234',
      'it exited with 1',
      'Install it.',
      'pml trust mail:send',
      'a first run',
      '0.0.0-test',
    ])
      expect(text).toContain(shown)
  })

  it('escapes everything, runs nothing but its own script and loads nothing from anywhere', async () => {
    const evil = '</td><script>alert(1)</script><img src=x onerror=alert(1)>"\'&\u202e'
    const url = await open({
      tools: [makeTool('files', evil, { description: evil, tokens: 5 })],
      config: { source: evil },
    })
    const { headers, text } = await ask(`${url}/`)
    expect(text).not.toContain('<img')
    expect(text.match(/<script/g)?.length).toBe(1)
    expect(text).not.toMatch(/<[^>]*\s(?:src|href)=/)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/)
  })

  it('shows no secret', async () => {
    const tools = [makeTool('files', 'read', { description: 'Uses sk-12345678.' })]
    const url = await open({ tools, config: { secrets: ['sk-12345678'], source: '/x/sk-12345678' } })
    for (const path of ['/', '/status.json'])
      expect((await ask(url + path)).text).not.toContain('sk-12345678')
  })

  it('stays readable with thousands of tools', async () => {
    const tools = Array.from({ length: 5_000 }, (_, i) => makeTool('many', `tool_${i}`, { tokens: 10 }))
    const { text } = await ask(`${await open({ tools })}/`)
    expect(text).toContain('4800 more')
    expect(text.length).toBeLessThan(200_000)
  })
})

it('/status.json tells what is going on', async () => {
  const url = await open({ tools: [makeTool('files', 'read', { tokens: 12 })] })
  house.gateway.announce('http://127.0.0.1:3000/')
  expect(JSON.parse((await ask(`${url}/status.json`)).text)).toMatchObject({
    version: '0.0.0-test',
    pid: process.pid,
    uptimeMs: expect.any(Number),
    config: '/home/someone/.mcp.json',
    http: 'http://127.0.0.1:3000/',
    exposure: { mode: 'auto', effective: 'direct' },
    listing: { tools: 5 },
    tools: { known: 1, callable: 1, quarantined: 0 },
    servers: [{ name: 'files', status: 'ready' }],
    runs: [],
  })
})

it('/metrics tells Prometheus what was run ahead and how calls went, without secrets', async () => {
  const url = await open({
    config: { secrets: ['sk-12345678'] },
    async callTool({ arguments: { fails } }) {
      return { content: [], ...(fails === true && { isError: true }) }
    },
  })
  house.metrics.take(makeSpeculation({ outcome: 'hit', savedMs: 250 }))
  house.metrics.take(makeSpeculation({ tool: formatToolId('files', 'sk-12345678') }))
  const client = await house.stream()
  for (const fails of [false, false, true])
    await client.callTool({ name: 'files__read', arguments: { fails } })
  await client.callTool({
    name: 'execute_workflow',
    arguments: { tasks: [{ id: 'a', tool: 'files:read', arguments: {} }] },
  })
  const answer = await ask(`${url}/metrics`)
  expect([answer.status, answer.headers['content-type']]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  const lines = answer.text.split('\n')
  expect(lines).toContain('pml_speculation_hits_total{tool="files:read"} 1')
  expect(lines).toContain('pml_speculation_saved_seconds_total{tool="files:read"} 0.25')
  expect(lines).toContain('pml_tool_calls_total{server="files",ok="true"} 3')
  expect(lines).toContain('pml_tool_calls_total{server="files",ok="false"} 1')
  expect(answer.text).not.toContain('sk-12345678')
  const { speculation } = JSON.parse((await ask(`${url}/status.json`)).text)
  expect(speculation).toMatchObject({ mode: 'on', preset: 'careful', figures: { started: 2, hits: 1 } })
  expect((await ask(`${url}/`)).text).toContain(
    'speculation on (careful): 1 of 2 calls run ahead were used, 250 ms saved',
  )
})

it('other paths answer 404, other methods 405', async () => {
  const url = await open()
  expect((await ask(`${url}/none`)).status).toBe(404)
  for (const path of [
    '/',
    '/status.json',
    '/metrics',
    '/runs.json',
    '/decisions.json',
    '/events',
    '/healthz',
  ]) {
    const answer = await ask(url + path, { method: 'POST', body: 'x' })
    expect([path, answer.status, answer.headers.allow]).toEqual([path, 405, 'GET, HEAD'])
  }
})

describe('the API', () => {
  const post = async (url: string, path: string, body: unknown) => {
    const answer = await ask(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: answer.status, data: JSON.parse(answer.text) }
  }

  it('lists tools with their state', async () => {
    const url = await open(
      { tools: [makeTool('a', 'b', { tokens: 9 }), makeTool('a', 'gone', { listed: false })] },
      'local',
    )
    expect(JSON.parse((await ask(`${url}/api/tools`)).text).tools).toMatchObject([
      { id: 'a:b', name: 'a__b', state: 'ready', tokens: 9, signature: 'a__b(text?: string)' },
      { id: 'a:gone', state: 'gone' },
    ])
  })

  it('searches', async () => {
    const url = await open({}, 'local')
    expect(await post(url, '/api/search', { query: 'read', limit: 3 })).toMatchObject({
      status: 200,
      data: { tools: [{ id: 'files:read' }], servers: [] },
    })
  })

  it('calls a tool and returns its result whole; the session ends with it', async () => {
    const text = 'x'.repeat(100_000)
    const url = await open({ callTool: async () => ({ content: [{ type: 'text', text }] }) }, 'local')
    const { status, data } = await post(url, '/api/call', {
      tool: 'files__read',
      arguments: { text: 'a' },
      timeoutMs: 5,
    })
    expect([status, data.content[0].text]).toEqual([200, text])
    expect(house.calls[0]).toMatchObject({ tool: 'files:read', arguments: { text: 'a' }, timeoutMs: 5 })
    expect(house.ended).toEqual([house.calls[0]!.session])
  })

  it('runs tasks to the end and finds the run again', async () => {
    const url = await open({}, 'local')
    const { data: run } = await post(url, '/api/run', { tasks: [{ id: 'a', tool: 'read' }], intent: 'try' })
    expect(run).toMatchObject({ status: 'complete', intent: 'try', tasks: [{ id: 'a', status: 'complete' }] })
    expect(JSON.parse((await ask(`${url}/api/runs`)).text).runs[0].id).toBe(run.id)
    expect(JSON.parse((await ask(`${url}/api/runs/${run.id}`)).text)).toEqual(run)
    expect((await ask(`${url}/api/status`)).text).toContain(run.id)
  })

  it('shows the change of a quarantined tool, then accepts it', async () => {
    const definition = { name: 'read', description: 'Does evil.', inputSchema: {} }
    const tools = [
      makeTool('files', 'read', { changed: { definition, hash: 'other', seenAt: 1 } }),
      makeTool('files', 'write'),
    ]
    const url = await open({ tools }, 'local')
    const { data } = await post(url, '/api/trust', {})
    expect(data.quarantined).toMatchObject([
      { id: 'files:read', hash: 'other', diff: expect.stringContaining('+ description: Does evil.') },
    ])
    expect(house.trusted).toEqual([])
    expect(await post(url, '/api/trust', { accept: [{ id: 'files:read', hash: 'other' }] })).toMatchObject({
      data: { accepted: ['files:read'] },
    })
    expect(house.trusted).toEqual(['files:read'])
  })

  it.each([
    ['/api/call', { tool: 'nothing-like-it' }, 404, 'TOOL_NOT_FOUND'],
    ['/api/call', {}, 400, 'USAGE'],
    ['/api/call', [], 400, 'USAGE'],
    ['/api/call', '{', 400, 'USAGE'],
    ['/api/call', { tool: 'read', arguments: 'x' }, 400, 'USAGE'],
    ['/api/call', { tool: 'read', timeoutMs: 0 }, 400, 'USAGE'],
    ['/api/call', { tool: 'read', timeoutMs: 1.5 }, 400, 'USAGE'],
    ['/api/call', { tool: 'read', timeoutMs: '5' }, 400, 'USAGE'],
    ['/api/run', { tasks: [] }, 400, 'BAD_TASKS'],
    ['/api/trust', { ids: ['none'] }, 404, 'TOOL_NOT_FOUND'],
    ['/api/trust', { accept: ['files:read'] }, 400, 'USAGE'],
    ['/api/none', {}, 404, 'NOT_FOUND'],
  ])('%s %j answers %i %s', async (path, body, status, code) => {
    const url = await open({}, 'local')
    expect(await post(url, path, body)).toMatchObject({
      status,
      data: { error: { code, message: expect.any(String), hint: expect.any(String) } },
    })
  })

  it('errors carry no secret', async () => {
    const url = await open({ config: { secrets: ['sk-12345678'] } }, 'local')
    const { data } = await post(url, '/api/call', { tool: 'sk-12345678' })
    expect(JSON.stringify(data)).not.toContain('sk-12345678')
  })

  it('the errors of a run carry no secret either', async () => {
    const callTool = async () => Promise.reject(new Error('refused the key sk-12345678'))
    const url = await open({ callTool, config: { secrets: ['sk-12345678'] } }, 'local')
    const { data } = await post(url, '/api/run', { tasks: [{ id: 'a', tool: 'read' }] })
    expect(data).toMatchObject({
      status: 'failed',
      tasks: [{ error: { message: expect.stringContaining('refused the key [redacted]') } }],
    })
  })

  it('runs nothing for a client that went away while its tasks were planned', async () => {
    let settle = (): void => {}
    const settled = new Promise<void>((resolve) => {
      settle = resolve
    })
    let waiting = false
    const url = await open(
      {
        tools: [],
        servers: [makeServer('files', { status: 'connecting' })],
        settled() {
          waiting = true
          return settled
        },
      },
      'local',
    )
    const stop = new AbortController()
    const gone = fetch(`${url}/api/run`, {
      method: 'POST',
      body: JSON.stringify({ tasks: [{ id: 'a', tool: 'files:read' }] }),
      signal: stop.signal,
    })
    await eventually(
      () => waiting,
      (yes) => yes,
    )
    stop.abort()
    await expect(gone).rejects.toThrow()
    await new Promise((resolve) => setTimeout(resolve, 50))
    house.setTools([makeTool('files', 'read')])
    settle()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(house.calls).toEqual([])
    expect(JSON.parse((await ask(`${url}/api/runs`)).text).runs).toEqual([])
  })

  it('a run that is unknown is not found', async () => {
    expect((await ask(`${await open({}, 'local')}/api/runs/none`)).status).toBe(404)
  })
})

it('a huge result is read on as a resource, also where our tools are not listed', async () => {
  house = openTestGateway({
    config: { exposure: 'proxy' },
    callTool: async () => ({ content: [{ type: 'text', text: 'line\n'.repeat(10_000) }] }),
  })
  const client = await house.http({ versionNegotiation: { mode: 'auto' } })
  const cut = await client.callTool({ name: 'files__read', arguments: {} })
  let uri: string | undefined = /pml:\/\/result\/[\w-]+/.exec(JSON.stringify(cut))![0]
  let text = ''
  while (uri !== undefined) {
    const { contents } = await client.readResource({ uri })
    const page = contents[0] as unknown as { text: string; _meta: { 'casys-pml/page': { next?: string } } }
    text += page.text
    uri = page._meta['casys-pml/page'].next
  }
  expect(text).toBe('line\n'.repeat(10_000))
  expect((await client.listResourceTemplates()).resourceTemplates[0]!.uriTemplate).toBe(
    'pml://result/{handle}{?offset}',
  )
  await expect(client.readResource({ uri: 'pml://result/none' })).rejects.toMatchObject({
    code: -32602,
    data: { code: 'RESULT_GONE' },
  })
  await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toMatchObject({ code: -32602 })
  expect(dataOf(cut)).toBeUndefined()
})
