import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../model/json.js'
import type { PreparedCall } from '../../model/speculation.js'
import { formatToolId } from '../../model/tool.js'
import type { ToolResult } from '../../model/tool-call.js'
import {
  dataOf,
  makeTool,
  openTestGateway,
  type TestGateway,
  type TestGatewayOptions,
  textOf,
  ways,
} from '../test-gateway.contract.js'

let house: TestGateway
let asked: string[]
afterEach(() => house.close())

const open = (prepared: readonly PreparedCall[], options: TestGatewayOptions = {}): void => {
  asked = []
  house = openTestGateway({
    ...options,
    prepared(session) {
      asked.push(session)
      return prepared
    },
  })
}

const ready = (path: string, more: JsonObject = {}): PreparedCall => ({
  tool: formatToolId('files', 'read'),
  arguments: { path, ...more },
  isReady: true,
})
const told = (path: string) => ({ tool: 'files:read', arguments: { path } })
const workflow = { tasks: [{ id: 'a', tool: 'files:read', arguments: { text: 'x' } }] }

describe('replies of our own tools', () => {
  it.each([
    ['discover', { intent: 'read' }],
    ['execute_workflow', workflow],
    ['control_workflow', { action: 'status' }],
  ])('%s says what is ready, as data and as a line of text', async (name, args) => {
    open([ready('a.txt'), ready('b.txt')])
    const client = await house.stream()
    const answer = await client.callTool({ name, arguments: args })
    expect(dataOf(answer).status).toBeTypeOf('string')
    expect(Object.keys(dataOf(answer))[0]).toBe('status')
    expect(dataOf(answer).prepared).toEqual([told('a.txt'), told('b.txt')])
    expect(textOf(answer).split('\n').at(-1)).toBe(
      'Ready to be called without waiting: files:read {"path":"a.txt"}; files:read {"path":"b.txt"}',
    )
  })

  it('say nothing where nothing is ready', async () => {
    open([{ ...ready('a.txt'), isReady: false }])
    const answer = await (await house.stream()).callTool({ name: 'discover', arguments: { intent: 'read' } })
    expect(dataOf(answer)).not.toHaveProperty('prepared')
    expect(textOf(answer)).not.toContain('Ready')
  })

  it('are asked for the session of who called, and an error stays as it is', async () => {
    open([ready('a.txt')])
    const client = await house.stream()
    const failed = await client.callTool({ name: 'control_workflow', arguments: { action: 'fly' } })
    expect(failed.isError).toBe(true)
    expect(dataOf(failed)).not.toHaveProperty('prepared')
    await client.callTool({ name: 'execute_workflow', arguments: workflow })
    expect(asked).toEqual([house.calls[0]!.session])
  })

  it('name three calls at most, and only whole ones: short enough, and without a secret', async () => {
    const secret = 'sk-12345678'
    open(
      [
        ready('long', { text: 'x'.repeat(300) }),
        ready(secret),
        ready('key', { [secret]: 1 }),
        ...['a', 'b'].map((path) => ready(path)),
        { ...ready('under way'), isReady: false },
        ...['c', 'd'].map((path) => ready(path)),
      ],
      { config: { secrets: [secret] } },
    )
    const answer = await (await house.stream()).callTool({ name: 'discover', arguments: { intent: 'read' } })
    expect(dataOf(answer).prepared).toEqual(['a', 'b', 'c'].map(told))
  })

  it('tell arguments of 300 characters, and not of 301', async () => {
    const args = (length: number) => ({ n: Array(100).fill(1), s: 'x'.repeat(length - 214) })
    expect(JSON.stringify(args(300))).toHaveLength(300)
    open([301, 300].map((length) => ({ ...ready(''), arguments: args(length) })))
    const answer = await (await house.stream()).callTool({ name: 'discover', arguments: { intent: 'read' } })
    expect(dataOf(answer).prepared).toEqual([{ tool: 'files:read', arguments: args(300) }])
  })
})

describe('results of tools of servers', () => {
  const key = 'io.casys.pml/prepared'

  it.each(ways)('carry it in _meta beside what the server said there: %s', async (_, way, options) => {
    const result = { content: [{ type: 'text', text: 'hello' }], _meta: { 'server.example/x': 1 } }
    const before = structuredClone(result)
    open([ready('a.txt')], { callTool: async () => result })
    const answer = await (await house[way](options)).callTool({ name: 'files__read', arguments: {} })
    expect(answer.content).toEqual(result.content)
    expect(answer._meta).toMatchObject({ 'server.example/x': 1, [key]: [told('a.txt')] })
    expect(result).toEqual(before)
    expect(house.directCalls[0]!.result).toBe(result)
  })

  it.each<[string, ToolResult]>([
    ['an error', { content: [{ type: 'text', text: 'no' }], isError: true }],
    ['a _meta that is none', { content: [], _meta: 'odd' }],
  ])('%s is untouched', async (_, result) => {
    open([ready('a.txt')], { callTool: async () => result })
    // The SDK's client refuses an odd _meta: the line itself is looked at.
    const [input, output] = [new PassThrough(), new PassThrough()]
    house.gateway.serveStream(input, output)
    const lines = createInterface(output)[Symbol.asyncIterator]()
    const ask = async (method: string, params: object): Promise<string> => {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id: method, method, params })}\n`)
      return (await lines.next()).value
    }
    const clientInfo = { name: 'raw', version: '1' }
    await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    const answer = JSON.parse(await ask('tools/call', { name: 'files__read', arguments: {} }))
    expect(answer.result).toEqual(result)
    expect(asked).toEqual([])
  })

  it('nothing is added where nothing is ready', async () => {
    open([])
    const answer = await (await house.stream()).callTool({ name: 'files__read', arguments: {} })
    expect(answer._meta?.[key]).toBeUndefined()
    expect(asked).toEqual([house.calls[0]!.session])
  })

  it('a result that is cut carries it too', async () => {
    open([ready('a.txt')], {
      callTool: async () => ({ content: [{ type: 'text', text: 'word '.repeat(20_000) }] }),
    })
    const answer = await (await house.stream()).callTool({ name: 'files__read', arguments: {} })
    expect(textOf(answer).length).toBeLessThan(50_000)
    expect(answer._meta).toMatchObject({ [key]: [told('a.txt')] })
  })

  it('a server that asks for input is answered as it is', async () => {
    const question = {
      resultType: 'input_required',
      inputRequests: {
        q: {
          method: 'elicitation/create',
          params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
        },
      },
    }
    const answered: ToolResult = { content: [{ type: 'text', text: 'done' }] }
    open([ready('a.txt')], {
      tools: [makeTool('files', 'read')],
      callTool: async ({ round }) =>
        round?.inputResponses === undefined ? (question as unknown as ToolResult) : answered,
    })
    const client = await house.stream({
      versionNegotiation: { mode: 'auto' },
      capabilities: { elicitation: {} },
    })
    client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: {} }))
    const answer = await client.callTool({ name: 'files__read', arguments: {} })
    expect(textOf(answer)).toBe('done')
    expect(asked).toHaveLength(1)
  })
})
