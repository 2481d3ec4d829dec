// What does the gateway cost? Direct and through it in one run, alternating, so that a noisy machine troubles both alike.
//   npm run bench:overhead            prints the table of README.md
//   npm run bench:overhead -- --json  the same as one JSON object on the last line
//   npm run bench:overhead -- --quick a fifth of the time, for a look

import { spawn } from 'node:child_process'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, quantile } from './stats.js'
import {
  echoServer,
  end,
  httpClients,
  httpEchoServer,
  makeHome,
  pmlBin,
  pmlEnvironment,
  residentMb,
  startHttp,
  stdioClient,
} from './subjects.js'

const quick = process.argv.includes('--quick')
const rounds = quick ? 2 : 5
const secondsPerRound = quick ? 1 : 3
const node = process.execPath
const echo = { command: node, args: [echoServer] }
const text = 'The quick brown fox jumps over the lazy dog'

const call = (client, name) => client.callTool({ name, arguments: { text } })

/** Calls per second with `width` calls under way at once. */
async function throughput(clients, name, width) {
  const until = performance.now() + secondsPerRound * 1000
  const lanes = Array.from({ length: width }, (_, lane) => clients[lane % clients.length])
  let done = 0
  const started = performance.now()
  await Promise.all(
    lanes.map(async (client) => {
      while (performance.now() < until) {
        await call(client, name)
        done++
      }
    }),
  )
  return done / ((performance.now() - started) / 1000)
}

/** 200 calls a second to each side: every 5 ms one, the two sides half a beat apart. */
async function latency(direct, gateway, count) {
  const times = { direct: [], gateway: [] }
  const timed = async (side, client, name) => {
    const started = performance.now()
    await call(client, name)
    times[side].push(performance.now() - started)
  }
  const open = []
  const start = performance.now()
  for (let n = 0; n < count; n++) {
    await until(start + n * 5)
    open.push(timed('direct', direct, 'echo'))
    await until(start + n * 5 + 2.5)
    open.push(timed('gateway', gateway, 'echo__echo'))
  }
  await Promise.all(open)
  return times
}

async function until(at) {
  for (;;) {
    const left = at - performance.now()
    if (left <= 0) return
    if (left > 1.2) await sleep(left - 1)
    else await new Promise(setImmediate)
  }
}

async function measureStdio() {
  const { home, config } = makeHome({ echo })
  const direct = await stdioClient(node, [echoServer])
  const gateway = await stdioClient(
    node,
    [pmlBin, 'serve', '--config', config, '--exposure', 'proxy'],
    pmlEnvironment(home),
  )
  await call(gateway.client, 'echo__echo')
  await sleep(quick ? 6_000 : 8_000)
  for (let n = 0; n < 300; n++)
    await Promise.all([call(direct.client, 'echo'), call(gateway.client, 'echo__echo')])
  const times = await latency(direct.client, gateway.client, quick ? 600 : 4_000)
  const rates = { direct: [], gateway: [] }
  for (let round = 0; round < rounds; round++) {
    rates.direct.push(await throughput([direct.client], 'echo', 32))
    rates.gateway.push(await throughput([gateway.client], 'echo__echo', 32))
  }
  await direct.close()
  await gateway.close()
  return {
    direct_p50_ms: median(times.direct),
    gateway_p50_ms: median(times.gateway),
    added_p50_ms: median(times.gateway) - median(times.direct),
    direct_p99_ms: quantile(times.direct, 0.99),
    gateway_p99_ms: quantile(times.gateway, 0.99),
    added_p99_ms: quantile(times.gateway, 0.99) - quantile(times.direct, 0.99),
    stdio_direct_per_s: median(rates.direct),
    stdio_gateway_per_s: median(rates.gateway),
    stdio_share: median(rates.gateway.map((rate, round) => rate / rates.direct[round])),
  }
}

async function measureHttp() {
  const { home, config } = makeHome({ echo })
  const bare = await startHttp([httpEchoServer])
  const gateway = await startHttp(
    [pmlBin, 'serve', '--http', '--port', '0', '--config', config, '--exposure', 'proxy'],
    pmlEnvironment(home),
  )
  const bareClients = await httpClients(`${bare.url}mcp`, 64)
  const gatewayClients = await httpClients(`${gateway.url}mcp`, 64)
  await call(gatewayClients[0], 'echo__echo')
  await sleep(quick ? 6_000 : 8_000)
  const rates = { bare: [], gateway: [] }
  await throughput(bareClients, 'echo', 64)
  await throughput(gatewayClients, 'echo__echo', 64)
  for (let round = 0; round < rounds; round++) {
    rates.bare.push(await throughput(bareClients, 'echo', 64))
    rates.gateway.push(await throughput(gatewayClients, 'echo__echo', 64))
  }
  await bare.close()
  await gateway.close()
  return {
    http_bare_per_s: median(rates.bare),
    http_gateway_per_s: median(rates.gateway),
    http_share: median(rates.gateway.map((rate, round) => rate / rates.bare[round])),
  }
}

/** 15 servers: 13 that work, one that never answers, one whose program does not exist. */
function fifteenServers() {
  const servers = Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`echo${n}`, echo]))
  servers.hanging = { command: node, args: ['-e', 'process.stdin.resume(); setInterval(() => {}, 1000)'] }
  servers.missing = { command: 'no-such-program-anywhere', args: [] }
  return servers
}

