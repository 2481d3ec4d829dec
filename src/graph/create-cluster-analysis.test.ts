import { expect, it } from 'vitest'
import { silentLog } from '../model/log.js'
import type { ToolId } from '../model/tool.js'
import { type CapabilityGraph, createClusterAnalysis } from './create-cluster-analysis.js'

const id = (name: string) => name as ToolId

function twoTeams(): CapabilityGraph {
  const teams = ['a', 'b'].map((team) => ({
    capabilities: [1, 2, 3].map((n) => id(`cap:${team}${n}`)),
    tools: [1, 2, 3].map((n) => id(`${team}:tool${n}`)),
  }))
  return {
    nodes: teams.flatMap(({ capabilities, tools }) => [...capabilities, ...tools]),
    memberships: teams.flatMap(({ capabilities, tools }) =>
      capabilities.flatMap((capability) => tools.map((tool) => ({ capability, tool }))),
    ),
    links: [{ from: id('cap:a1'), to: id('cap:b1'), weight: 0.4 }],
    edges: [{ from: id('cap:a1'), to: id('cap:a2'), weight: 1 }],
  }
}

it('is worked out in a worker, once for each revision, and answers meanwhile with the last', async () => {
  let revision = 0
  const analysis = createClusterAnalysis({
    revision: () => revision,
    graph: twoTeams,
    log: silentLog,
    debounceMs: 1,
  })
  expect(analysis.current().clusters.size).toBe(0)
  revision = 1
  expect(analysis.current().clusters.size).toBe(0)
  const { clusters, rank } = await analysis.settled()
  expect(clusters.get(id('cap:a1'))).toBe(clusters.get(id('a:tool3')))
  expect(clusters.get(id('cap:a1'))).not.toBe(clusters.get(id('b:tool3')))
  expect([...rank.values()].reduce((sum, value) => sum + value, 0)).toBeCloseTo(1)
  expect(analysis.current().clusters).toBe(clusters)
  await analysis.close()
})
