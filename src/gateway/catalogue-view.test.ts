import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { silentLog } from '../model/log.js'
import type { Tool } from '../model/tool.js'
import { createCatalogueView } from './catalogue-view.js'
import {
  eventually,
  makeServer,
  makeTool,
  openTestGateway,
  type TestGateway,
  type TestGatewayOptions,
  testConfig,
} from './test-gateway.contract.js'

let house: TestGateway
afterEach(() => house?.close())

const modern = { versionNegotiation: { mode: 'auto' } } as const
const open = (options: TestGatewayOptions) => {
  house = openTestGateway(options)
  return house.stream(modern)
}
const names = async (client: Awaited<ReturnType<typeof open>>) =>
  (await client.listTools(undefined, { cacheMode: 'bypass' })).tools.map((tool) => tool.name)

it('5,000 tools are listed in under 100 ms', async () => {
  const inputSchema = {
    type: 'object',
    properties: { path: { type: 'string', description: 'Where it is' }, depth: { type: 'integer' } },
    required: ['path'],
  }
  const tools = Array.from({ length: 5_000 }, (_, i) =>
    makeTool(`server${i % 50}`, `tool_${i}`, { tokens: 60, inputSchema }),
  )
  house = openTestGateway({ tools, config: { exposure: 'proxy' } })
  const { port, answer } = openPort(house)
  await answer({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  })
  const times: number[] = []
  for (let id = 1; id <= 3; id++) {
    const started = performance.now()
    expect(await answer({ jsonrpc: '2.0', id, method: 'tools/list' })).toContain('tool_4999')
    times.push(performance.now() - started)
  }
  port.end()
  console.info(`5,000 tools listed in ${times.map((ms) => ms.toFixed(0)).join(', ')} ms (first to last)`)
  expect(Math.min(...times)).toBeLessThan(100)
})

/** A client that measures the gateway and not its own validation. */
function openPort(gateway: TestGateway) {
  const input = new PassThrough()
  const output = new PassThrough()
  gateway.gateway.serveStream(input, output)
  let parts: Buffer[] = []
  let deliver = (_line: string): void => {}
  output.on('data', (chunk: Buffer) => {
    parts.push(chunk)
    if (chunk.at(-1) !== 0x0a) return
    const line = Buffer.concat(parts).toString()
    parts = []
    deliver(line)
  })
  const answer = (message: unknown): Promise<string> =>
    new Promise((resolve) => {
      deliver = resolve
      input.write(`${JSON.stringify(message)}\n`)
    })
  return { port: input, answer }
}

describe('the first list', () => {
  const slow = (ms: number, tools: readonly Tool[]) => async () => {
    await new Promise((resolve) => setTimeout(resolve, ms))
    house.setTools(tools)
  }

  it.each([
    'auto',
    'proxy',
    'hybrid',
  ] as const)('in %s waits for servers that were never seen', async (exposure) => {
    const client = await open({
      tools: [],
      settled: slow(100, [makeTool('new', 'tool')]),
      config: { exposure },
    })
    expect(await names(client)).toContain('new__tool')
  })

  it('shows what is there when the wait is over, even before the change is told', async () => {
    let tools: readonly Tool[] = []
    const client = await open({
      tools: [],
      liveTools: () => tools,
      async settled() {
        await new Promise((resolve) => setTimeout(resolve, 50))
        tools = [makeTool('new', 'tool')]
      },
      config: { exposure: 'proxy' },
    })
    expect(await names(client)).toEqual(['new__tool'])
  })

  it('in meta waits for nobody', async () => {
    const client = await open({
      tools: [],
      settled: () => new Promise(() => {}),
      config: { exposure: 'meta' },
    })
    expect((await names(client)).length).toBe(4)
  })

  it('waits once: later lists answer at once, and changes are announced', async () => {
    let waits = 0
    const client = await open({
      tools: [],
      async settled() {
        waits += 1
      },
      config: { exposure: 'proxy' },
    })
    let told = 0
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      told += 1
    })
    await client.listen({ toolsListChanged: true })
    expect(await names(client)).toEqual([])
    house.setTools([makeTool('late', 'tool')])
    await eventually(
      () => told,
      (count) => count === 1,
    )
    expect(await names(client)).toEqual(['late__tool'])
    expect(waits).toBe(1)
  })

  it('a call of a tool that is not there yet waits too', async () => {
    const client = await open({
      tools: [],
      settled: slow(100, [makeTool('new', 'tool')]),
      config: { exposure: 'meta' },
    })
    expect((await client.callTool({ name: 'new__tool', arguments: {} })).isError).toBeUndefined()
  })
})

