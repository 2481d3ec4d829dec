// A client of a few lines: what is measured is the process at its other end, not an SDK. It offers no capabilities.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const clientInfo = { name: 'bench', version: '1.0.0' }
const patienceMs = 120_000

/** Starts a server and shakes hands. `startedAt` is the moment before the process was made. */
export async function openLineClient({ args, env, cwd }) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  const waiting = new Map()
  let lastId = 0
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  child.stdin.on('error', () => {})
  const exited = once(child, 'exit').then(([code, signal]) => {
    const error = new Error(`ended with ${code ?? signal}`)
    for (const { reject } of waiting.values()) reject(error)
    return code ?? signal
  })
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = parse(line)
    const open = message?.method === undefined ? waiting.get(message?.id) : undefined
    if (open === undefined) return
    waiting.delete(message.id)
    if (message.error === undefined) open.resolve(message.result)
    else open.reject(new Error(message.error.message))
  })

  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (method, params = {}) =>
    new Promise((resolve, reject) => {
      if (child.exitCode !== null || child.signalCode !== null) return reject(new Error('it has ended'))
      const id = ++lastId
      const timer = setTimeout(
        () => reject(new Error(`${method}: no answer in ${patienceMs} ms`)),
        patienceMs,
      )
      const settle = (then) => (value) => {
        clearTimeout(timer)
        then(value)
      }
      waiting.set(id, { resolve: settle(resolve), reject: settle(reject) })
      send({ id, method, params })
    })

  const client = {
    pid: child.pid,
    startedAt,
    stderr: () => stderr,
    callTool: (name, args) => request('tools/call', { name, arguments: args }),
    async listTools() {
      const tools = []
      let cursor
      do {
        const page = await request('tools/list', cursor === undefined ? {} : { cursor })
        tools.push(...page.tools)
        cursor = page.nextCursor
      } while (cursor !== undefined)
      return tools
    },
    /** As a client leaves: closes standard input. Gives the exit code; what stays is killed. */
    async close() {
      child.stdin.end()
      const code = await Promise.race([exited, sleep(10_000, 'stayed', { ref: false })])
      if (code === 'stayed') child.kill('SIGKILL')
      await exited
      return code
    },
  }
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return client
}

function parse(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
