// What the model is trained and judged on, written by the product itself: a tool's text is the one search will embed, and
// the score by words is the one search will add to.
//   node training/texts.js [FOLDER of sets, default ../shared/eval]     -> .training/texts/{train,check,dev}-NAME.json
//
//   train   {name, tools: [{server, text}], pairs: [[request, tool]]}                         what is learned from
//   check   {name, tools: [{server, text, tool}], requests, wanted: [[tool]], words: [[[tool, score]]]}   held-out tools of train/
//   dev     the same, of the development sets: reported, never chosen by

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { openToolVectors } from '../dist/embed/open-tool-vectors.js'
import { createKnowledgeGraph } from '../dist/graph/create-knowledge-graph.js'
import { createToolSearch } from '../dist/plan/find/create-tool-search.js'
import { toolSentence } from '../dist/plan/find/tool-sentence.js'

const folder = process.argv[2] ?? '../shared/eval'
const out = '.training/texts'
/** Sources that are held out whole: requests in a manner the model has never seen. */
const unseen = new Set(['toolalpaca', 'rotbench', 'openfunctions_v1', 'apibank', 'composio'])
const heldShare = 0.1
/** With fewer servers, tools are held out one by one. */
const leastServers = 20
const mostCheckTools = 1500
/** A catalogue of fewer is no search: tools that were learned from fill it up. */
const leastCheckTools = 150
const mostCheckRequests = 300

mkdirSync(out, { recursive: true })
for (const name of readdirSync(join(folder, 'train')).filter((name) => !name.includes('.'))) {
  const { tools, pairs } = readPairs(name)
  const isHeld = holdOut(name, tools)
  const held = tools.map(isHeld)
  const requestsOfHeld = new Set(pairs.filter(([, at]) => held[at]).map(([request]) => request))
  const learned = pairs.filter(([request, at]) => !held[at] && !requestsOfHeld.has(request))
  if (learned.length > 0) writeTraining(name, tools, held, learned)
  await writeCheck(name, tools, held, pairs)
}
for (const name of readdirSync(folder).filter((name) => existsSync(join(folder, name, 'queries.jsonl')))) {
  const rows = readRows(join(folder, name, 'tools.jsonl'))
  const places = new Map(rows.map(({ id }, at) => [id, at]))
  const requests = readRows(join(folder, name, 'queries.jsonl')).filter(({ gold }) => gold.length > 0)
  const wanted = requests.map(({ gold }) => gold.map((id) => places.get(id) ?? -1))
  const tools = rows.map((row, at) => makeTool(row, at))
  await writeSet(
    `dev-${name}`,
    name,
    tools,
    requests.map(({ query }) => query),
    wanted,
  )
}

function readPairs(name) {
  const places = new Map()
  const tools = []
  const pairs = readRows(join(folder, 'train', name, 'pairs.jsonl.gz')).map(({ query, tool }) => {
    const key = JSON.stringify(tool)
    if (!places.has(key)) {
      places.set(key, tools.length)
      const properties = Object.fromEntries((tool.params ?? []).map((parameter) => [parameter, {}]))
      tools.push(makeTool({ ...tool, inputSchema: { type: 'object', properties } }, tools.length))
    }
    return [query, places.get(key)]
  })
  return { tools, pairs }
}

function readRows(path) {
  const bytes = readFileSync(path)
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

function makeTool({ name, server, description, inputSchema }, at) {
  const definition = { name, description: description ?? '', inputSchema }
  return { id: `${at}:${name}`, server: server ?? '', name, definition, hash: '', listed: true, flags: [] }
}

/** By tool, never by request; by server where there are many, so that no tool's neighbours were seen either. */
function holdOut(name, tools) {
  if (unseen.has(name)) return () => true
  const byServer = new Set(tools.map(({ server }) => server)).size >= leastServers
  return ({ server, name: tool }) =>
    shareOf(byServer ? `${name} ${server}` : `${name} ${server} ${tool}`) < heldShare
}

function shareOf(text) {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
}

function writeTraining(name, tools, held, pairs) {
  const places = new Map()
  for (const [at] of tools.entries()) if (!held[at]) places.set(at, places.size)
  const kept = tools.filter((_, at) => !held[at])
  write(`train-${name}`, {
    name,
    tools: kept.map(describe),
    pairs: pairs.map(([request, at]) => [request, places.get(at)]),
  })
  console.log(`train ${name}: ${pairs.length} pairs, ${kept.length} tools`)
}

async function writeCheck(name, tools, held, pairs) {
  const places = new Map()
  const all = tools.map((tool, at) => ({ tool, at }))
  const chosen = evenly(
    all.filter(({ at }) => held[at]),
    mostCheckTools,
  )
  const fill = evenly(
    all.filter(({ at }) => !held[at]),
    Math.max(0, leastCheckTools - chosen.length),
  )
  const kept = [...chosen, ...fill]
  for (const { at } of kept) places.set(at, places.size)
  const wanted = new Map()
  for (const [request, at] of pairs) wanted.set(request, [...(wanted.get(request) ?? []), at])
  const whole = [...wanted].filter(([, list]) => list.every((at) => held[at] && places.has(at)))
  const asked = evenly(whole, mostCheckRequests)
  if (asked.length < 20) return
  await writeSet(
    `check-${name}`,
    name,
    kept.map(({ tool }) => tool),
    asked.map(([request]) => request),
    asked.map(([, list]) => [...new Set(list)].map((at) => places.get(at))),
  )
}

async function writeSet(file, name, tools, requests, wanted) {
  const search = await openWordSearch(tools)
  const words = []
  for (const request of requests) {
    const hits = await search.search(request, { limit: tools.length, context: [] })
    words.push(hits.map(({ tool, parts }) => [Number.parseInt(tool.id, 10), Number(parts.words.toFixed(4))]))
  }
  const places = new Map(tools.map(({ id }, at) => [Number.parseInt(id, 10), at]))
  write(file, {
    name,
    unseen: unseen.has(name),
    tools: tools.map((tool) => ({ ...describe(tool), tool })),
    requests,
    wanted,
    words: words.map((list) => list.map(([id, score]) => [places.get(id), score])),
  })
  console.log(`${file}: ${requests.length} requests, ${tools.length} tools`)
}

async function openWordSearch(tools) {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const vectors = openToolVectors({ store: () => Promise.reject(new Error('no store')), log })
  const graph = createKnowledgeGraph({ now: Date.now, cosine: () => undefined })
  const search = createToolSearch({ vectors, graph })
  search.follow(tools)
  await search.settled()
  return search
}

function describe(tool) {
  return { server: tool.server, text: toolSentence(tool) }
}

function evenly(list, most) {
  if (list.length <= most) return list
  return Array.from({ length: most }, (_, at) => list[Math.floor((at * list.length) / most)])
}

function write(file, value) {
  writeFileSync(join(out, `${file}.json`), JSON.stringify(value))
}
