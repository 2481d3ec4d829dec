import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { createLineTransport } from './line-transport.js'
import { makeTool, openTestGateway, type TestGateway, testConfig } from './test-gateway.contract.js'

interface Message {
  readonly id: number | string | null
  readonly error?: { readonly code: number; readonly message: string }
  readonly result?: unknown
}

let house: TestGateway
afterEach(() => house.close())

/** A client that writes bytes. */
function openRaw(config: Parameters<typeof openTestGateway>[0] = {}) {
  house = openTestGateway(config)
  const input = new PassThrough()
  const output = new PassThrough()
  const { closed, close } = house.gateway.serveStream(input, output)
  const messages: Message[] = []
  let rest = ''
  output.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    messages.push(...lines.map((line) => JSON.parse(line) as Message))
  })
  const answerTo = async (id: Message['id']): Promise<Message> => {
    for (let i = 0; i < 500; i++) {
      const found = messages.find((message) => message.id === id)
      if (found) return found
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    throw new Error(`no answer to ${id}`)
  }
  const ping = async (id: string): Promise<Message> => {
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`)
    return answerTo(id)
  }
  const initialize = async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    }
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'init', method: 'initialize', params })}\n`)
    return answerTo('init')
  }
  return { input, output, messages, closed, close, answerTo, ping, initialize }
}

