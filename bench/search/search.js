// How fast is search, and how does it grow? Made-up catalogues whose words are as unevenly common as those of real ones.
//   npm run bench:search            prints the tables of README.md
//   npm run bench:search -- --json  the same as one JSON object on the last line

import { openToolVectors } from '../../dist/embed/open-tool-vectors.js'
import { createStaticEmbedder } from '../../dist/embed/static-embedder.js'
import { createKnowledgeGraph } from '../../dist/graph/create-knowledge-graph.js'
import { pageRank } from '../../dist/graph/page-rank.js'
import { orderTypes, shortestPath } from '../../dist/graph/shortest-path.js'
import { silentLog } from '../../dist/model/log.js'
import { formatToolId } from '../../dist/model/tool.js'
import { createToolSearch } from '../../dist/plan/find/create-tool-search.js'

const searches = 300
const random = seeded(42)
const plainWords =
  'create list delete update search get issue file message user account project table query event report price weather city image page deploy cluster token the a of for in with by and new all current given specified returns sends reads'.split(
    ' ',
  )
const vocabulary = Array.from({ length: 20_000 }, (_, i) => word(i))
const json = process.argv.includes('--json')
const figures = {}

// Before anything else, as at a start: what the model takes is what the process grows by.
figures.model = await measureModel()
// The graph next: after a hundred thousand tools the collector of garbage would be measured too.
figures.graph = measureGraph(5_000, 50_000)
const rows = []
for (const size of [100, 1_000, 3_000, 10_000, 20_000, 50_000, 100_000]) rows.push(await measureSearch(size))
figures.search = rows
if (json) console.log(JSON.stringify(figures))
else {
  console.log(
    'tools    taken up ms  per tool us  p50 ms  p95 ms  three wishes p95 ms  in context p95 ms  one tool more ms',
  )
  for (const row of rows)
    console.log(
      `${String(row.tools).padEnd(9)}${fixed(row.index_ms, 0, 13)}${fixed(row.per_tool_us, 0, 13)}${fixed(row.p50_ms, 2, 8)}${fixed(row.p95_ms, 2, 8)}${fixed(row.wishes_p95_ms, 2, 21)}${fixed(row.context_p95_ms, 2, 19)}${fixed(row.one_more_ms, 2, 0)}`,
    )
  console.log()
  for (const [name, value] of Object.entries({ ...figures.model, ...figures.graph }))
    console.log(`${name.padEnd(34)}${value.toFixed(3)}`)
}

async function measureModel() {
  const { signal } = new AbortController()
  const before = process.memoryUsage().rss
  const embedder = createStaticEmbedder()
  const load = await timed(() => embedder.embed(['list the open issues'], 'query', signal))
  const memory = process.memoryUsage().rss - before
  const said = (words) => Array.from({ length: words }, () => pick(plainWords)).join(' ')
  const requests = Array.from({ length: 2_000 }, () => said(12))
  const times = []
  for (const text of requests) times.push(await timed(() => embedder.embed([text], 'query', signal)))
  const tools = Array.from({ length: 5_000 }, () => `server ${said(3)}: ${said(30)}. Parameters: ${said(6)}`)
  const all = await timed(() => embedder.embed(tools, 'tool', signal))
  return {
    model_load_ms: load,
    model_memory_mb: memory / 2 ** 20,
    model_request_p50_ms: quantile(times, 0.5),
    model_request_p95_ms: quantile(times, 0.95),
    model_5000_tools_ms: all,
  }
}

async function measureSearch(size) {
  const tools = Array.from({ length: size }, (_, i) => makeTool(i))
  const vectors = openToolVectors({ store: () => Promise.reject(new Error('no store')), log: silentLog })
  const graph = createKnowledgeGraph({ now: Date.now, cosine: (a, b) => search.cosine(a, b) })
  const search = createToolSearch({ vectors, graph })
  await vectors.use(createStaticEmbedder())
  graph.observe(randomObservations(tools, Math.min(50_000, size * 5)))
  const index = await timed(async () => {
    search.follow(tools)
    await search.settled()
  })
  const context = () => Array.from({ length: 5 }, () => pick(tools).id)
  const plain = []
  const wishes = []
  const inContext = []
  for (let i = 0; i < searches; i++) {
    const query = request(pick(tools))
    plain.push(await timed(() => search.search(query, { limit: 10, context: [] })))
    const several = [query, request(pick(tools)), request(pick(tools))].join('. ')
    wishes.push(await timed(() => search.search(several, { limit: 10, context: [] })))
    const tools5 = context()
    inContext.push(await timed(() => search.search(`${query} again`, { limit: 10, context: tools5 })))
  }
  const more = [...tools, makeTool(size)]
  const oneMore = await timed(async () => {
    search.follow(more)
    await search.settled()
  })
  await vectors.close()
  return {
    tools: size,
    index_ms: index,
    per_tool_us: (index * 1000) / size,
    p50_ms: quantile(plain, 0.5),
    p95_ms: quantile(plain, 0.95),
    wishes_p95_ms: quantile(wishes, 0.95),
    context_p95_ms: quantile(inContext, 0.95),
    one_more_ms: oneMore,
  }
}

