// What is compared: the bare echo server and the gateway in front of it, each as a real process with a real SDK client.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const root = fileURLToPath(new URL('../../', import.meta.url))
export const pmlBin = join(root, 'bin/pml.js')
export const echoServer = join(root, 'bench/overhead/stdio-echo.js')
export const httpEchoServer = join(root, 'bench/overhead/http-echo.js')

/** A data directory and a config of its own for one subject, so that runs never meet. */
export function makeHome(mcpServers, settings = {}) {
  const home = mkdtempSync(join(tmpdir(), 'pml-bench-'))
  const config = join(home, 'servers.json')
  writeFileSync(config, JSON.stringify({ mcpServers, ...settings }))
  return { home, config }
}

export function pmlEnvironment(home) {
  return { PATH: process.env.PATH, HOME: home, PML_HOME: join(home, 'pml') }
}

export async function stdioClient(command, args, env) {
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new StdioClientTransport({ command, args, ...(env ? { env } : {}), stderr: 'ignore' })
  await client.connect(transport)
  return { client, pid: transport.pid, close: () => client.close() }
}

export async function httpClients(url, count) {
  const clients = []
  for (let n = 0; n < count; n++) {
    const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    clients.push(client)
  }
  return clients
}

/** Starts a process and waits for the address it prints on standard output. */
export async function startHttp(args, env) {
  const child = spawn(process.execPath, args, {
    env: env ?? process.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let text = ''
  const url = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code} before it listened`)))
    child.stdout.on('data', (chunk) => {
      text += chunk
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(text)
      if (found) resolve(found[0])
    })
  })
  return { url, pid: child.pid, close: () => end(child) }
}

export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Resident memory of one process, in megabytes (Linux). */
export function residentMb(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1000
}
