/** The fast lane answers as the SDK does: each call is made twice, once with something that sends it past the lane. */
import { PassThrough } from 'node:stream'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server'
import { afterEach, describe, expect, it } from 'vitest'
import { UpstreamError, UpstreamRpcError } from '../errors.js'
import { createLineReader } from '../model/line-reader.js'
import type { CallTool } from '../model/tool-call.js'
import { makeTool, openTestGateway, type TestGateway } from './test-gateway.contract.js'

let house: TestGateway
afterEach(() => house.close())

const envelope = {
  [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
  [CLIENT_INFO_META_KEY]: { name: 'raw', version: '1.0.0' },
  [CLIENT_CAPABILITIES_META_KEY]: {},
}

const answers: Record<string, CallTool> = {
  'plain text': async () => ({ content: [{ type: 'text', text: 'hello' }] }),
  'fields nobody knows': async () => ({
    content: [{ type: 'hologram', depth: 3 }],
    _meta: { 'example.com/cost': 2 },
    extra: [1],
  }),
  'structured content that is no object': async () => ({ content: [], structuredContent: [1, 2] }),
  'a tool error': async () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
  'a refusal of the server': async () => {
    throw new UpstreamRpcError('files', -32042, 'first sign in', { url: 'https://example.com' })
  },
  'trouble with the server': async () => {
    throw new UpstreamError('files', 'timeout', 'no answer.', 'Try again.')
  },
}

describe.each(['legacy', 'modern'] as const)('the fast lane on a %s connection', (era) => {
  it.each(Object.keys(answers))('answers as the SDK does: %s', async (kind) => {
    house = openTestGateway({ tools: [makeTool('files', 'read')], callTool: answers[kind]! })
    const wire = await openWire(era)
    const call = { name: 'files__read', arguments: { text: 'a' } }
    const fast = await wire.ask({ ...call, ...plain(era) })
    const slow = await wire.ask({ ...call, ...forSdk(era) })
    expect({ ...fast, id: 0 }).toEqual({ ...slow, id: 0 })
    expect(house.calls).toHaveLength(2)
  })

  it('answers an unknown tool and one of our own as the SDK does', async () => {
    house = openTestGateway()
    const wire = await openWire(era)
    for (const call of [{ name: 'nothing_like_it' }, { name: 'discover', arguments: { intent: 'read' } }]) {
      const fast = await wire.ask({ ...call, ...plain(era) })
      const slow = await wire.ask({ ...call, ...forSdk(era) })
      expect({ ...fast, id: 0 }).toEqual({ ...slow, id: 0 })
    }
  })

  it('cancels a call, and sends no answer for it', async () => {
    const { callTool, wasAborted } = neverAnswering()
    house = openTestGateway({ callTool })
    const wire = await openWire(era)
    wire.send({ id: 'slow', method: 'tools/call', params: { name: 'files__read', ...plain(era) } })
    await expect.poll(() => house.calls.length).toBe(1)
    wire.send({ method: 'notifications/cancelled', params: { requestId: 'slow', ...plain(era) } })
    await expect.poll(wasAborted).toBe(true)
    await wire.ask({ name: 'discover', arguments: { intent: 'x' }, ...plain(era) })
    expect(wire.received.some((message) => message.id === 'slow')).toBe(false)
  })

  it('cancels what is under way when the client goes', async () => {
    const { callTool, wasAborted } = neverAnswering()
    house = openTestGateway({ callTool })
    const wire = await openWire(era)
    wire.send({ id: 'slow', method: 'tools/call', params: { name: 'files__read', ...plain(era) } })
    await expect.poll(() => house.calls.length).toBe(1)
    wire.end()
    await expect.poll(wasAborted).toBe(true)
  })
})

/** A call that ends only by being cancelled. */
function neverAnswering(): { readonly callTool: CallTool; wasAborted(): boolean } {
  let aborted = false
  return {
    callTool: ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted = true
          reject(signal.reason)
        })
      }),
    wasAborted: () => aborted,
  }
}

const plain = (era: 'legacy' | 'modern') => (era === 'modern' ? { _meta: envelope } : {})
const forSdk = (era: 'legacy' | 'modern') => ({
  _meta: era === 'modern' ? { ...envelope, [LOG_LEVEL_META_KEY]: 'error' } : { anything: 1 },
})

type Message = { id?: unknown; [field: string]: unknown }

async function openWire(era: 'legacy' | 'modern') {
  const toGateway = new PassThrough()
  const toClient = new PassThrough()
  house.gateway.serveStream(toGateway, toClient)
  const received: Message[] = []
  const reader = createLineReader({
    maxBytes: 1_000_000,
    onLine: (line) => received.push(JSON.parse(line.toString())),
    onOversize() {},
  })
  toClient.on('data', (chunk: Buffer) => reader.push(chunk))
  const send = (message: object): void =>
    void toGateway.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const answer = async (id: number): Promise<Message> => {
    await expect.poll(() => received.some((message) => message.id === id)).toBe(true)
    return received.find((message) => message.id === id)!
  }
  let id = 100
  if (era === 'legacy') {
    const clientInfo = { name: 'raw', version: '1.0.0' }
    send({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
    })
    await answer(1)
    send({ method: 'notifications/initialized' })
  } else {
    send({ id: 1, method: 'tools/list', params: { _meta: envelope } })
    await answer(1)
  }
  return {
    received,
    send,
    end: () => toGateway.end(),
    async ask(params: object): Promise<Message> {
      id += 1
      send({ id, method: 'tools/call', params })
      return answer(id)
    },
  }
}