function measureGraph(nodes, edges) {
  const tools = Array.from({ length: nodes }, (_, i) => ({ id: formatToolId(`s${i % 50}`, `t${i}`) }))
  const filled = createKnowledgeGraph({ now: () => 0, cosine: () => 0.5 })
  filled.observe(randomObservations(tools, edges * 1.2))
  const all = filled.edges().slice(0, edges)
  const loads = Array.from({ length: 5 }, () => {
    const fresh = createKnowledgeGraph({ now: () => 0, cosine: () => 0.5 })
    return time(() => fresh.load(all))
  })
  const graph = createKnowledgeGraph({ now: () => 0, cosine: () => 0.5 })
  graph.load(all)
  const { pairs } = graph.weightedPairs()
  const rank = Math.min(...[1, 2, 3].map(() => time(() => pageRank(pairs))))
  const paths = Array.from({ length: 500 }, () => {
    const from = Math.floor(random() * (tools.length - 100))
    const to = from + 1 + Math.floor(random() * 99)
    return time(() => shortestPath(graph, { from: tools[from].id, to: tools[to].id, types: orderTypes }))
  })
  const updates = randomObservations(tools, 2_000).map((one) => time(() => graph.observe([one])))
  return {
    nodes,
    edges: all.length,
    load_first_ms: loads[0],
    load_median_ms: quantile(loads, 0.5),
    page_rank_ms: rank,
    shortest_path_p50_ms: quantile(paths, 0.5),
    shortest_path_p95_ms: quantile(paths, 0.95),
    edge_update_p50_ms: quantile(updates, 0.5),
    edge_update_p95_ms: quantile(updates, 0.95),
  }
}

function makeTool(i) {
  const words = (count) => Array.from({ length: count }, zipf)
  const name = words(3).join('_')
  const parameters = words(4).map((key) => [key, { type: 'string', description: words(6).join(' ') }])
  return {
    id: formatToolId(`server${i % 50}`, `${name}_${i}`),
    server: `server${i % 50}`,
    name: `${name}_${i}`,
    definition: {
      name,
      description: words(18).join(' '),
      inputSchema: { type: 'object', properties: Object.fromEntries(parameters) },
    },
    hash: `h${i}`,
    listed: true,
    flags: [],
  }
}

/** Half of the words are the tool's, half are others: a request of 12 words. */
function request(tool) {
  const own = `${tool.definition.name.replaceAll('_', ' ')} ${tool.definition.description}`.split(' ')
  return Array.from({ length: 12 }, (_, i) => (i % 2 ? pick(own) : zipf())).join(' ')
}

function randomObservations(tools, count) {
  const types = ['sequence', 'provides', 'dependency']
  return Array.from({ length: count }, () => {
    const from = Math.floor(random() * tools.length)
    // Always upwards, so that no dependency is refused for its cycle; near, as in clusters of tools used together.
    const to = Math.min(tools.length - 1, from + 1 + Math.floor(random() * 40))
    return {
      from: tools[from].id,
      to: tools[to].id,
      type: types[Math.floor(random() * 3)],
      success: true,
      at: 0,
    }
  }).filter(({ from, to }) => from !== to)
}

/** G. K. Zipf: the n-th most common word comes about 1/n as often as the first. */
function zipf() {
  return vocabulary[Math.floor(vocabulary.length ** random()) - 1]
}

function word(i) {
  const syllables = ['re', 'con', 'ta', 'li', 'mo', 'ser', 'ing', 'de', 'pu', 'kan']
  let text = ''
  for (let rest = i + 10; rest > 0; rest = Math.floor(rest / 10)) text += syllables[rest % 10]
  return text
}

function pick(list) {
  return list[Math.floor(random() * list.length)]
}

function time(work) {
  const from = performance.now()
  work()
  return performance.now() - from
}

async function timed(work) {
  const from = performance.now()
  await work()
  return performance.now() - from
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

function fixed(value, digits, width) {
  return value.toFixed(digits).padEnd(width)
}

function seeded(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
