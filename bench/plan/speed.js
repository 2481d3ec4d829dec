// How fast is a plan? A made-up catalogue of 3,000 tools whose words are as unevenly common as those of real ones, and a graph of
// 20,000 edges between them.
//   node bench/plan/speed.js          prints the table of README.md
//   node bench/plan/speed.js --json   the same as one JSON object on the last line

import { createStaticEmbedder } from '../../dist/embed/static-embedder.js'
import { openPlanner } from '../../dist/evaluate/open-planner.js'
import { formatToolId } from '../../dist/model/tool.js'

const size = 3_000
const edges = 20_000
const suggestions = 200
const wirings = 30
const analysed = 30
const random = seeded(42)
const vocabulary = Array.from({ length: 20_000 }, (_, i) => word(i))
const tools = Array.from({ length: size }, (_, i) => makeTool(i))

const figures = { ...(await measurePairs()), ...(await measureSuggestions()) }
if (process.argv.includes('--json')) console.log(JSON.stringify(figures))
else
  for (const [name, value] of Object.entries(figures))
    console.log(`${name.padEnd(34)}${Number.isInteger(value) ? value : value.toFixed(2)}`)

/** From the words of an intent to the DAG, the whole catalogue to choose from. */
async function measureSuggestions() {
  const planner = await openPlanner({ tools, embedder: createStaticEmbedder() })
  while (planner.graph.edges().length < edges) planner.graph.observe(randomObservations(1_000))
  const intents = Array.from({ length: suggestions }, () => intentOf([pick(tools), pick(tools), pick(tools)]))
  const times = []
  // The first ones find code that was never run.
  for (const intent of intents.slice(0, 20)) await planner.plan(`${intent} soon`)
  for (const intent of intents) times.push(await timed(() => planner.plan(intent)))
  await planner.close()
  return {
    tools: size,
    edges: planner.graph.edges().length,
    suggestion_p50_ms: quantile(times, 0.5),
    suggestion_p95_ms: quantile(times, 0.95),
    suggestion_max_ms: Math.max(...times),
  }
}

/** Every ordered pair of 30 tools: cold, when none of them was ever looked at, and again with another intent. */
async function measurePairs() {
  const planner = await openPlanner({ tools: [], embedder: createStaticEmbedder() })
  const cold = []
  const cached = []
  for (let i = 0; i < wirings; i++) {
    const given = tools.slice(i * analysed, (i + 1) * analysed)
    cold.push(await timed(() => planner.wire(intentOf(given.slice(0, 3)), given)))
    cached.push(await timed(() => planner.wire(intentOf(given.slice(3, 6)), given)))
  }
  await planner.close()
  return {
    pairs_of: analysed,
    pairs_first_ms: cold[0],
    pairs_cold_p50_ms: quantile(cold, 0.5),
    pairs_cold_p95_ms: quantile(cold.slice(1), 0.95),
    pairs_cached_p50_ms: quantile(cached, 0.5),
    pairs_cached_p95_ms: quantile(cached, 0.95),
  }
}

function makeTool(i) {
  const words = (count) => Array.from({ length: count }, zipf)
  const name = words(3).join('_')
  const schema = (count) => ({
    type: 'object',
    properties: Object.fromEntries(
      words(count).map((key) => [key, { type: 'string', description: words(6).join(' ') }]),
    ),
  })
  const inputSchema = schema(4)
  return {
    id: formatToolId(`server${i % 50}`, `${name}_${i}`),
    server: `server${i % 50}`,
    name: `${name}_${i}`,
    definition: {
      name,
      description: words(18).join(' '),
      inputSchema: { ...inputSchema, required: Object.keys(inputSchema.properties).slice(0, 2) },
      outputSchema: schema(5),
    },
    hash: `h${i}`,
    listed: true,
    flags: [],
  }
}

/** A clause of eight words for each tool, half of them the tool's own. */
function intentOf(wanted) {
  const clauses = wanted.map(({ definition }) => {
    const own = `${definition.name.replaceAll('_', ' ')} ${definition.description}`.split(' ')
    return Array.from({ length: 8 }, (_, i) => (i % 2 ? pick(own) : zipf())).join(' ')
  })
  return clauses.join(', then ')
}

function randomObservations(count) {
  const types = ['sequence', 'provides', 'dependency']
  return Array.from({ length: count }, () => {
    const from = Math.floor(random() * (tools.length - 1))
    // Always upwards, so that no dependency is refused for its cycle; near, as in clusters of tools used together.
    const to = Math.min(tools.length - 1, from + 1 + Math.floor(random() * 40))
    return { from: tools[from].id, to: tools[to].id, type: pick(types), success: true, at: Date.now() }
  })
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

async function timed(work) {
  const from = performance.now()
  await work()
  return performance.now() - from
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

function seeded(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
