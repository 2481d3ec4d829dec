// What does running cost? Every figure against its limit; ends with 1 where one is broken.
//   npm run bench:execute            prints the table of README.md
//   npm run bench:execute -- --json  the same as one JSON object on the last line

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runnerImport } from 'vite'
import { EventLog } from '../../dist/execute/event-log.js'
import { emptyState, reduceState } from '../../dist/execute/reduce-state.js'
import { silentLog } from '../../dist/model/log.js'
import { newId } from '../../dist/model/new-id.js'
import { openStore } from '../../dist/store/open-store.js'
import { quantile } from '../overhead/stats.js'
import { openBench, task } from './open-bench.js'

const isJson = process.argv.includes('--json')
const catalogue = 1_000
const rows = []
const say = (text) => isJson || console.log(text)
const row = (name, value, limit, unit = 'ms', compare = 'at most') => {
  const isKept = limit === undefined || (compare === 'below' ? value < limit : value <= limit)
  rows.push({ name, value, limit, unit, isKept })
  const bound = limit === undefined ? '' : `${compare} ${limit} ${unit}`
  say(
    `${name.padEnd(60)}${figure(value).padStart(9)} ${unit.padEnd(4)} ${bound.padEnd(18)}${isKept ? '' : 'BROKEN'}`,
  )
}

measureReducer()
await measureEvents()
await measureCheckpoints('PGlite', undefined, { p50: 1.5, p99: 8 })
await measurePostgres()
const bench = await openBench({ many: catalogue })
try {
  await measureBareCalls()
  await measureWidth('calls that only read', 'work:look', undefined)
  await measureWidth('calls that must not be repeated', 'work:work', 1.1)
  await measureCommands()
  await measureReplanning()
  await measureMany()
} finally {
  await bench.close()
}
if (isJson) console.log(JSON.stringify(rows))
if (rows.some(({ isKept }) => !isKept)) process.exitCode = 1

/** One task of many has ended. */
function measureReducer() {
  for (const size of [10, 100, 1_000]) {
    const tasks = Array.from({ length: size }, (_, at) => outcome(`t${at}`, 'running'))
    const state = { ...emptyState, tasks }
    const update = () => ({ tasks: [outcome(`t${Math.floor(Math.random() * size)}`, 'complete')] })
    const times = repeat(2_000, () => timedNow(() => reduceState(state, update())))
    row(`reducer, ${size} tasks, p50`, quantile(times.slice(500), 0.5), 0.05, 'ms', 'below')
    row(`reducer, ${size} tasks, p99`, quantile(times.slice(500), 0.99))
  }
}

/** From the push of an event until every reader has it, by the time that all of them take. */
async function measureEvents() {
  const events = 20_000
  for (const readers of [0, 1, 10]) {
    const perEvent = []
    for (let round = 0; round < 3; round++) {
      const log = new EventLog({ capacity: events, lost: (count) => ({ type: 'events-lost', count }) })
      const reading = Array.from({ length: readers }, async () => {
        for await (const event of log) if (event.type === 'events-lost') throw new Error('too slow')
      })
      const start = performance.now()
      for (let at = 0; at < events; at++) {
        log.push({ type: 'task-end', runId: 'r', task: { id: `t${at}` } })
        if (at % 10 === 9) await null
      }
      log.end()
      await Promise.all(reading)
      perEvent.push((performance.now() - start) / events)
    }
    row(`event, ${readers} readers`, Math.min(...perEvent), 0.1, 'ms', 'below')
  }
}

