import { describe, expect, it } from 'vitest'
import { createSessionMemory } from './session-memory.js'

const initialize = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-06-18' } }
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }

function session() {
  const memory = createSessionMemory()
  memory.fromClient(initialize)
  memory.fromHolder({ jsonrpc: '2.0', id: 0, result: {} })
  memory.fromClient(initialized)
  return memory
}

describe('what a bridge remembers of a session', () => {
  it('repeats the handshake and what was subscribed to', () => {
    const memory = session()
    memory.fromClient({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'a:1' } })
    memory.fromHolder({ jsonrpc: '2.0', id: 1, result: {} })
    memory.fromClient({ jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'a:2' } })
    memory.fromHolder({ jsonrpc: '2.0', id: 2, result: {} })
    memory.fromClient({ jsonrpc: '2.0', id: 3, method: 'resources/unsubscribe', params: { uri: 'a:1' } })
    memory.fromHolder({ jsonrpc: '2.0', id: 3, result: {} })
    const replay = memory.replay()
    expect(replay.requests).toEqual([
      { ...initialize, id: 'pml-replay-0' },
      { jsonrpc: '2.0', id: 'pml-replay-1', method: 'resources/subscribe', params: { uri: 'a:2' } },
    ])
    expect(replay.initialized).toEqual(initialized)
    expect(replay.repeat).toEqual([])
  })

  it('an answer to a question of a holder that is gone reaches no other', () => {
    const memory = session()
    const question = { jsonrpc: '2.0', id: 0, method: 'elicitation/create', params: {} }
    const answer = { jsonrpc: '2.0', id: 0, result: { action: 'accept' } }
    memory.fromHolder(question)
    expect(memory.fromClient(answer)).toBe(true)
    memory.fromHolder(question)
    memory.replay()
    expect(memory.fromClient(answer)).toBe(false)
    memory.fromHolder(question)
    expect(memory.fromClient(answer)).toBe(true)
  })

  it('sends lists and searches again, and never a tool call that may have had an effect', () => {
    const memory = session()
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const search = {
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'discover', arguments: {} },
    }
    const write = {
      jsonrpc: '2.0',
      id: 'w',
      method: 'tools/call',
      params: { name: 'fs__write_file', arguments: {} },
    }
    for (const message of [list, search, write]) {
      memory.fromClient(message)
      memory.delivered(message)
    }
    const replay = memory.replay()
    expect(replay.repeat).toEqual([list, search])
    expect(replay.failed).toMatchObject([{ id: 'w', error: { data: { code: 'GATEWAY_LOST' } } }])
    // A holder that dies before it was told changes nothing.
    expect(memory.replay()).toEqual(replay)
    memory.replayed(replay)
    expect(memory.replay()).toMatchObject({ repeat: [], failed: [] })
  })

  it.each([
    'execute_workflow',
    'pml:execute_workflow',
    'mcp__pml__control_workflow',
  ])('says of %s that what had begun goes on, and where to look', (name) => {
    const memory = session()
    const lost = { jsonrpc: '2.0', id: 'x', method: 'tools/call', params: { name, arguments: {} } }
    memory.fromClient(lost)
    memory.delivered(lost)
    const { repeat, failed } = memory.replay()
    expect(repeat).toEqual([])
    expect(failed).toMatchObject([{ id: 'x', error: { data: { code: 'GATEWAY_LOST' } } }])
    const { message } = failed[0]!.error as { message: string }
    expect(message).toContain('is taken up again and goes on')
    expect(message).toContain('control_workflow {"action":"status"}')
    expect(message).toContain('pml runs')
  })

  it('looks at a workflow again under any name of ours', () => {
    const memory = session()
    const params = { name: 'pml__control_workflow', arguments: { action: 'status' } }
    const look = { jsonrpc: '2.0', id: 'l', method: 'tools/call', params }
    memory.fromClient(look)
    memory.delivered(look)
    expect(memory.replay()).toMatchObject({ repeat: [look], failed: [] })
  })

  it('sends a tool call again that the holder never took in', () => {
    const memory = session()
    const write = {
      jsonrpc: '2.0',
      id: 'w',
      method: 'tools/call',
      params: { name: 'fs__write_file', arguments: {} },
    }
    memory.fromClient(write)
    expect(memory.replay()).toMatchObject({ repeat: [write], failed: [] })
  })

  it('leaves an unanswered handshake to be sent again as it was', () => {
    const memory = createSessionMemory()
    memory.fromClient(initialize)
    expect(memory.replay()).toMatchObject({ requests: [], repeat: [initialize] })
  })

  it('forgets a request that the client cancelled', () => {
    const memory = session()
    memory.fromClient({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'x' } })
    memory.fromClient({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } })
    expect(memory.replay().failed).toEqual([])
  })
})
