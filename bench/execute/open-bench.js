// A gateway in this process, as a user has it: the embedded database in a new directory, a real server process behind it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createPml, loadConfig } from '../../dist/index.js'
import { silentLog } from '../../dist/model/log.js'

const server = fileURLToPath(new URL('./work-server.js', import.meta.url))

export async function openBench({ many }) {
  const home = mkdtempSync(join(tmpdir(), 'pml-bench-'))
  const file = join(home, 'servers.json')
  const args = [server, '--many', String(many)]
  const settings = { exposure: 'meta', replyWithinMs: 10_000 }
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { work: { command: process.execPath, args } }, ...settings }),
  )
  const pml = createPml({
    config: await loadConfig({ file, env: process.env, cwd: home, home }),
    dataDirectory: home,
    log: silentLog,
    redact: (text) => text,
    onSecrets() {},
    async lend() {},
    takesUpRuns: false,
    onProgress() {},
  })
  pml.start()
  await pml.storeOpen()
  while (!pml.upstreams.tools().some(({ name }) => name === 'work'))
    await new Promise((r) => setTimeout(r, 20))
  return {
    pml,
    start: (tasks, options = {}) =>
      pml.runs.start({ tasks }, { session: 'bench', caller: 'bench', ...options }),
    connect: () => connect(pml.gateway),
    async close() {
      await pml.close()
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** A task as the planner makes it. */
export function task(id, { tool = 'work:work', dependsOn = [], requireApproval, ...args } = {}) {
  const asks = requireApproval ? { requireApproval } : {}
  return { id, tool, arguments: args, dependsOn, onError: 'fail', ...asks }
}

/** A client on the other end of a stream. */
async function connect(gateway) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const served = gateway.serveStream(input, output)
  const waiting = new Map()
  let [unfinished, calls] = ['', 0]
  output.setEncoding('utf8').on('data', (chunk) => {
    const lines = (unfinished + chunk).split('\n')
    unfinished = lines.pop()
    for (const line of lines) {
      const answer = JSON.parse(line)
      waiting.get(answer.id)?.(answer)
    }
  })
  const send = (method, params) =>
    new Promise((resolve) => {
      const id = ++calls
      waiting.set(id, resolve)
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  const clientInfo = { name: 'bench', version: '1.0.0' }
  await send('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return {
    async call(name, args) {
      const { result, error } = await send('tools/call', { name, arguments: args })
      if (error) throw new Error(error.message)
      return result.structuredContent
    },
    async close() {
      input.end()
      await served.closed
    },
  }
}
