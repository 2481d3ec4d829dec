// What does running code cost? Every figure against its limit; ends with 1 where one is broken.
//   node bench/sandbox/sandbox.js            prints the table of README.md
//   node bench/sandbox/sandbox.js --json     the same as one JSON object on the last line

import { createDenoSandbox } from '../../dist/sandbox/create-deno-sandbox.js'
import { defaultSandboxLimits } from '../../dist/sandbox/sandbox.js'
import { quantile } from '../overhead/stats.js'

const isJson = process.argv.includes('--json')
const rows = []
const say = (text) => isJson || console.log(text)
const row = (name, value, limit, unit = 'ms') => {
  const isKept = limit === undefined || value <= limit
  rows.push({ name, value, limit, unit, isKept })
  const bound = limit === undefined ? '' : `at most ${limit} ${unit}`
  say(
    `${name.padEnd(52)}${value.toFixed(2).padStart(9)} ${unit.padEnd(4)} ${bound.padEnd(16)}${isKept ? '' : 'BROKEN'}`,
  )
}
/** As long as a tool of its own would take. */
const toolMs = 20

const reason = createDenoSandbox().unavailable()
if (reason !== undefined) throw new Error(reason.message)
await measureWarm('trivial program', 'return 1', 0, { p95: undefined })
await measureWarm('one call', 'return await tools.a.b({ path: "x" })', 1, { p50: 15 })
await measureWarm(
  'ten calls, one after the other',
  'for (let i = 0; i < 10; i++) await tools.a.b({ i })',
  10,
  {},
)
await measureCold()
await measureTogether()
if (isJson) console.log(JSON.stringify({ rows }))
if (rows.some(({ isKept }) => !isKept)) process.exitCode = 1

/** From `run` to the outcome with a child that waits, over what the calls took by themselves. */
async function measureWarm(name, javascript, calls, limits) {
  const sandbox = createDenoSandbox()
  sandbox.warm()
  const times = []
  for (let i = 0; i < 65; i++) {
    // An agent thinks between two programs; the next child starts meanwhile.
    await sleep(300)
    let inTools = 0
    const startedAt = performance.now()
    await complete(sandbox, javascript, async () => {
      const at = performance.now()
      if (calls === 1) await sleep(toolMs)
      inTools += performance.now() - at
      return { value: { content: [{ type: 'text', text: 'x' }] }, at: 1 }
    })
    if (i >= 5) times.push(performance.now() - startedAt - inTools)
  }
  await sandbox.close()
  row(`${name}, warm, p50`, quantile(times, 0.5), limits.p50)
  row(`${name}, warm, p95`, quantile(times, 0.95), limits.p95)
}

/** With no child that waits. */
async function measureCold() {
  const sandbox = createDenoSandbox({ ready: 0 })
  const times = []
  for (let i = 0; i < 25; i++) {
    await sleep(100)
    const startedAt = performance.now()
    await complete(sandbox, 'return await tools.a.b({})', async () => ({ value: 1, at: 1 }))
    if (i >= 5) times.push(performance.now() - startedAt)
  }
  await sandbox.close()
  row('one call, cold, p50', quantile(times, 0.5), 150)
  row('one call, cold, p95', quantile(times, 0.95))
}

async function measureTogether() {
  const sandbox = createDenoSandbox()
  sandbox.warm()
  const shares = []
  for (let i = 0; i < 12; i++) {
    await sleep(300)
    let slowest = 0
    const startedAt = performance.now()
    await complete(
      sandbox,
      'await Promise.all(Array.from({ length: 20 }, (_, i) => tools.a.b({ i })))',
      async () => {
        const at = performance.now()
        await sleep(100)
        slowest = Math.max(slowest, performance.now() - at)
        return { value: 1, at: 1 }
      },
    )
    if (i >= 2) shares.push((performance.now() - startedAt) / slowest)
  }
  await sandbox.close()
  row('20 calls of 100 ms together, of the slowest, p50', quantile(shares, 0.5), 1.3, 'x')
  row('20 calls of 100 ms together, of the slowest, p95', quantile(shares, 0.95), undefined, 'x')
}

async function complete(sandbox, javascript, call) {
  const { error } = await sandbox.run(
    { javascript, arguments: {}, seed: 'bench', startedAt: 0, depth: 0 },
    { call, limits: defaultSandboxLimits, signal: new AbortController().signal },
  ).result
  if (error !== undefined) throw new Error(`${error.code}: ${error.message}`)
}

function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
