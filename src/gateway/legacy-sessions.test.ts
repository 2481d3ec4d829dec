import { Server } from '@modelcontextprotocol/server'
import { afterEach, expect, it, vi } from 'vitest'
import { createLegacySessions, type LegacySessions } from './legacy-sessions.js'

let sessions: LegacySessions
afterEach(async () => {
  await sessions.close()
  vi.useRealTimers()
})

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
}
const post = (sessionId?: string) =>
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(sessionId && { 'mcp-session-id': sessionId }),
    },
  })

function open(ended: string[]): void {
  sessions = createLegacySessions({
    async connect(transport) {
      const server = new Server({ name: 'a', version: '1' }, { capabilities: {} })
      await server.connect(transport)
      return server
    },
    endSession: (session) => void ended.push(session),
    maxSessions: 10,
    idleMs: 1_000,
  })
}

async function start(): Promise<string> {
  const session = await sessions.find(undefined, initialize)
  let id = ''
  await session!.serve(post(), initialize, async (answer) => {
    id = answer.headers.get('mcp-session-id')!
    await answer.body?.cancel()
  })
  return id
}

it('an idle session expires, one with an open stream does not', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'Date'] })
  const ended: string[] = []
  open(ended)
  const idle = await start()
  const busy = await start()
  const stream = await sessions.find(busy, undefined)
  const get = new Request('http://localhost/mcp', {
    headers: { accept: 'text/event-stream', 'mcp-session-id': busy },
  })
  let hangUp = (): void => {}
  const served = stream!.serve(get, undefined, () => new Promise((resolve) => (hangUp = resolve)))
  await vi.waitFor(() => expect(hangUp.length).toBe(1))
  vi.advanceTimersByTime(5_000)
  expect(await sessions.find(idle, undefined)).toBeUndefined()
  expect(await sessions.find(busy, undefined)).toBeDefined()
  expect(ended.length).toBe(1)
  hangUp()
  await served
})

it('an initialize that fails leaves nothing behind', async () => {
  const ended: string[] = []
  open(ended)
  const session = await sessions.find('unknown', initialize)
  const refused = new Request('http://localhost/mcp', { method: 'POST' })
  await session!.serve(refused, initialize, async (answer) => expect(answer.status).toBe(406))
  expect(ended.length).toBe(1)
})
