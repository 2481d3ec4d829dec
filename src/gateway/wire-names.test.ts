import { expect, it } from 'vitest'
import type { Tool } from '../model/tool.js'
import { wireName } from '../model/wire-name.js'
import { makeTool } from './test-gateway.contract.js'
import { metaToolNames } from './tools/definitions.js'
import { assignWireNames } from './wire-names.js'

const assign = (tools: readonly Tool[], prefix: 'server' | 'none' = 'server') =>
  assignWireNames(tools, prefix, metaToolNames)

it('every tool has one legal name and every name one tool', () => {
  const tools = ['a', 'a b', 'a_b', 'ü', '__proto__', 'constructor', 'x'.repeat(200), '🎉'].map((name) =>
    makeTool('s', name),
  )
  const { byId, byName } = assign(tools)
  expect(byName.size).toBe(tools.length)
  for (const tool of tools) {
    expect(byId.get(tool.id)).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(byName.get(byId.get(tool.id)!)).toBe(tool.id)
  }
})

it('a name does not depend on the tools beside it', () => {
  const long = makeTool('s', 'y'.repeat(80))
  const alone = assign([long]).byId.get(long.id)
  expect(assign([makeTool('s', 'a'), makeTool('t', 'z'), long]).byId.get(long.id)).toBe(alone)
})

it('without a prefix, our own names win', () => {
  const { byId } = assign([makeTool('s', 'discover'), makeTool('s', 'read')], 'none')
  expect([...byId.values()].sort()).toEqual([expect.stringMatching(/^discover_[0-9a-f]{8}$/), 'read'])
})

it('a server cannot take another tool’s hashed name by writing it out', () => {
  const victim = makeTool('a__b', 'read')
  const stolen = wireName(victim.id, 'server')
  const thief = makeTool('a', stolen.slice('a__'.length))
  expect(`a__${thief.name}`).toBe(stolen)
  for (const tools of [
    [victim, thief],
    [thief, victim],
  ]) {
    const { byId, byName } = assign(tools)
    expect(byId.get(victim.id)).toBe(stolen)
    expect(byName.size).toBe(2)
  }
})
