// How fast are clusters and ranks of capabilities and tools, and are clusters found that are there? Made-up graphs with planted clusters.
//   node bench/clusters/clusters.js [--json]     after `npm run build`; ends with 1 where a limit is broken

import { once } from 'node:events'
import { isDeepStrictEqual } from 'node:util'
import { Worker } from 'node:worker_threads'
import { spectralClusters } from '../../dist/graph/spectral-clusters.js'
import { seededRandom } from '../../dist/model/seeded-random.js'
import { formatToolId } from '../../dist/model/tool.js'
import { median } from '../overhead/stats.js'

const isJson = process.argv.includes('--json')
const times = 7
const rows = []
const row = (name, value, unit, isKept, limit) => {
  rows.push({ name, value, unit, limit, isKept })
  if (isJson) return
  console.log(
    `${name.padEnd(64)}${value.toFixed(unit === 'ms' ? 1 : 3).padStart(10)} ${unit.padEnd(3)} ${(limit ?? '').padEnd(14)}${isKept ? '' : 'BROKEN'}`,
  )
}

for (const [nodes, clusters, limit] of [
  [1_000, 5, 150],
  [5_000, 8, 2_000],
]) {
  const { graph, planted } = plant({ nodes, clusters, astray: 0.05, seed: nodes })
  const title = `${nodes} nodes, ${edgesPerNode(graph).toFixed(0)} edges a node`
  const results = await measure(title, { what: 'spectralClusters', graph, limit })
  const isSame = results.every((result) => isDeepStrictEqual(result, results[0]))
  row(`${title}: the same every time`, isSame ? 1 : 0, '', isSame, 'yes (1)')
  row(`${title}: clusters found`, results[0].k, '', results[0].k === clusters, `${clusters}`)
  const index = adjustedRand(planted, labelsOf(graph, results[0]))
  row(`${title}: adjusted Rand index`, index, '', index > 0.95, 'above .95')
}

for (const astray of [0.1, 0.2, 0.3, 0.4]) {
  const { graph, planted } = plant({ nodes: 1_000, clusters: 5, astray, seed: 7 })
  const clusters = spectralClusters(graph)
  const title = `1000 nodes, 5 clusters, ${astray * 100} % of ties astray`
  row(`${title}: clusters found`, clusters.k, '', true)
  row(`${title}: adjusted Rand index`, adjustedRand(planted, labelsOf(graph, clusters)), '', true)
  row(`${title}: of who knows the others`, adjustedRand(planted, byNeighbours(graph, planted)), '', true)
}

for (const [name, graph] of [
  ['5000 nodes in one chain, the worst case of Lanczos', chainOf(5_000)],
  ['5000 nodes in 1000 parts', starsOf(5_000)],
])
  await measure(name, { what: 'spectralClusters', graph, limit: 2_000 })

for (const nodes of [1_000, 5_000]) {
  const { graph } = plant({ nodes, clusters: 8, astray: 0.1, seed: nodes })
  const { nodes: names, memberships, links: edges } = graph
  await measure(`hypergraph PageRank, ${nodes} nodes`, {
    what: 'hypergraphPageRank',
    graph: { nodes: names, memberships, edges },
    limit: 200,
  })
}

if (isJson) console.log(JSON.stringify({ rows }))
process.exitCode = rows.every(({ isKept }) => isKept) ? 0 : 1

/** One node in three is a capability with 9 tools and 6 links; `astray` of these lead anywhere, the others stay in the cluster. */
function plant({ nodes: count, clusters, astray, seed }) {
  const random = seededRandom(seed)
  const below = (most) => Math.floor(random() * most)
  const planted = Array.from({ length: count }, (_, i) => i % clusters)
  const isCapability = (i) => Math.floor(i / clusters) % 3 === 0
  const nodes = planted.map((_, i) => formatToolId(isCapability(i) ? 'cap' : `server${i % 40}`, `n${i}`))
  const partner = (i, wanted) => {
    for (;;) {
      const other = below(count)
      const isNear = planted[other] === planted[i]
      if (other !== i && isCapability(other) === wanted && (isNear || random() < leak(astray, clusters)))
        return other
    }
  }
  const memberships = []
  const links = []
  for (let i = 0; i < count; i++) {
    if (!isCapability(i)) continue
    for (let n = 0; n < 9; n++) memberships.push({ capability: nodes[i], tool: nodes[partner(i, false)] })
    for (let n = 0; n < 6; n++)
      links.push({ from: nodes[i], to: nodes[partner(i, true)], weight: 0.35 + 0.6 * random() })
  }
  return { graph: { nodes, memberships, links }, planted }
}

