// Does what was learned help to find the next tool? Plans of a set are replayed as runs, through the code that learns from real
// ones; then requests that were held out are searched with and without their earlier tools as context.
//   npm run bench:graph-helps -- --set DIR           prints the table of README.md
//   npm run bench:graph-helps -- --set DIR --json    the same as one JSON object on the last line

import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import { openToolVectors } from '../../dist/embed/open-tool-vectors.js'
import { createStaticEmbedder } from '../../dist/embed/static-embedder.js'
import { readRows, readToolSet } from '../../dist/evaluate/read-set.js'
import { createKnowledgeGraph } from '../../dist/graph/create-knowledge-graph.js'
import { observeTraces } from '../../dist/learn/observe-traces.js'
import { traceRun } from '../../dist/learn/trace-run.js'
import { silentLog } from '../../dist/model/log.js'
import { newId } from '../../dist/model/new-id.js'
import { createToolSearch } from '../../dist/plan/find/create-tool-search.js'

const { values } = parseArgs({
  options: {
    set: { type: 'string', default: '../shared/eval/gnn4tp_ultratool' },
    seeds: { type: 'string', default: '42-46' },
    json: { type: 'boolean', default: false },
  },
})
const [first, last = first] = values.seeds.split('-').map(Number)
const depth = 5
const asked = 20

const set = await readToolSet(values.set)
const plans = (await readRows(values.set, 'dags'))
  .map((row) => ({ id: String(row.id), query: row.query, tools: inOrder(row), edges: edgesOf(row) }))
  .filter(({ tools }) => tools.length > 1)

const rounds = []
for (let seed = first; seed <= last; seed++) rounds.push(await measure(seed))
const mean = (pick) => rounds.reduce((sum, round) => sum + pick(round), 0) / rounds.length
const spread = (pick) => {
  const all = rounds.map(pick)
  return Math.max(...all) - Math.min(...all)
}
const figures = {
  plans_learned: rounds[0].learned,
  requests_held_out: rounds[0].heldOut,
  steps: rounds[0].steps,
  edges: rounds[0].edges,
  'without_context recall@5': mean((r) => r.without),
  'with_context recall@5': mean((r) => r.with),
  'gain recall@5': mean((r) => r.with - r.without),
  'spread of the gain': spread((r) => r.with - r.without),
  'with_context, nothing learned recall@5': mean((r) => r.unlearned),
  orders_changed_without_context: rounds.reduce((sum, r) => sum + r.changed, 0),
}
if (values.json) console.log(JSON.stringify(figures))
else {
  console.log(`seeds ${values.seeds}, ${values.set.split('/').at(-1)}`)
  for (const [name, value] of Object.entries(figures))
    console.log(`${name.padEnd(42)}${Number.isInteger(value) ? value : value.toFixed(4)}`)
}

async function measure(seed) {
  const isHeldOut = ({ id }) => share(`${seed}:${id}`) < 0.2
  const { search, graph, vectors } = await open()
  const held = plans.filter(isHeldOut)
  const firstOrders = []
  for (const { query } of held) firstOrders.push(await order(search, query, []))
  const without = await nextRecall(search, held, () => [])
  const unlearned = await nextRecall(search, held, (before) => before)
  const learned = plans.filter((plan) => !isHeldOut(plan))
  for (const plan of learned) graph.observe(observeTraces(replay(plan)))
  let changed = 0
  for (const [at, { query }] of held.entries())
    if ((await order(search, query, [])) !== firstOrders[at]) changed++
  const withContext = await nextRecall(search, held, (before) => before)
  await vectors.close()
  return {
    learned: learned.length,
    heldOut: held.length,
    steps: without.steps,
    edges: graph.edges().length,
    without: without.recall,
    unlearned: unlearned.recall,
    with: withContext.recall,
    changed,
  }
}

/** For each step of each plan after the first: is the next tool among the first five of those not used yet? */
async function nextRecall(search, held, contextOf) {
  let hits = 0
  let steps = 0
  for (const { query, tools } of held) {
    for (let at = 1; at < tools.length; at++) {
      const before = tools.slice(0, at)
      if (before.includes(tools[at])) continue
      const found = await search.search(query, { limit: asked, context: contextOf(before) })
      const rest = found.map(({ tool }) => tool.id).filter((id) => !before.includes(id))
      steps++
      if (rest.slice(0, depth).includes(tools[at])) hits++
    }
  }
  return { recall: hits / steps, steps }
}

async function order(search, query, context) {
  const found = await search.search(query, { limit: 50, context })
  return found.map(({ tool, score }) => `${tool.id} ${score}`).join('\n')
}

async function open() {
  const vectors = openToolVectors({ store: () => Promise.reject(new Error('no store')), log: silentLog })
  const graph = createKnowledgeGraph({ now: Date.now, cosine: (a, b) => search.cosine(a, b) })
  const search = createToolSearch({ vectors, graph })
  await vectors.use(createStaticEmbedder())
  search.follow(set.tools)
  await search.settled()
  return { search, graph, vectors }
}

/** A plan of the set as a run of ours that went well. */
function replay({ query, tools, edges }) {
  const at = Date.now()
  const tasks = tools.map((tool, i) => ({
    id: `t${i}`,
    tool,
    arguments: {},
    dependsOn: edges.filter(([, to]) => to === tool).map(([from]) => `t${tools.indexOf(from)}`),
    onError: 'fail',
  }))
  const outcomes = tasks.map(({ id, tool }, i) => ({
    id,
    tool,
    arguments: {},
    status: 'complete',
    result: {},
    startedAt: at + i * 10,
    ms: 5,
  }))
  const run = {
    id: newId(),
    intent: query,
    status: 'complete',
    tasks: outcomes,
    startedAt: at,
    endedAt: at + 1000,
  }
  return traceRun({ intent: query, tasks }, run, { redact: (text) => text })
}

function inOrder(row) {
  return [...new Set(row.nodes.map(({ tool }) => set.toolOf(tool)).filter((tool) => tool !== undefined))]
}

function edgesOf(row) {
  const toolOfNode = new Map(row.nodes.map(({ nid, tool }) => [nid, tool]))
  const pairs = row.edges_by_tool ?? (row.edges ?? []).map(([a, b]) => [toolOfNode.get(a), toolOfNode.get(b)])
  return pairs
    .map(([a, b]) => [set.toolOf(a), set.toolOf(b)])
    .filter(([a, b]) => a !== undefined && b !== undefined && a !== b)
}

function share(text) {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32
}
