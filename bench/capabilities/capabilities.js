// How fast is a shelf of 5,000 capabilities? Every figure against its limit; ends with 1 where one is broken.
//   node bench/capabilities/capabilities.js            prints the table of README.md
//   node bench/capabilities/capabilities.js --json     the same as one JSON object on the last line

import { createCapabilityShelf } from '../../dist/capabilities/create-capability-shelf.js'
import { discoverCapabilities } from '../../dist/capabilities/discover-capabilities.js'
import { matchCapabilities } from '../../dist/capabilities/match-capability.js'
import { nameCapability } from '../../dist/capabilities/name-capability.js'
import { riskOfCapability } from '../../dist/capabilities/risk-of-capability.js'
import { seededRandom } from '../../dist/model/seeded-random.js'
import { quantile } from '../overhead/stats.js'

const isJson = process.argv.includes('--json')
const many = 5_000
const rounds = 300
const group = 12
const random = seededRandom(42)
const draw = (most) => Math.floor(random() * most)
const rows = []
const row = (name, times, limit) => {
  const p50 = quantile(times, 0.5)
  const p95 = quantile(times, 0.95)
  const isKept = limit === undefined || p95 < limit
  rows.push({ name, p50, p95, limit, isKept })
  const bound = limit === undefined ? '' : `p95 below ${limit} ms`
  const figures = `${p50.toFixed(3).padStart(9)} ${p95.toFixed(3).padStart(9)} ms`
  if (!isJson) console.log(`${name.padEnd(62)}${figures}  ${bound.padEnd(18)}${isKept ? '' : 'BROKEN'}`)
}
const measure = (times, act) =>
  Array.from({ length: times }, (_, at) => {
    const begun = performance.now()
    act(at)
    return performance.now() - begun
  })

const now = Date.UTC(2026, 0, 15)
const tools = Array.from({ length: 1_000 }, (_, at) => `server${at % 50}:tool_${at}`)
const successes = new Map(tools.map((tool) => [tool, { count: 40, successes: 30 + draw(11) }]))
const capabilities = makeCapabilities()
const ids = capabilities.map(({ id }) => id)
const dependencies = makeDependencies()
const shelf = createCapabilityShelf({ now: () => now, toolSuccess: (tool) => successes.get(tool) })
const match = () =>
  matchCapabilities(
    ids.map((id) => [id, random()]),
    { shelf, most: 10 },
  )

row(
  'everything loaded, and listed as tools',
  measure(5, () => {
    shelf.load(capabilities, dependencies)
    shelf.tools()
  }),
)
row(
  'the first match of all 5,000',
  measure(5, () => {
    shelf.load(capabilities, dependencies)
    shelf.isVisible(ids[0])
    match()
  }),
)
row('match of all 5,000, nothing changed', measure(rounds, match), 10)
row(
  'match of all 5,000, after a use and five tools that did otherwise',
  measure(rounds, (at) => {
    shelf.noteUse(ids[draw(many)], { at: now, success: at % 4 > 0, ms: 100, callsMs: 100 })
    shelf.toolsChanged(Array.from({ length: 5 }, () => tools[draw(tools.length)]))
    match()
  }),
  10,
)
row(
  'match of all 5,000, after a use of what is beneath all of them',
  measure(rounds, (at) => {
    shelf.noteUse(ids[0], { at: now, success: at % 4 > 0, ms: 100, callsMs: 100 })
    match()
  }),
)
const clusters = { of: new Map([...tools, ...ids].map((id) => [id, draw(8)])) }
const ranks = new Map(ids.map((id) => [id, random()]))
row(
  'discovery by a context of ten tools',
  measure(rounds, () => {
    const context = Array.from({ length: 10 }, () => tools[draw(tools.length)])
    discoverCapabilities(context, { shelf, clusters: () => clusters, rank: (id) => ranks.get(id), most: 10 })
  }),
  10,
)
row(
  'one more capability, listed',
  measure(rounds, (at) => {
    shelf.put({ ...capabilities[0], id: `cap:more-${at}`, name: `more_${at}`, structure: `more ${at}` })
    shelf.tools()
  }),
)
row(
  'a use noted',
  measure(rounds, () => shelf.noteUse(ids[draw(many)], { at: now, success: true, ms: 100, callsMs: 100 })),
)
row(
  'the risk of one',
  measure(rounds, () => riskOfCapability(ids[draw(many)], { shelf, riskOf: () => 'safe' })),
)
const taken = shelf.names()
row(
  'a name made up',
  measure(rounds, (at) =>
    nameCapability({
      intent: `read /var/log/app-${at}.log, count what went wrong today and tell the team in #ops`,
      tools: [tools[draw(tools.length)], tools[draw(tools.length)]],
      taken,
      values: { path: `/var/log/app-${at}.log`, channel: 'ops' },
    }),
  ),
)
if (isJson) console.log(JSON.stringify(rows))
if (rows.some(({ isKept }) => !isKept)) process.exitCode = 1

/** In groups of twelve that call one or two of those before them, so that chains are up to twelve deep; the first of all is beneath each. */
function makeCapabilities() {
  return Array.from({ length: many }, (_, at) => {
    const uses = draw(30)
    const before = () => `cap:procedure-${at % group === 0 ? 0 : at - 1 - draw(at % group)}`
    return {
      id: `cap:procedure-${at}`,
      name: `procedure_${at}`,
      description: `Does what number ${at} does. Calls some tools.`,
      intents: [`do what number ${at} does`],
      code: 'return args.value',
      structure: `structure ${at}`,
      inputSchema: { type: 'object', properties: { value: { type: 'string' }, count: { type: 'number' } } },
      tools: Array.from({ length: 1 + draw(5) }, () => tools[draw(tools.length)]),
      calls: at === 0 ? [] : [...new Set([before(), before()])],
      origin: 'learned',
      uses,
      successes: uses - draw(Math.min(uses, 3) + 1),
      meanMs: 100,
      recent: Array.from({ length: Math.min(uses, 20) }, () => ({
        at: now,
        success: true,
        ms: 100,
        callsMs: 100,
      })),
      createdAt: now + at,
      lastUsedAt: now + at,
    }
  })
}

/** From the later to the earlier, so that no circle is among them. */
function makeDependencies() {
  const types = ['dependency', 'contains', 'sequence', 'alternative']
  return Array.from({ length: many * 2 }, (_, at) => {
    const drawn = 1 + draw(many - 1)
    const later = drawn % group === 0 ? drawn - 1 : drawn
    const isNeed = at % 4 < 2
    return {
      from: ids[later],
      to: ids[isNeed ? later - (later % group) : draw(later)],
      type: types[at % 4],
      count: 1 + draw(5),
      successes: 1,
      lastSeen: now,
      isManual: false,
    }
  })
}
