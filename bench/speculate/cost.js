// What does foretelling calls cost, once 100,000 calls of 500 tools were learned? Every figure against its limit; ends with 1 where one is broken.
//   node --expose-gc bench/speculate/cost.js [--calls 100000] [--json]     after `npm run build`

import { seededRandom } from '../../dist/model/seeded-random.js'
import { plainPriors } from '../../dist/plan/predict/calls/call-priors.js'
import { createCallPredictor } from '../../dist/plan/predict/calls/create-call-predictor.js'
import { quantile } from '../overhead/stats.js'

if (globalThis.gc === undefined) {
  console.error('Memory is measured after a collection: run with node --expose-gc.')
  process.exit(2)
}

const isJson = process.argv.includes('--json')
const asked = process.argv.indexOf('--calls')
const calls = asked < 0 ? 100_000 : Number(process.argv[asked + 1])
const measured = Math.min(2_000, calls)
const servers = 25
const toolsPerServer = 20
const callsPerSession = 20
const toolsOfALook = 8

const random = seededRandom(42)
const below = (most) => Math.floor(random() * most)
const pick = (list) => list[below(list.length)]
const rows = []
const row = (name, value, unit, limit) => {
  const isKept = limit === undefined || value < limit
  rows.push({ name, value, unit, limit, isKept })
  if (isJson) return
  const bound = limit === undefined ? '' : `below ${limit} ${unit}`
  console.log(
    `${name.padEnd(64)}${value.toFixed(2).padStart(12)} ${unit.padEnd(5)} ${bound.padEnd(14)}${isKept ? '' : 'BROKEN'}`,
  )
}

/** Where the arguments of tools come from, as in sessions of agents: each tool has one to four, each its own habit. */
const habits = ['id', 'id', 'id', 'row', 'constant', 'constant', 'page', 'request', 'path', 'day', 'free']
const tools = Array.from({ length: servers * toolsPerServer }, (_, at) => ({
  id: `server${Math.floor(at / toolsPerServer)}:tool_${at % toolsPerServer}`,
  arguments: Array.from({ length: 1 + below(4) }, (_, n) => ({ name: `argument_${n}`, habit: pick(habits) })),
  // A page of a listing: 50 to 200 leaves.
  results: 10 + below(30),
  isText: at % 5 === 0,
}))
const serverTools = (server) => tools.slice(server * toolsPerServer, (server + 1) * toolsPerServer)

let serial = 0
function resultOf({ results, isText }) {
  const items = Array.from({ length: results }, () => {
    serial += 1
    return {
      id: `item_${serial}`,
      name: `Name ${below(1_000)}`,
      owner: { login: `user${below(90)}` },
      size: below(1e6),
      open: true,
    }
  })
  if (isText)
    return items.map(({ id, name }) => `[FILE] ${id}.md\n${name}: see https://example.org/${id}`).join('\n')
  return { total: items.length, items }
}

function argumentOf({ habit }, tool, session) {
  const item = session.items[session.used % Math.max(1, session.items.length)]
  switch (habit) {
    case 'id':
      return item?.id ?? `item_${below(1_000)}`
    case 'row':
      return item?.owner?.login ?? `user${below(90)}`
    case 'constant':
      return pick(['open', 'open', 'open', 'closed', 'all'])
    case 'page':
      return (session.pages.get(tool.id) ?? 0) + 1
    case 'request':
      return session.account
    case 'path':
      return `/srv/data/${item?.id ?? below(1_000)}.md`
    case 'day':
      return `2026-0${1 + below(9)}-1${below(10)}`
    case 'free':
      return `words that nobody has said before ${below(1e9)}`
  }
}

function* sessionsOf(count) {
  for (let left = count, at = 0; left > 0; left -= callsPerSession, at++) {
    const server = below(servers)
    const account = `ann_lee_${1_000 + below(9_000)}`
    yield {
      id: `session ${at}`,
      account,
      server,
      items: [],
      used: 0,
      pages: new Map(),
      calls: Math.min(callsPerSession, left),
    }
  }
}

function nextCall(session) {
  const tool = random() < 0.5 && session.tool !== undefined ? session.tool : pick(serverTools(session.server))
  session.tool = tool
  const args = Object.fromEntries(
    tool.arguments.map((argument) => [argument.name, argumentOf(argument, tool, session)]),
  )
  session.pages.set(tool.id, (session.pages.get(tool.id) ?? 0) + 1)
  session.used += 1
  const result = resultOf(tool)
  if (typeof result === 'object') Object.assign(session, { items: result.items, used: 0 })
  return {
    session: session.id,
    tool: tool.id,
    arguments: args,
    result,
    at: Date.UTC(2026, 0, 1) + serial * 100,
  }
}

let looking
const predictor = createCallPredictor({
  nextTools: () => {
    const others = serverTools(looking.server).filter((tool) => tool !== looking.tool)
    const likely = looking.tool === undefined ? others : [looking.tool, ...others]
    return likely.slice(0, toolsOfALook).map(({ id }, at) => ({ tool: id, p: 0.5 ** (at + 1), signals: {} }))
  },
  prior: plainPriors,
  redact: (text) => text.replaceAll('a secret', '[redacted]'),
})

const heapMb = () => {
  globalThis.gc()
  return process.memoryUsage().heapUsed / 1e6
}
const timed = (act, into) => {
  const start = performance.now()
  const result = act()
  into.push(performance.now() - start)
  return result
}

const before = heapMb()
for (const session of sessionsOf(calls - measured)) {
  if (random() < 0.5) predictor.hear(session.id, `I am ${session.account}, show me what is open since May 20`)
  for (let at = 0; at < session.calls; at++) predictor.count(nextCall(session))
  predictor.endSession(session.id)
}
const [foretold, looks, observed] = [[], [], []]
for (const session of sessionsOf(measured)) {
  looking = session
  if (random() < 0.5) predictor.hear(session.id, `I am ${session.account}, show me what is open since May 20`)
  for (let at = 0; at < session.calls; at++) {
    foretold.push(timed(() => predictor.predict(session.id, 5), looks).length)
    const call = nextCall(session)
    timed(() => predictor.observe(call), observed)
  }
  predictor.endSession(session.id)
}
const after = heapMb()

row('a look at 8 tools: p50', quantile(looks, 0.5), 'ms')
row('a look at 8 tools: p95', quantile(looks, 0.95), 'ms', 5)
row('calls foretold a look, mean', foretold.reduce((sum, count) => sum + count, 0) / foretold.length, '')
row('a call is learned: p50', quantile(observed, 0.5), 'ms')
row('a call is learned: p95', quantile(observed, 0.95), 'ms', 10)
row('memory of templates and weights', after - before, 'MB', 100)
const changes = []
const { changed } = timed(() => predictor.changedTemplates(), changes)
row('rows to be stored', changed.length, 'rows')
row('making them, all at once', changes[0], 'ms')
const loads = []
timed(() => predictor.loadTemplates(changed), loads)
row('loading them', loads[0], 'ms')
if (isJson) console.log(JSON.stringify({ calls, rows }))
process.exitCode = rows.every(({ isKept }) => isKept) ? 0 : 1
