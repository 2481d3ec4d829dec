import { expect, it } from 'vitest'
import type { CapabilityId } from '../model/capability.js'
import type { ToolId } from '../model/tool.js'
import type { ToolCall } from '../model/tool-call.js'
import { keepResults } from './keep-results.js'

const id = (name: string) => name as ToolId
const capability = id('cap:sum-123456') as CapabilityId
const call = { tool: capability, arguments: { n: 1 }, session: 's' }

function open(tools: readonly string[] = ['files:read']) {
  let at = 0
  let revision = 0
  let release = (): void => {}
  const kept = keepResults({
    callTool: () =>
      new Promise((resolve) => {
        release = () => resolve({ content: [] })
      }),
    isSafe: (tool) => tool.endsWith(':read'),
    revision: () => revision,
    reach: () => ({ tools: new Set(tools.map(id)), isWhole: true }),
    now: () => at,
  })
  const pass = (ms: number): void => {
    at += ms
  }
  const change = (): void => {
    revision += 1
  }
  const write = (server: string) =>
    kept.callTool({
      ...{ tool: id(`${server}:write`), arguments: {}, session: 's' },
      signal: new AbortController().signal,
    } as ToolCall)
  return { kept, write, end: () => release(), pass, change }
}

it('gives the same call of the same session what it gave, for a minute', () => {
  const { kept, pass, change } = open()
  kept.keep(call, 'before', kept.mark())
  // Somebody says otherwise of a tool.
  change()
  expect(kept.kept(call)).toBeUndefined()
  kept.keep(call, 'one', kept.mark())
  expect(kept.kept(call)).toEqual({ value: 'one', at: 0 })
  expect(kept.kept({ ...call, arguments: { n: 2 } })).toBeUndefined()
  expect(kept.kept({ ...call, session: 'other' })).toBeUndefined()
  pass(60_000)
  expect(kept.kept(call)).toBeUndefined()
})

it('keeps nothing of a capability that may change something', () => {
  const { kept } = open(['files:read', 'files:write'])
  kept.keep(call, 'one', kept.mark())
  expect(kept.kept(call)).toBeUndefined()
})

it('a write at one of its servers drops it, and what was read while one was under way is not kept', async () => {
  const { kept, write, end } = open()
  kept.keep(call, 'one', kept.mark())
  const elsewhere = write('mail')
  end()
  await elsewhere
  expect(kept.kept(call)).toBeDefined()
  const mark = kept.mark()
  const writing = write('files')
  expect(kept.kept(call)).toBeUndefined()
  const during = kept.mark()
  end()
  await writing
  kept.keep(call, 'read before', mark)
  kept.keep(call, 'read meanwhile', during)
  expect(kept.kept(call)).toBeUndefined()
  kept.keep(call, 'read after', kept.mark())
  expect(kept.kept(call)?.value).toBe('read after')
})