describe('the listing', () => {
  it('is the same for every connection, whatever the order of the catalogue', async () => {
    const tools = ['c', 'a', 'b'].map((name) => makeTool('s', name))
    const one = await open({ tools })
    const two = await house.http({ versionNegotiation: { mode: 'legacy' } })
    const list = await one.listTools()
    expect((await two.listTools()).tools).toEqual(list.tools)
  })

  it('in hybrid does not change by being used, alone or in workflows, only with the catalogue', async () => {
    const tools = ['a', 'b', 'c'].map((name) => makeTool('s', name, { tokens: 100 }))
    const client = await open({
      tools,
      config: { exposure: 'hybrid', hybrid: { pinned: ['s__c'], tokenBudget: 200 } },
    })
    const before = await names(client)
    expect(before.slice(4)).toEqual(['s__a', 's__c'])
    await client.callTool({ name: 's__a', arguments: {} })
    const tasks = ['x', 'y'].map((id) => ({ id, tool: 's__b' }))
    await client.callTool({ name: 'execute_workflow', arguments: { tasks } })
    house.setServers([makeServer('s', { status: 'down' })])
    expect(await names(client)).toEqual(before)
    house.setTools([...tools, makeTool('s', 'd', { tokens: 100 })])
    expect((await names(client)).slice(4)).toEqual(['s__b', 's__c'])
  })

  it('in hybrid a task done for each is used as often as it is called, and over an empty list not at all', async () => {
    const tools = ['a', 'b'].map((name) => makeTool('s', name, { tokens: 100 }))
    const client = await open({
      tools,
      config: { exposure: 'hybrid', hybrid: { pinned: [], tokenBudget: 100 } },
      callTool: async () => ({ content: [], structuredContent: { items: [] } }),
    })
    const tasks = [
      { id: 'list', tool: 's__b' },
      { id: 'each', tool: 's__a', arguments: { text: { $from: 'list.items[*]' } } },
    ]
    await client.callTool({ name: 'execute_workflow', arguments: { tasks } })
    house.setTools([...tools, makeTool('s', 'c', { tokens: 100 })])
    expect((await names(client)).slice(4)).toEqual(['s__b'])
  })

  it('goes from direct to meta when the counts say so, and announces it', async () => {
    const client = await open({ tools: [makeTool('s', 'a')] })
    expect(await names(client)).toContain('s__a')
    expect(house.counted.map((tool) => tool.id)).toEqual(['s:a'])
    let told = 0
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      told += 1
    })
    await client.listen({ toolsListChanged: true })
    house.setTools([makeTool('s', 'a', { tokens: 10_001 })])
    await eventually(
      () => told,
      (count) => count === 1,
    )
    expect(await names(client)).not.toContain('s__a')
  })

  it('is announced to everyone, also when one client fetched it before the announcement', async () => {
    const client = await open({ config: { exposure: 'proxy' } })
    let told = 0
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      told += 1
    })
    await names(client)
    await client.listen({ toolsListChanged: true })
    const { port, answer } = openPort(house)
    await answer({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
    })
    house.setTools([makeTool('files', 'write')])
    // Delivered within this turn of the loop, so before the announcement.
    expect(await answer({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).toContain('files__write')
    await eventually(
      () => told,
      (count) => count === 1,
    )
    port.end()
  })

  it('asks for each count once', async () => {
    const client = await open({ tools: [makeTool('s', 'a')] })
    await names(client)
    house.setTools([makeTool('s', 'a'), makeTool('s', 'b', { description: 'another' })])
    await names(client)
    expect(house.counted.map((tool) => tool.id)).toEqual(['s:a', 's:b'])
  })

  it('follows a new configuration', async () => {
    const client = await open({ tools: [makeTool('s', 'a')] })
    expect((await names(client)).length).toBe(5)
    house.setConfig({ exposure: 'proxy', prefix: 'none' })
    expect(await names(client)).toEqual(['a'])
  })

  it('carries cache hints to clients of 2026: none while servers are loading, and none to older clients', async () => {
    const client = await open({ servers: [makeServer('files', { status: 'connecting' })] })
    expect(await client.listTools(undefined, { cacheMode: 'bypass' })).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    })
    house.setServers([makeServer('files')])
    expect(await client.listTools(undefined, { cacheMode: 'bypass' })).toMatchObject({ ttlMs: 60_000 })
    const older = await house.stream({ versionNegotiation: { mode: 'legacy' } })
    expect(await older.listTools()).not.toHaveProperty('ttlMs')
  })
})

it('a tool can be named from the moment its server is ready, before the change is told', () => {
  let tools: readonly Tool[] = []
  const view = createCatalogueView({
    config: () => testConfig,
    catalogue: { servers: () => [], tools: () => tools, onChange: () => () => {}, settled: async () => {} },
    countTokens() {},
    onListingChange() {},
    log: silentLog,
  })
  expect(view.current().names.resolve('new:tool')).toBeUndefined()
  tools = [makeTool('new', 'tool')]
  expect(view.current().names.resolve('new:tool')?.id).toBe('new:tool')
  view.close()
})

it('a count that did not come within a minute is asked for again, one that did is not', () => {
  vi.useFakeTimers()
  const [a, b] = [makeTool('s', 'a'), makeTool('s', 'b', { description: 'another' })]
  let tools = [a, b]
  const asked: string[][] = []
  const view = createCatalogueView({
    config: () => testConfig,
    catalogue: { servers: () => [], tools: () => tools, onChange: () => () => {}, settled: async () => {} },
    countTokens: (uncounted) => void asked.push(uncounted.map(({ id }) => id)),
    onListingChange() {},
    log: silentLog,
  })
  try {
    view.current()
    tools = [{ ...a, tokens: 9 }, b]
    vi.advanceTimersByTime(60_000)
    expect(asked).toEqual([['s:a', 's:b'], ['s:b']])
    view.close()
    vi.advanceTimersByTime(60_000)
    expect(asked).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})
