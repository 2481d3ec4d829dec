// What does execute_code cost an agent, through the whole gateway? Direct calls and programs by turns, so that a noisy machine troubles both alike.
//   npm run bench:execute-code            prints the table of README.md
//   npm run bench:execute-code -- --json  the same as one JSON object on the last line

import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median, quantile } from '../overhead/stats.js'
import { makeHome, pmlBin, pmlEnvironment, stdioClient } from '../overhead/subjects.js'

const runs = 60
/** As long as it takes to start the next child. */
const pauseMs = 300
const server = fileURLToPath(new URL('./wait-server.js', import.meta.url))
const { home, config } = makeHome(
  { wait: { command: process.execPath, args: [server] } },
  { exposure: 'meta', speculation: 'off', code: { learn: false } },
)
const { client, close } = await stdioClient(
  process.execPath,
  [pmlBin, 'serve', '--config', config],
  pmlEnvironment(home),
)
const timed = async (name, args) => {
  const begin = performance.now()
  const result = await client.callTool({ name, arguments: args })
  const took = performance.now() - begin
  if (result.isError) throw new Error(JSON.stringify(result.content))
  return took
}
const direct = (ms) => timed('wait:wait', { ms })
const program = (ms, calls) =>
  timed('execute_code', {
    code: `return (await Promise.all(Array.from({ length: ${calls} }, () => tools.wait.wait({ ms: ${ms} })))).length`,
  })

// The database is made, and everything compiled.
await direct(1)
await sleep(6_000)
const first = await program(1, 1)
for (let n = 0; n < 5; n++) {
  await sleep(pauseMs)
  await program(1, 1)
}
const times = { direct: [], code: [], slow: [], together: [], again: [] }
for (let n = 0; n < runs; n++) {
  await sleep(pauseMs)
  times.direct.push(await direct(1))
  await sleep(pauseMs)
  times.code.push(await program(1, 1))
  // At once: no child is there yet.
  times.again.push(await program(1, 1))
}
for (let n = 0; n < 15; n++) {
  await sleep(pauseMs)
  times.slow.push(await direct(200))
  await sleep(pauseMs)
  times.together.push(await program(200, 20))
}
await close()

const figures = {
  direct_p50_ms: median(times.direct),
  code_p50_ms: median(times.code),
  over_p50_ms: median(times.code) - median(times.direct),
  over_p95_ms: quantile(times.code, 0.95) - median(times.direct),
  first_ms: first,
  cold_over_p50_ms: median(times.again) - median(times.direct),
  together_share: median(times.together) / median(times.slow),
}
const limits = { over_p50_ms: 15, cold_over_p50_ms: 150, together_share: 1.3 }
let isKept = true
for (const [name, value] of Object.entries(figures)) {
  const limit = limits[name]
  if (limit !== undefined && value > limit) isKept = false
  const judged = limit === undefined ? '' : `<= ${limit} ${value <= limit ? 'kept' : 'MISSED'}`
  console.log(`${name.padEnd(20)} ${value.toFixed(2).padStart(8)}  ${judged}`)
}
if (process.argv.includes('--json')) console.log(JSON.stringify(figures))
process.exitCode = isKept ? 0 : 1
