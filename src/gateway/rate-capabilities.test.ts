import { expect, it } from 'vitest'
import { capability, capId, dependency, shelfOf, use } from '../capabilities/test-shelf.contract.js'
import { toolOfCapability } from '../capabilities/tool-of-capability.js'
import type { Capability, CapabilityDependency, CapabilityId } from '../model/capability.js'
import type { Tool } from '../model/tool.js'
import type { ToolHit } from '../plan/find/create-tool-search.js'
import { type RateCapabilitiesDeps, rateCapabilities } from './rate-capabilities.js'
import { makeTool } from './test-gateway.contract.js'

const hit = (tool: Tool, score: number, name = 0): ToolHit => ({
  tool,
  score,
  parts: { name, words: 1, semantic: score },
})
const read = makeTool('files', 'read')
const good = { uses: 3, successes: 3 }
const bad = { uses: 12, successes: 1 }

function rater(
  capabilities: readonly Capability[],
  hits: readonly ToolHit[],
  dependencies: readonly CapabilityDependency[] = [],
  changes: Partial<RateCapabilitiesDeps> = {},
) {
  const shelf = shelfOf(capabilities, dependencies)
  const asked: number[] = []
  const search = rateCapabilities({
    async search(_, { limit }) {
      asked.push(limit)
      return hits.slice(0, limit)
    },
    shelf,
    tool(id: CapabilityId) {
      const known = shelf.get(id)
      return known && toolOfCapability(known)
    },
    discover: () => [],
    alpha: () => 1,
    ...changes,
  })
  return {
    search: (limit = 8, context: readonly Tool[] = []) =>
      search('q', { limit, context: context.map(({ id }) => id) }),
    asked,
  }
}
const order = (hits: readonly ToolHit[]) =>
  hits.map(({ tool, score }) => [tool.id, Math.round(score * 1_000) / 1_000])

it('without capabilities a search is as it was', async () => {
  const { search, asked } = rater([], [hit(read, 0.5)])
  expect(await search()).toEqual([hit(read, 0.5)])
  expect(asked).toEqual([8])
})

it('a capability counts by its meaning and by how far it can be relied on; tools stay as they were found', async () => {
  const [sound, broken] = [capability('sound', good), capability('broken', bad)]
  const { search } = rater(
    [sound, broken],
    [hit(toolOfCapability(broken), 0.9), hit(toolOfCapability(sound), 0.7), hit(read, 0.6)],
  )
  const found = await search()
  expect(order(found)).toEqual([
    [sound.id, 0.7],
    [read.id, 0.6],
    [broken.id, 0.09],
  ])
  expect(found[0]?.parts.capability).toMatchObject({ rate: 0.8, reliability: 1, transitive: 1 })
  expect(found[1]?.parts.capability).toBeUndefined()
})

it('the weakest of what it needs lowers it, three levels deep', async () => {
  const chain = [
    capability('outer', { ...good, calls: [capId('middle')] }),
    capability('middle', { ...good, calls: [capId('inner')] }),
    capability('inner', { ...good, calls: [capId('innermost')] }),
    capability('innermost', bad),
  ]
  const edges = [
    dependency('outer', 'middle'),
    dependency('middle', 'inner'),
    dependency('inner', 'innermost'),
  ]
  const { search } = rater(chain, [hit(toolOfCapability(chain[0]!), 0.9)], edges)
  const [found] = await search()
  expect(found?.parts.capability).toMatchObject({ weakest: capId('innermost') })
  expect(found?.score).toBeCloseTo((0.9 * 2) / 14, 5)
})

it('one that fails brings in what does the same in another way, though its words were not found', async () => {
  const failing = capability('failing', bad)
  const twin = capability('twin', { uses: 4, successes: 4 })
  const { search } = rater(
    [failing, twin],
    [hit(toolOfCapability(failing), 0.8)],
    [dependency('twin', 'failing', 'alternative')],
  )
  const found = await search()
  expect(found[0]).toMatchObject({
    tool: { id: twin.id },
    parts: { capability: { standsInFor: failing.id } },
  })
  expect(order(found)).toEqual([
    [twin.id, 0.72],
    [failing.id, 0.08],
  ])
})

it('what was named comes first, whatever it is worth', async () => {
  const named = capability('named', bad)
  const { search } = rater([named], [hit(toolOfCapability(named), 0.95, 0.95), hit(read, 0.9)])
  expect((await search())[0]?.tool.id).toBe(named.id)
})

it('one that is hidden is not found, and its place is taken by the next', async () => {
  const failures = Array.from({ length: 6 }, () => use({ success: false }))
  const hidden = capability('hidden', { uses: 6, successes: 0, recent: failures, tools: [read.id] })
  const tools = ['a', 'b', 'c'].map((name) => makeTool('files', name))
  const hits = [hit(toolOfCapability(hidden), 0.9), ...tools.map((tool) => hit(tool, 0.5))]
  const shelf = shelfOf([hidden], [], { toolSuccess: () => ({ successes: 50, count: 50 }) })
  expect(shelf.isVisible(hidden.id)).toBe(false)
  const { search } = rater([hidden], hits, [], { shelf })
  expect((await search(3)).map(({ tool }) => tool.id)).toEqual(tools.map(({ id }) => id))
})

it('what was used so far lifts it and never lowers it', async () => {
  const fitting = capability('fitting', good)
  const meant = capability('meant', good)
  const found = [hit(toolOfCapability(meant), 0.6), hit(read, 0.3)]
  const context = { discover: () => [{ id: fitting.id, score: 0.9 }] as never, alpha: () => 0.5 }
  const { search } = rater([fitting, meant], found, [], context)
  const inContext = await search(8, [read])
  expect(order(inContext)).toEqual([
    [meant.id, 0.6],
    [fitting.id, 0.45],
    [read.id, 0.3],
  ])
  expect(order(await search())).toEqual([
    [meant.id, 0.6],
    [read.id, 0.3],
  ])
})
