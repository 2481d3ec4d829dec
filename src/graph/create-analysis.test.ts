import { existsSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { builtUrl } from '../model/built-url.js'
import { type Log, silentLog } from '../model/log.js'
import { type Analyses, createAnalysis } from './create-analysis.js'
import type { KnowledgeGraph } from './knowledge-graph.js'
import { edge, graphOf, id, seen } from './test-graph.contract.js'

const built = existsSync(
  builtUrl('./analysis-worker.js', new URL('./create-analysis.ts', import.meta.url).href),
)
const rings = ['ab', 'bc', 'ca', 'xy', 'yz', 'zx', 'cx'].map((pair) => edge(pair[0]!, pair[1]!, 'sequence'))

let analyses: Analyses
afterEach(() => analyses.close())

const analyse = (
  graph: KnowledgeGraph,
  rest: { log?: Log; debounceMs?: number } = {},
  workerUrl?: URL,
): Analyses => {
  analyses = createAnalysis({ graph, log: silentLog, debounceMs: 1, ...rest }, workerUrl)
  return analyses
}

describe.skipIf(!built)('the analysis (skipped until `npm run build` has made dist/)', () => {
  it('answers at once with what it has, and later with what it found', async () => {
    const graph = graphOf(rings)
    const { current } = analyse(graph)
    expect(current()).toEqual({ revision: 0, pageRank: new Map(), communities: new Map() })
    await expect.poll(() => current().revision).toBe(graph.revision)
    const { pageRank, communities } = current()
    expect([...pageRank.values()].reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 9)
    expect(pageRank.get(id('x'))).toBeGreaterThan(pageRank.get(id('a'))!)
    expect(communities.get(id('a'))).toBe(communities.get(id('c')))
    expect(communities.get(id('a'))).not.toBe(communities.get(id('x')))
  })

  it('settles on a graph that changes while it computes', async () => {
    const graph = graphOf(rings)
    const { settled } = analyse(graph)
    const first = settled()
    graph.observe([seen('z', 'new', 'sequence')])
    const second = await settled()
    expect(second.revision).toBe(graph.revision)
    expect(second.pageRank.has(id('new'))).toBe(true)
    expect((await first).revision).toBeLessThanOrEqual(graph.revision)
    expect(await settled()).toBe(second)
  })

  it('an emptied graph has nobody', async () => {
    const graph = graphOf(rings)
    const { settled } = analyse(graph)
    await settled()
    graph.load([])
    expect(await settled()).toEqual({ revision: graph.revision, pageRank: new Map(), communities: new Map() })
  })

  it('those who wait when it closes are told', async () => {
    const { settled, close } = analyse(graphOf(rings))
    const told = expect(settled()).rejects.toThrow()
    await close()
    await told
    await expect(settled()).rejects.toThrow('closed')
  })
})

it('a worker that fails leaves the last analysis, is logged once, and tried again only with the next change', async () => {
  const warnings: string[] = []
  const graph = graphOf(rings)
  const { current, settled } = analyse(
    graph,
    { log: { ...silentLog, warn: (message) => warnings.push(message) } },
    new URL('data:text/javascript,throw new Error("no")'),
  )
  current()
  await expect.poll(() => warnings).toHaveLength(1)
  for (let i = 0; i < 5; i++) current()
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(warnings).toHaveLength(1)
  expect(current().revision).toBe(0)
  graph.observe([seen('a', 'c', 'sequence')])
  current()
  await expect.poll(() => warnings).toHaveLength(2)
  await expect(settled()).rejects.toThrow('no')
})

it('one worker at a time, and changes that come together are computed together', async () => {
  const started: number[] = []
  const graph = graphOf(rings)
  const counted = {
    get revision() {
      return graph.revision
    },
    weightedPairs: () => {
      started.push(graph.revision)
      return graph.weightedPairs()
    },
  }
  const worker = `import { parentPort, workerData } from 'node:worker_threads'
    parentPort.postMessage({ pageRank: new Float64Array(workerData.order), communities: new Uint32Array(workerData.order) })`
  analyses = createAnalysis(
    { graph: counted, log: silentLog, debounceMs: 20 },
    new URL(`data:text/javascript,${encodeURIComponent(worker)}`),
  )
  for (let i = 0; i < 10; i++) {
    graph.observe([seen('a', 'c', 'sequence')])
    analyses.current()
  }
  await expect.poll(() => analyses.current().revision).toBe(graph.revision)
  expect(started).toEqual([graph.revision])
})
