/** A whole gateway as a user runs it: the built command in a process of its own, an empty home, real servers behind it. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

export const root = fileURLToPath(new URL('../', import.meta.url))
export const pmlBin = join(root, 'bin/pml.js')

export const fixture = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [join(root, 'test/servers', `${name}.js`), ...args],
})

export const npmServer = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [join(root, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js'), ...args],
})

export interface House {
  readonly home: string
  readonly config: string
  readonly env: Record<string, string>
  /** An SDK client over standard input and output of its own `pml serve`. */
  stdio(options?: ClientOptions): Promise<StdioHouseClient>
  /** A process serving HTTP, and SDK clients of it. */
  http(): Promise<{
    readonly url: string
    readonly pid: number
    client(options?: ClientOptions): Promise<Client>
    close(): Promise<void>
  }>
  /** Runs a command of ours to its end. */
  pml(...args: string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
  writeConfig(config: unknown): void
  close(): Promise<void>
}

export interface ClientOptions {
  readonly era?: 'auto' | 'legacy'
  readonly args?: readonly string[]
  /** Beside the house's own. */
  readonly env?: Readonly<Record<string, string>>
  readonly capabilities?: ClientCapabilities
  /** Before it connects: what it answers when it is asked. */
  readonly setUp?: (client: Client) => void
}

export interface StdioHouseClient {
  readonly client: Client
  readonly pid: number
  stderr(): string
  close(): Promise<void>
}

export function openHouse(
  mcpServers: Record<string, unknown>,
  settings: Record<string, unknown> = {},
  extraEnv: Record<string, string> = {},
): House {
  const home = mkdtempSync(join(tmpdir(), 'pml-house-'))
  const config = join(home, 'servers.json')
  const writeConfig = (value: unknown): void => writeFileSync(config, JSON.stringify(value, undefined, 2))
  writeConfig({ mcpServers, ...settings })
  const env = { PATH: process.env.PATH ?? '', HOME: home, PML_HOME: join(home, 'pml'), ...extraEnv }
  const closers: (() => Promise<void>)[] = []

  return {
    home,
    config,
    env,
    writeConfig,
    async stdio(options = {}) {
      const client = newClient(options)
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [pmlBin, 'serve', '--config', config, ...(options.args ?? [])],
        env: { ...env, ...options.env },
        stderr: 'pipe',
      })
      let errors = ''
      transport.stderr?.on('data', (chunk) => {
        errors += chunk
      })
      await client.connect(transport)
      const close = () => client.close()
      closers.push(close)
      return { client, pid: transport.pid!, stderr: () => errors, close }
    },
    async http() {
      const child = spawn(process.execPath, [pmlBin, 'serve', '--http', '--port', '0', '--config', config], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const url = await printedAddress(child)
      const close = async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      closers.push(close)
      return {
        url,
        pid: child.pid!,
        close,
        async client(options = {}) {
          const client = newClient(options)
          await client.connect(new StreamableHTTPClientTransport(new URL('mcp', url)))
          closers.push(() => client.close())
          return client
        },
      }
    },
    async pml(...args) {
      try {
        const done = await promisify(execFile)(process.execPath, [pmlBin, ...args], {
          env,
          cwd: home,
          maxBuffer: 64 * 1024 * 1024,
        })
        return { code: 0, ...done }
      } catch (error) {
        const failed = error as { code?: number; stdout?: string; stderr?: string }
        return { code: failed.code ?? 1, stdout: failed.stdout ?? '', stderr: failed.stderr ?? '' }
      }
    },
    async close() {
      await Promise.allSettled(closers.reverse().map((close) => close()))
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function newClient(options: ClientOptions): Client {
  const client = new Client(
    { name: 'journey', version: '1.0.0' },
    {
      versionNegotiation: { mode: options.era ?? 'auto' },
      ...(options.capabilities && { capabilities: options.capabilities }),
    },
  )
  options.setUp?.(client)
  return client
}

export async function printedAddress(child: ReturnType<typeof spawn>): Promise<string> {
  let seen = ''
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      seen += chunk
    })
    child.stdout?.on('data', (chunk) => {
      seen += chunk
      const address = /http:\/\/127\.0\.0\.1:\d+\//.exec(seen)
      if (address) resolve(address[0])
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code} before it listened:\n${seen}`)))
  })
}

/** Asks again until the answer pleases, or fails with the last one. */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  pleases: (answer: T) => boolean,
  withinMs = 15_000,
): Promise<T> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (pleases(answer)) return answer
    if (Date.now() > deadline)
      throw new Error(`still ${JSON.stringify(answer)?.slice(0, 2_000)} after ${withinMs} ms`)
    await sleep(50)
  }
}

export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export function textOf(result: unknown): string {
  const content = (result as { content?: readonly { text?: string }[] }).content ?? []
  return content.map((block) => block.text ?? '').join('\n')
}

export function dataOf<T = Record<string, unknown>>(result: unknown): T {
  return (result as { structuredContent: T }).structuredContent
}
