/** What the tests of this room share: fixture servers as real child processes, and a house that cleans up. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { silentLog } from '../../src/model/log.js'
import type { HttpServerConfig, StdioServerConfig } from '../../src/model/server.js'
import type { ToolId } from '../../src/model/tool.js'
import type { ToolCall, ToolResult } from '../../src/model/tool-call.js'
import { openUpstreams } from '../../src/upstream/open-upstreams.js'
import type { Upstreams, UpstreamsOptions } from '../../src/upstream/upstreams.js'

const opened = new Set<Upstreams>()
const web = new Set<ChildProcess>()

export async function closeAll(): Promise<void> {
  await Promise.all([...opened].map((upstreams) => upstreams.close()))
  opened.clear()
  for (const child of web) child.kill('SIGKILL')
  web.clear()
}

export interface WebFixture {
  readonly url: string
  readonly process: ChildProcess
}

/** An HTTP fixture as a process of its own, up when this resolves. */
export async function startWeb(name: string, ...args: readonly string[]): Promise<WebFixture> {
  const child = spawn(process.execPath, [fixturePath(name), ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  web.add(child)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: line.toString().trim(), process: child }
}

export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`./${name}.js`, import.meta.url))
}

const common = {
  disabled: false,
  stateful: false,
  trusted: false,
  timeoutMs: 10_000,
  connectTimeoutMs: 20_000,
}

export function fixture(name: string, changes: Partial<StdioServerConfig> = {}): StdioServerConfig {
  return {
    name,
    transport: 'stdio',
    command: process.execPath,
    args: [fixturePath(name)],
    env: {},
    ...common,
    ...changes,
  }
}

export function httpServer(url: string, changes: Partial<HttpServerConfig> = {}): HttpServerConfig {
  return { name: 'web', transport: 'http', url, headers: {}, ...common, ...changes }
}

export function openTestUpstreams(
  servers: UpstreamsOptions['servers'],
  changes: Partial<UpstreamsOptions> = {},
): Upstreams {
  const upstreams = openUpstreams({
    servers,
    known: [],
    eras: {},
    tried: [],
    limits: {
      maxMessageBytes: 4_000_000,
      concurrentColdStarts: 4,
      concurrentCalls: 64,
      concurrentCallsPerServer: 16,
    },
    validateArguments: true,
    validateOutput: 'warn',
    offers: {},
    clients: { of: () => undefined, tellAll() {}, resourceUpdated() {} },
    clientInfo: { name: 'pml-test', version: '0' },
    log: silentLog,
    redact: (text) => text,
    ...changes,
  })
  opened.add(upstreams)
  return upstreams
}

/** Opened, started, and every first attempt over. */
export async function startedUpstreams(
  servers: UpstreamsOptions['servers'],
  changes: Partial<UpstreamsOptions> = {},
): Promise<Upstreams> {
  const upstreams = openTestUpstreams(servers, changes)
  upstreams.start()
  await upstreams.settled({ timeoutMs: 20_000 })
  return upstreams
}

export function call(
  upstreams: Upstreams,
  tool: string,
  args: ToolCall['arguments'] = {},
  changes: Partial<ToolCall> = {},
): Promise<ToolResult> {
  const signal = new AbortController().signal
  return upstreams.callTool({ tool: tool as ToolId, arguments: args, session: 'test', signal, ...changes })
}

export async function callText(
  upstreams: Upstreams,
  tool: string,
  args: ToolCall['arguments'] = {},
  changes: Partial<ToolCall> = {},
): Promise<string> {
  return (await call(upstreams, tool, args, changes)).content.map((block) => block.text).join('')
}

export async function waitFor<T>(
  read: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 8000,
): Promise<T> {
  const endsAt = Date.now() + timeoutMs
  for (;;) {
    const value = await read()
    if (value !== undefined && value !== false) return value
    if (Date.now() > endsAt) throw new Error('Waited in vain.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Alive and not merely a zombie that nobody has reaped. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const status = `/proc/${pid}/stat`
  if (!existsSync(status)) return process.platform !== 'linux'
  return !/^\d+ \(.*\) Z/.test(readFileSync(status, 'utf8'))
}

export async function failure(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    return error as Error
  }
  throw new Error('Expected a failure.')
}