/** A client of a few lines: what is measured is the gateway's start, not the SDK's. Milliseconds from spawn to the tools/list answer. */
async function firstList(config, env, exposure) {
  const started = performance.now()
  const child = spawn(node, [pmlBin, 'serve', '--config', config, '--exposure', exposure], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let answer = ''
  const listed = new Promise((resolve) => {
    const take = (chunk) => {
      answer += chunk
      if (chunk[chunk.length - 1] !== 10 || !/"id":2\b/.test(answer)) return
      child.stdout.off('data', take)
      resolve()
    }
    child.stdout.on('data', take)
  })
  const clientInfo = { name: 'bench', version: '1.0.0' }
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  })
  send({ method: 'notifications/initialized' })
  send({ id: 2, method: 'tools/list' })
  await listed
  const ms = performance.now() - started
  const list = answer
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .find((message) => message.id === 2)
  return { ms, child, tools: list.result.tools }
}

async function measureStart() {
  const { home, config } = makeHome(fifteenServers())
  const env = pmlEnvironment(home)
  const first = await firstList(config, env, 'proxy')
  await sleep(20_000)
  const memory = residentMb(first.child.pid)
  await end(first.child)
  const starts = []
  for (let n = 0; n < (quick ? 5 : 15); n++) {
    const run = await firstList(config, env, 'proxy')
    if (run.tools.length < 13) throw new Error(`a start listed ${run.tools.length} tools only`)
    starts.push(run.ms)
    await end(run.child)
  }
  const settled = await firstList(config, env, 'proxy')
  await sleep(20_000)
  const memoryLater = residentMb(settled.child.pid)
  await end(settled.child)
  return {
    first_list_median_ms: median(starts),
    first_list_worst_ms: Math.max(...starts),
    rss_first_run_mb: memory,
    rss_mb: memoryLater,
  }
}

async function measureMany() {
  const { home, config } = makeHome({ many: { command: node, args: [echoServer, '--many', '5000'] } })
  const gateway = await stdioClient(
    node,
    [pmlBin, 'serve', '--config', config, '--exposure', 'proxy'],
    pmlEnvironment(home),
  )
  for (let tries = 0; tries < 50; tries++) {
    const { tools } = await gateway.client.listTools(undefined, { cacheMode: 'bypass' })
    if (tools.length >= 5_000) break
    await sleep(200)
  }
  // Counted once, by a worker; the counts are in the snapshot from then on.
  await sleep(12_000)
  await gateway.close()
  const run = await firstList(config, pmlEnvironment(home), 'proxy')
  if (run.tools.length < 5_000) throw new Error(`${run.tools.length} tools listed`)
  // The server comes up behind the list and is compared with it once.
  await sleep(5_000)
  const times = []
  let id = 10
  for (let n = 0; n < 20; n++) {
    await sleep(100)
    times.push(await timeLine(run.child, { id: ++id, method: 'tools/list' }))
  }
  await end(run.child)
  return {
    start_with_5000_ms: run.ms,
    list_5000_median_ms: median(times),
    list_5000_worst_ms: Math.max(...times),
  }
}

/** Milliseconds until the last byte of the answer has come. */
async function timeLine(child, message) {
  const started = performance.now()
  const answered = new Promise((resolve) => {
    const take = (chunk) => {
      if (chunk[chunk.length - 1] !== 10) return
      child.stdout.off('data', take)
      resolve()
    }
    child.stdout.on('data', take)
  })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  await answered
  return performance.now() - started
}

async function measureMetaTokens() {
  const { home, config } = makeHome({ echo })
  const run = await firstList(config, pmlEnvironment(home), 'meta')
  await end(run.child)
  const { encode } = await import('gpt-tokenizer/encoding/o200k_base')
  const tokens = run.tools.map(
    ({ name, description, inputSchema }) => encode(JSON.stringify({ name, description, inputSchema })).length,
  )
  return { meta_tools: run.tools.length, meta_tokens: tokens.reduce((sum, count) => sum + count, 0) }
}

const parts = {
  stdio: measureStdio,
  http: measureHttp,
  start: measureStart,
  many: measureMany,
  meta: measureMetaTokens,
}
const chosen = process.argv.slice(2).filter((word) => word in parts)
const figures = {}
for (const part of chosen.length > 0 ? chosen : Object.keys(parts)) {
  process.stderr.write(`measuring ${part} ...\n`)
  Object.assign(figures, await parts[part]())
}

const limits = {
  added_p50_ms: ['<=', 1],
  added_p99_ms: ['<=', 5],
  stdio_share: ['>=', 0.4],
  http_share: ['>=', 0.6],
  first_list_worst_ms: ['<=', 700],
  list_5000_worst_ms: ['<=', 100],
  meta_tokens: ['<=', 900],
  rss_mb: ['<=', 450],
  rss_first_run_mb: ['<=', 450],
}
console.log(`node ${process.version}, ${cpus().length} x ${cpus()[0].model.trim()}\n`)
for (const [key, value] of Object.entries(figures)) {
  const limit = limits[key]
  const kept =
    limit === undefined
      ? ''
      : `${limit[0]} ${limit[1]} ${(limit[0] === '<=' ? value <= limit[1] : value >= limit[1]) ? 'kept' : 'MISSED'}`
  console.log(`${key.padEnd(24)} ${String(Math.round(value * 1000) / 1000).padStart(12)}  ${kept}`)
}
if (process.argv.includes('--json')) console.log(JSON.stringify(figures))
process.exit(0)