describe('whatever a line holds, the connection goes on', () => {
  it.each([
    ['garbage', 'not json', -32700],
    ['a JSON value that is no message', '7', -32600],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), -32700],
    ['100,000 open brackets', '['.repeat(100_000), -32700],
  ])('%s', async (_what, line, code) => {
    const { input, messages, ping, initialize } = openRaw()
    await initialize()
    input.write(Buffer.concat([Buffer.from(line), Buffer.from('\n')]))
    expect((await ping('after')).result).toEqual({})
    expect(messages.find((message) => message.id === null)).toMatchObject({ jsonrpc: '2.0', error: { code } })
  })

  it('a line above the limit is refused without being held', async () => {
    const { input, messages, ping, initialize } = openRaw({
      config: {
        limits: {
          maxMessageBytes: 10_000,
          concurrentColdStarts: 1,
          concurrentCalls: 1,
          concurrentCallsPerServer: 1,
        },
      },
    })
    await initialize()
    for (let i = 0; i < 50; i++) input.write('x'.repeat(64 * 1024))
    input.write('\n')
    await ping('after')
    expect(messages.find((message) => message.id === null)?.error?.message).toMatch(
      /10000 bytes.*maxMessageBytes/,
    )
  })

  it.each([
    ['first', `{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"text":"`, '"}}'],
    ['last', `{"method":"tools/call","params":{"text":"`, '"},"jsonrpc":"2.0","id":"big"}'],
  ])('a request above the limit whose id comes %s is answered under it', async (_where, head, tail) => {
    const { input, answerTo, initialize } = openRaw({
      config: { limits: { ...testConfig.limits, maxMessageBytes: 10_000 } },
    })
    await initialize()
    input.write(`${head}${'x'.repeat(64 * 1024)}${tail}\n`)
    expect((await answerTo('big')).error).toMatchObject({ code: -32600 })
  })

  it('a message that came in many pieces is one message', async () => {
    const { input, answerTo, initialize } = openRaw()
    await initialize()
    for (const byte of Buffer.from('{"jsonrpc":"2.0","id":"é","method":"ping"}\r\n'))
      input.write(Buffer.from([byte]))
    expect((await answerTo('é')).result).toEqual({})
  })

  it('a request that is none but has an id is answered under it', async () => {
    const { input, answerTo, initialize } = openRaw()
    await initialize()
    input.write('{"id":5,"method":"ping"}\n')
    expect((await answerTo(5)).error?.code).toBe(-32600)
  })

  it('an answer nested too deeply to be written is a tool error, not silence', async () => {
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i++) deep = [deep]
    const { input, answerTo, initialize } = openRaw({
      config: { maxResultTokens: 10_000_000 },
      callTool: async () => ({ content: [], structuredContent: { deep } as never }),
    })
    await initialize()
    input.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{}}}\n')
    expect(await answerTo(1)).toMatchObject({
      result: { isError: true, structuredContent: { error: { code: 'UPSTREAM_PROTOCOL' } } },
    })
  })

  it('a question nested too deeply to be written is an error to who asks, and never an answer to the client', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const transport = createLineTransport({ input, output, maxMessageBytes: 1_000_000 })
    await transport.start()
    let deep: unknown = 1
    for (let level = 0; level < 20_000; level++) deep = [deep]
    const question = { jsonrpc: '2.0', id: 0, method: 'elicitation/create', params: { deep } } as never
    await expect(transport.send(question)).rejects.toThrow()
    await transport.send({ jsonrpc: '2.0', method: 'notifications/message', params: {} })
    await transport.close()
    expect(String(output.read())).toBe('{"jsonrpc":"2.0","method":"notifications/message","params":{}}\n')
  })

  it('arguments nested as deeply as a line allows are answered', async () => {
    const { input, answerTo, ping, initialize } = openRaw()
    await initialize()
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    input.write(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"deep":${deep}}}}\n`,
    )
    expect(await answerTo(1)).toHaveProperty('jsonrpc')
    expect((await ping('after')).result).toEqual({})
  })

  const suite = new URL('../../../shared/corpora/json-test-suite/test_parsing/', import.meta.url)
  it.skipIf(!existsSync(suite))(
    'every file of the JSON test suite (skipped where ../shared is absent)',
    async () => {
      const { input, messages, ping, initialize } = openRaw()
      await initialize()
      const files = readdirSync(suite)
      expect(files.length).toBeGreaterThan(300)
      for (const file of files) {
        input.write(readFileSync(new URL(encodeURIComponent(file), suite)))
        input.write('\n')
      }
      expect((await ping('after')).result).toEqual({})
      for (const { error } of messages.filter((message) => message.id === null))
        expect([-32700, -32600]).toContain(error?.code)
    },
  )
})

describe('the end of a connection', () => {
  it('comes with the end of the input, and ends the session', async () => {
    const { input, closed, initialize } = openRaw()
    await initialize()
    input.end()
    await closed
    expect(house.ended.length).toBe(1)
  })

  it('comes when the client stops reading, with calls under way aborted', async () => {
    const { input, output, closed, initialize } = openRaw({ callTool: () => new Promise(() => {}) })
    await initialize()
    input.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}\n')
    while (house.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    output.destroy(new Error('EPIPE'))
    await closed
    expect(house.calls[0]!.signal.aborted).toBe(true)
    expect(house.ended).toEqual([house.calls[0]!.session])
  })

  it('comes when the gateway closes it', async () => {
    const { closed, close, initialize } = openRaw()
    await initialize()
    await close()
    await closed
  })
})

it('content and fields that the SDK does not know pass through to the byte', async () => {
  const result = {
    content: [
      { type: 'hologram', rays: [1, 2] },
      { type: 'text', text: 'a', extra: null },
    ],
    later: { field: [] },
  }
  const { input, answerTo, initialize } = openRaw({ callTool: async () => result })
  await initialize()
  input.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}\n')
  expect((await answerTo(1)).result).toEqual(result)
})

it('each connection is a session of its own', async () => {
  const first = openRaw()
  await first.initialize()
  const client = await house.stream()
  await client.callTool({ name: 'read', arguments: {} })
  first.input.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"}}\n')
  await first.answerTo(1)
  const sessions = house.calls.map((call) => call.session)
  expect(new Set(sessions).size).toBe(2)
})

const naughty = new URL('../../../shared/corpora/naughty-strings/blns.json', import.meta.url)
it.skipIf(!existsSync(naughty))(
  'naughty strings as names, descriptions and arguments are just text (skipped where ../shared is absent)',
  async () => {
    const strings = (JSON.parse(readFileSync(naughty, 'utf8')) as string[]).filter((one) => one !== '')
    const unique = [...new Set(strings)]
    const tools = unique.map((text) => makeTool('naughty', text, { description: text, tokens: 5 }))
    // Some of these names speak of dropping tables.
    const approvals = { ...testConfig.approvals, tools: { '*': 'allow' } } as const
    house = openTestGateway({ tools, config: { exposure: 'proxy', maxResultTokens: 100_000, approvals } })
    const client = await house.stream({ versionNegotiation: { mode: 'auto' } })
    const listed = (await client.listTools()).tools
    expect(listed.length).toBe(unique.length)
    for (const tool of listed) expect(tool.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    for (const [i, text] of unique.entries()) {
      const name = listed[i % listed.length]!.name
      const answer = await client.callTool({ name, arguments: { text } })
      expect(JSON.parse((answer.content[0] as { text: string }).text)).toEqual({ text })
      const odd = await client.callTool({ name: text, arguments: {} })
      expect(odd.content.length).toBe(1)
      const found = await client.callTool({ name: 'discover', arguments: { intent: text } })
      expect(found.structuredContent).toHaveProperty('status')
    }
  },
)