/** The end of a task with a result of 5 KB, in a run of ten tasks: what one step of a run stores. */
async function measureCheckpoints(name, databaseUrl, limits) {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'pml-bench-store-'))
  const store = await openStore({
    dataDirectory,
    ...(databaseUrl && { databaseUrl }),
    signal: new AbortController().signal,
    onProgress() {},
    log: silentLog,
  })
  const progress = { messages: [], context: { caller: 'bench' }, commands: [], isPaused: false }
  const times = []
  for (let at = 0; at < 60; at++) {
    const run = { id: newId(), status: 'running', startedAt: Date.now() }
    const tasks = Array.from({ length: 10 }, (_, n) => task(`t${n}`))
    const step = (more) => ({
      run,
      owner: 'bench',
      removedTasks: [],
      decisions: [],
      progress,
      tasks: [],
      ...more,
    })
    await store.saveCheckpoint(
      step({ plan: { tasks }, tasks: tasks.map(({ id }) => outcome(id, 'pending')) }),
    )
    for (const { id } of tasks) {
      await store.saveCheckpoint(step({ tasks: [outcome(id, 'running')] }))
      const done = { ...outcome(id, 'complete'), result: { text: text5k(), at: times.length } }
      times.push(await timed(() => store.saveCheckpoint(step({ tasks: [done] }))))
    }
  }
  await store.close()
  rmSync(dataDirectory, { recursive: true, force: true })
  const warm = times.slice(100)
  row(`checkpoint of 5 KB, ${name}, p50`, quantile(warm, 0.5), limits.p50)
  row(`checkpoint of 5 KB, ${name}, p99`, quantile(warm, 0.99), limits.p99)
}

async function measurePostgres() {
  const { module } = await runnerImport(new URL('../../test/start-postgres.ts', import.meta.url).pathname)
  const bin = module.findPostgres()
  if (bin === undefined) return say('checkpoint, PostgreSQL: there is none on this machine')
  const postgres = await module.startPostgres(bin)
  try {
    await measureCheckpoints('PostgreSQL', await postgres.createDatabase(), {})
  } finally {
    await postgres.stop()
  }
}

/** Four layers of five calls of 100 ms, each of which builds on all of the layer before: 400 ms at best. */
async function measureWidth(name, tool, limit) {
  const [width, layers, ms, rounds] = [5, 4, 100, 7]
  const ids = (layer) => Array.from({ length: width }, (_, at) => `t${layer}_${at}`)
  const plan = Array.from({ length: layers }, (_, layer) =>
    ids(layer).map((id) => task(id, { tool, ms, dependsOn: layer === 0 ? [] : ids(layer - 1) })),
  ).flat()
  const shares = []
  for (let round = 0; round <= rounds; round++) {
    // What the last run taught is stored on the same connection, some 15 ms after its end: it is not this one's cost.
    await new Promise((resolve) => setTimeout(resolve, 200))
    const start = performance.now()
    await complete(bench.start(plan))
    if (round > 0) shares.push((performance.now() - start) / (layers * ms))
  }
  row(`5-wide DAG of 100 ms calls, ${name}`, quantile(shares, 0.5), limit, 'x')
}

/** The same calls without a run: what is above the ideal here is the machine's and the server's. */
async function measureBareCalls() {
  const call = () =>
    bench.pml.upstreams.callTool({
      tool: 'work:work',
      arguments: { ms: 100 },
      session: 'bench',
      signal: new AbortController().signal,
    })
  const shares = []
  for (let round = 0; round <= 7; round++) {
    const start = performance.now()
    for (let layer = 0; layer < 4; layer++) await Promise.all(Array.from({ length: 5 }, call))
    if (round > 0) shares.push((performance.now() - start) / 400)
  }
  row('the same calls without a run', quantile(shares, 0.5), undefined, 'x')
}

/** From the command to its being accepted, stored and carried out; in runs of 30 tasks. */
async function measureCommands() {
  const [runs, size] = [10, 10]
  const times = { pause: [], modify: [], skip: [], decide: [] }
  for (let round = 0; round < runs; round++) {
    const slow = task('slow', { tool: 'work:look', ms: 60_000 })
    const later = Array.from({ length: size * 2 }, (_, at) => task(`later${at}`, { dependsOn: ['slow'] }))
    const asking = Array.from({ length: size }, (_, at) => task(`ask${at}`, { requireApproval: true }))
    const run = bench.start([slow, ...later, ...asking])
    await until(() => run.current().decisions?.length === size)
    const send = (name, command) =>
      timed(() => bench.pml.runs.send(run.id, command)).then((ms) => times[name].push(ms))
    for (let at = 0; at < size; at++) {
      await send('pause', { type: at % 2 === 0 ? 'pause' : 'resume' })
      await send('modify', { type: 'modify', task: `later${at}`, arguments: { ms: at } })
      await send('skip', { type: 'skip', task: `later${size + at}` })
    }
    const answer = { verdict: 'approve', by: 'command line' }
    for (const { id } of run.current().decisions)
      times.decide.push(await timed(() => bench.pml.runs.decide(id, answer)))
    run.abort('measured')
    await run.result
  }
  for (const [name, all] of Object.entries(times)) {
    row(`command: ${name}, p50`, quantile(all, 0.5), 5, 'ms', 'below')
    row(`command: ${name}, p99`, quantile(all, 0.99))
  }
}

