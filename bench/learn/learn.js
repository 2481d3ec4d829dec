// What does learning cost? Every figure against its limit; ends with 1 where one is broken.
//   npm run bench:learn            prints the table of README.md
//   npm run bench:learn -- --json  the same as one JSON object on the last line

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openAdvice } from '../../dist/gateway/open-advice.js'
import { createKnowledgeGraph } from '../../dist/graph/create-knowledge-graph.js'
import { createLearning } from '../../dist/learn/create-learning.js'
import { silentLog } from '../../dist/model/log.js'
import { newId } from '../../dist/model/new-id.js'
import { seededRandom } from '../../dist/model/seeded-random.js'
import { openStore } from '../../dist/store/open-store.js'
import { openOutcomeSpool } from '../../dist/store/outcome-spool.js'
import { quantile } from '../overhead/stats.js'

const isJson = process.argv.includes('--json')
const random = seededRandom(42)
const rows = []
const row = (name, value, limit) => {
  const isKept = limit === undefined || value < limit
  rows.push({ name, value, limit, isKept })
  const bound = limit === undefined ? '' : `below ${limit} ms`
  if (!isJson)
    console.log(
      `${name.padEnd(66)}${value.toFixed(4).padStart(10)} ms  ${bound.padEnd(14)}${isKept ? '' : 'BROKEN'}`,
    )
}

const tools = Array.from({ length: 5_000 }, (_, at) => `server${at % 50}:tool_${at}`)
const home = mkdtempSync(join(tmpdir(), 'pml-bench-learn-'))
const store = await openStore({
  dataDirectory: home,
  signal: new AbortController().signal,
  onProgress() {},
  log: silentLog,
})
const createGraph = () => createKnowledgeGraph({ now: Date.now, cosine: () => 0.5 })
const graph = createGraph()
// Communities as a graph of 5,000 tools would have them.
const communities = new Map(tools.map((tool, at) => [tool, at % 100]))
const pageRank = new Map(tools.map((tool) => [tool, 1 / tools.length]))
const analysis = {
  current: () => ({ revision: 1, communities, pageRank }),
  settled: async () => analysis.current(),
}
const opened = openAdvice({
  graph,
  analysis,
  store: async () => store,
  riskOf: (tool) => ['safe', 'moderate', 'dangerous'][tool.length % 3],
  isCallable: () => true,
  redact: (text) => text.replaceAll('secret', '[redacted]'),
  log: silentLog,
})
const learning = createLearning({
  graph,
  createGraph,
  analysis,
  thompson: opened.thompson,
  spool: openOutcomeSpool({ dataDirectory: home, log: silentLog }),
  store: async () => store,
  redact: (text) => text.replaceAll('secret', '[redacted]'),
  log: silentLog,
})
try {
  await learning.load(store)
  await opened.load(store)
  await measureCalls()
  measureThresholds()
  await measurePrediction()
  await measureRuns()
} finally {
  await learning.close()
  await opened.close()
  await store.close()
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}
if (isJson) console.log(JSON.stringify(rows))
if (rows.some(({ isKept }) => !isKept)) process.exitCode = 1

/** What a call that a client makes pays for being learned from, before it is answered: the line of the spool, the step, the episode. */
async function measureCalls() {
  const times = []
  const sessions = Array.from({ length: 20 }, () => newId())
  for (let at = 0; at < 2_000; at++) {
    const session = sessions[at % sessions.length]
    // Habits of a session: mostly one after the other of some tools.
    const tool = tools[((at % sessions.length) * 37 + Math.floor(random() * 12)) % tools.length]
    const items = Array.from({ length: 20 }, (_, item) => ({ id: `${at}-${item}`, name: `thing ${item}` }))
    const [startedAt, endedAt] = [Date.now() - 5, Date.now()]
    const success = random() < 0.9
    const begin = performance.now()
    const outcome = success ? { result: () => ({ items }) } : { errorCode: 'TOOL_ERROR' }
    learning.learnCall({ id: newId(), session, tool, arguments: { at }, startedAt, endedAt, ...outcome })
    opened.advice.callEnded({ session, tool, success, isFault: !success, startedAt, endedAt })
    times.push(performance.now() - begin)
    // Some hundred calls a second: more would not be learned from one by one.
    await sleep(3)
  }
  const warm = times.slice(500)
  row('learning from a call, on the path of the request, p50', quantile(warm, 0.5), 0.2)
  row('the same, p99', quantile(warm, 0.99))
  const begin = performance.now()
  await learning.summary()
  row('what 2,000 such calls left to be stored, all', performance.now() - begin)
}

function measureThresholds() {
  const hit = (tool) => ({ tool: { id: tool }, score: random(), parts: { name: 0, words: 1, semantic: 0.5 } })
  const times = []
  for (let at = 0; at < 5_000; at++) {
    const hits = [hit(tools[Math.floor(random() * tools.length)])]
    const begin = performance.now()
    opened.advice.judgeHits({ intent: 'what for', context: [], hits })
    times.push(performance.now() - begin)
  }
  row('a threshold, 5,000 tools, p50', quantile(times.slice(500), 0.5))
  row('the same, p99', quantile(times.slice(500), 0.99), 1)
}

/** Sessions of 30 steps that use all of the tools, so that everything has followed everything. */
async function measurePrediction() {
  const times = []
  for (let at = 0, session = newId(); at < 900; at++) {
    if (at % 30 === 0) session = newId()
    const tool = tools[Math.floor(random() * tools.length)]
    opened.advice.callEnded({
      session,
      tool,
      success: true,
      isFault: false,
      startedAt: at,
      endedAt: Date.now(),
    })
    // An agent reads an answer before it asks for more: what it did has been taken in.
    await sleep(15)
    const begin = performance.now()
    opened.advice.likelyNext(session)
    times.push(performance.now() - begin)
  }
  row('what comes next, 5,000 tools, p50', quantile(times.slice(150), 0.5))
  row('the same, p95', quantile(times.slice(150), 0.95), 5)
}

/** A run of ten tasks: traces, edges, Beta states, schemas and habits, stored. */
async function measureRuns() {
  const times = []
  for (let at = 0; at < 120; at++) {
    const begun = Date.now()
    const tasks = Array.from({ length: 10 }, (_, task) => ({
      id: `t${task}`,
      tool: tools[(at * 10 + task) % 200],
      arguments: { at, task },
      dependsOn: task === 0 ? [] : [`t${task - 1}`],
      onError: 'fail',
    }))
    const run = {
      id: newId(),
      intent: `do the ${at % 7}th thing`,
      status: 'complete',
      startedAt: begun,
      endedAt: begun + 100,
      tasks: tasks.map(({ id, tool, arguments: args }, task) => ({
        ...{ id, tool, arguments: args, status: 'complete', startedAt: begun + task * 10, ms: 9 },
        result: {
          id: `${at}-${task}`,
          rows: Array.from({ length: 20 }, (_, item) => ({ item, text: 'some text' })),
        },
      })),
    }
    const begin = performance.now()
    await learning.learn({ intent: run.intent, tasks }, run)
    times.push(performance.now() - begin)
  }
  row('learning from a run of ten tasks, stored, p50', quantile(times.slice(20), 0.5), 20)
  row('the same, p99', quantile(times.slice(20), 0.99))
}