/** How often a partner from elsewhere must be taken for `astray` of all to be so. */
function leak(astray, clusters) {
  return astray / ((1 - astray) * (clusters - 1))
}

function chainOf(count) {
  const nodes = Array.from({ length: count }, (_, i) => formatToolId('cap', `n${i}`))
  const links = nodes.slice(1).map((to, i) => ({ from: nodes[i], to, weight: 1 }))
  return { nodes, memberships: [], links }
}

/** Capabilities with four tools each, as when little has been learned. */
function starsOf(count) {
  const nodes = Array.from({ length: count }, (_, i) => formatToolId(i % 5 === 0 ? 'cap' : 'server', `n${i}`))
  const memberships = nodes.flatMap((tool, i) =>
    i % 5 === 0 ? [] : [{ capability: nodes[i - (i % 5)], tool }],
  )
  return { nodes, memberships, links: [] }
}

function edgesPerNode({ nodes, memberships, links }) {
  return (2 * (memberships.length + links.length)) / nodes.length
}

function labelsOf({ nodes }, { of }) {
  return nodes.map((node) => of.get(node))
}

/** As well as can be: each node goes where most of its ties lead, by the clusters that were planted. */
function byNeighbours({ nodes, memberships, links }, planted) {
  const places = new Map(nodes.map((node, i) => [node, i]))
  const votes = nodes.map(() => new Map())
  const vote = (a, b, weight) => {
    for (const [one, other] of [
      [places.get(a), places.get(b)],
      [places.get(b), places.get(a)],
    ])
      votes[one].set(planted[other], (votes[one].get(planted[other]) ?? 0) + weight)
  }
  for (const { capability, tool } of memberships) vote(capability, tool, 1)
  for (const { from, to, weight } of links) vote(from, to, weight)
  return votes.map((ballot, i) => {
    const [best] = [...ballot].sort((a, b) => b[1] - a[1])
    return best === undefined ? `alone ${i}` : best[0]
  })
}

/** L. Hubert, P. Arabie. Comparing partitions. Journal of Classification 2, 1985. */
function adjustedRand(a, b) {
  const cells = new Map()
  const [left, right] = [new Map(), new Map()]
  const count = (map, key) => map.set(key, (map.get(key) ?? 0) + 1)
  for (const [i, one] of a.entries()) {
    count(cells, `${one} ${b[i]}`)
    count(left, one)
    count(right, b[i])
  }
  const pairs = (map) => [...map.values()].reduce((sum, n) => sum + (n * (n - 1)) / 2, 0)
  const chance = (pairs(left) * pairs(right)) / ((a.length * (a.length - 1)) / 2)
  const most = (pairs(left) + pairs(right)) / 2
  return (pairs(cells) - chance) / (most - chance)
}

/** Rows of its times; gives the results. On a busy machine the time on the processor says what it would take on another. */
async function measure(title, { what, graph, limit }) {
  const runs = []
  for (let i = 0; i < times; i++) {
    const worker = new Worker(new URL('./one-run.js', import.meta.url), { workerData: { what, graph } })
    const [run] = await once(worker, 'message')
    await worker.terminate()
    runs.push(run)
  }
  const took = median(runs.map(({ ms }) => ms))
  row(`${title}: median of ${times}`, took, 'ms', took < limit, `below ${limit} ms`)
  row(`${title}: on the processor`, median(runs.map(({ cpuMs }) => cpuMs)), 'ms', true)
  return runs.map(({ result }) => result)
}