/** Through the front door, with 1,000 tools to choose from. */
async function measureReplanning() {
  const client = await bench.connect()
  await client.call('discover', { query: 'invoices' })
  const replan = async (run, at, mode) => {
    const requirement = `list the open invoices and count the unread letters for ${at}`
    const args = { workflow_id: run.id, action: 'replan', requirement, mode }
    const reply = await client.call('control_workflow', args)
    if (reply.error !== undefined || reply.status === 'explicit_required')
      throw new Error(JSON.stringify(reply))
    if (mode === 'run' && reply.status === 'suggestion') throw new Error(reply.why)
  }
  const ended = bench.start([task('first')])
  await ended.result
  const times = []
  for (let at = 0; at < 60; at++) times.push(await timed(() => replan(ended, at, 'suggest')))
  row('replan, 1,000 tools, p50', quantile(times.slice(10), 0.5), 100, 'ms', 'below')
  row('replan, 1,000 tools, p95', quantile(times.slice(10), 0.95), 100, 'ms', 'below')

  const loops = []
  for (let at = 0; at < 30; at++) {
    const run = bench.start([task('first', { ms: 20 }), task('hold', { tool: 'work:look', ms: 5_000 })])
    await heard(run, (event) => event.type === 'task-end')
    const start = performance.now()
    const started = heard(run, ({ type, task }) => type === 'task-start' && task.tool.includes('invoices'))
    const reply = replan(run, at, 'run')
    await Promise.race([started, reply.then(() => started)])
    loops.push(performance.now() - start)
    run.abort('measured')
    await Promise.all([run.result, reply])
  }
  row('result in, replanned, next task started, p50', quantile(loops.slice(5), 0.5), 200, 'ms', 'below')
  row('result in, replanned, next task started, p95', quantile(loops.slice(5), 0.95), 200, 'ms', 'below')
  await client.close()
}

/** 100 runs of ten tasks at once: five calls of 20 ms, and five that build on them. */
async function measureMany() {
  const plan = Array.from({ length: 10 }, (_, at) =>
    task(`t${at}`, { ms: 20, dependsOn: at < 5 ? [] : [`t${at - 5}`] }),
  )
  const begun = performance.now()
  const took = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const run = bench.start(plan)
      const first = heard(run, ({ type }) => type === 'task-start').then(() => performance.now() - begun)
      const { status } = await run.result
      return { first: await first, whole: performance.now() - begun, isComplete: status === 'complete' }
    }),
  )
  const whole = took.map((one) => one.whole)
  const first = took.map((one) => one.first)
  row('100 runs of 10 tasks: not complete', took.filter(({ isComplete }) => !isComplete).length, 0, 'runs')
  row('100 runs of 10 tasks: all, from the first start', Math.max(...whole))
  row('100 runs: slowest run / median run', Math.max(...whole) / quantile(whole, 0.5), 2, 'x')
  row('100 runs: last first start / median run', Math.max(...first) / quantile(whole, 0.5), 1, 'x')
}

async function complete(run) {
  const { status, tasks } = await run.result
  if (status !== 'complete') throw new Error(JSON.stringify(tasks.find(({ error }) => error)))
}

/** Rejects where the run ends without it, which who waits for something else besides need not look at. */
function heard(run, isIt) {
  const found = hear(run, isIt)
  found.catch(() => {})
  return found
}

async function hear(run, isIt) {
  for await (const event of run.events) if (isIt(event)) return
  throw new Error(`it never came in run ${run.id}`)
}

async function until(holds) {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

function outcome(id, status) {
  return {
    id,
    tool: 'work:work',
    arguments: {},
    status,
    ...(status !== 'pending' && { startedAt: Date.now() }),
  }
}

function text5k() {
  return Math.random().toString(36).repeat(420).slice(0, 5_000)
}

async function timed(action) {
  const start = performance.now()
  await action()
  return performance.now() - start
}

function timedNow(action) {
  const start = performance.now()
  action()
  return performance.now() - start
}

function repeat(times, action) {
  return Array.from({ length: times }, action)
}

function figure(value) {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 1 ? 4 : 2)
}
