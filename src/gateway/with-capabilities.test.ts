import { expect, it } from 'vitest'
import { capability } from '../capabilities/test-shelf.contract.js'
import { toolOfCapability } from '../capabilities/tool-of-capability.js'
import type { Tool } from '../model/tool.js'
import { makeServer, makeTool } from './test-gateway.contract.js'
import { withCapabilities } from './with-capabilities.js'

const hidden = toolOfCapability(capability('hidden'))
const learned = toolOfCapability(capability('count_lines'))

function open(tools: readonly Tool[] = [makeTool('files', 'read')]) {
  const told: string[] = []
  const listeners = new Set<() => void>()
  let servers = tools
  let capabilities: readonly Tool[] = []
  const whole = withCapabilities(
    {
      servers: () => [makeServer('files')],
      tools: () => servers,
      tool: (id) => servers.find((tool) => tool.id === id),
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      async settled() {},
    },
    () => capabilities,
    (id) => [...capabilities, hidden].find((one) => one.id === id),
  )
  const stop = whole.onChange(() => told.push('changed'))
  return {
    whole,
    told,
    stop,
    setTools(next: readonly Tool[]) {
      servers = next
      for (const listener of listeners) listener()
    },
    setCapabilities(next: readonly Tool[]) {
      capabilities = next
      whole.capabilitiesChanged()
    },
  }
}

it('lists capabilities behind the tools of the servers, as one array until something changes', () => {
  const { whole, setCapabilities, setTools } = open()
  const before = whole.tools()
  expect(whole.tools()).toBe(before)
  setCapabilities([learned])
  const after = whole.tools()
  expect(after.map(({ id }) => id)).toEqual(['files:read', learned.id])
  expect(whole.tools()).toBe(after)
  setTools([makeTool('files', 'write')])
  expect(whole.tools().map(({ id }) => id)).toEqual(['files:write', learned.id])
})

it('finds each by its id', () => {
  const { whole, setCapabilities } = open()
  expect(whole.tool(learned.id)).toBeUndefined()
  setCapabilities([learned])
  expect(whole.tool(learned.id)).toBe(learned)
  // One that is not listed has a name all the same.
  expect(whole.tool(hidden.id)).toBe(hidden)
  expect(whole.tools()).not.toContain(hidden)
  expect(whole.tool(makeTool('files', 'read').id)?.name).toBe('read')
})

it('tells of a change of either, and of none where there was none', () => {
  const { whole, told, stop, setCapabilities, setTools } = open()
  whole.capabilitiesChanged()
  expect(told).toEqual([])
  const list = [learned]
  setCapabilities(list)
  setCapabilities(list)
  expect(told).toEqual(['changed'])
  setTools([])
  expect(told).toEqual(['changed', 'changed'])
  stop()
  setCapabilities([])
  setTools([])
  expect(told).toHaveLength(2)
})
