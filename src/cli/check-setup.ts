/** What `pml doctor` can see without a gateway: each check gives findings, and each finding that is not good has one fix. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { loadConfig } from '../config/load-config.js'
import { toErrorInfo } from '../errors.js'
import type { PmlConfig } from '../model/config.js'
import type { StdioServerConfig } from '../model/server.js'
import { findExecutable } from './find-executable.js'
import type { Io } from './io.js'

export interface Finding {
  readonly check: string
  readonly level: 'ok' | 'warning' | 'broken'
  readonly message: string
  readonly fix?: string
}

const oldestNode = [20, 19] as const

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const good = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
  if (good) return { check: 'node', level: 'ok', message: version }
  return {
    check: 'node',
    level: 'broken',
    message: `${version} is too old`,
    fix: 'Install Node 20.19 or later.',
  }
}

export function checkDataDirectory(home: string): Finding {
  const probe = join(home, `.doctor-${process.pid}`)
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    writeFileSync(probe, '')
    rmSync(probe)
    return { check: 'data directory', level: 'ok', message: home }
  } catch (error) {
    const fix = 'Make it writable, or set PML_HOME to a folder that is.'
    return { check: 'data directory', level: 'broken', message: `${home}: ${(error as Error).message}`, fix }
  }
}

export async function checkConfig(
  options: Omit<Parameters<typeof loadConfig>[0], 'onWarning'>,
): Promise<{ readonly findings: readonly Finding[]; readonly config?: PmlConfig }> {
  const findings: Finding[] = []
  try {
    const config = await loadConfig({
      ...options,
      onWarning: ({ message }) =>
        findings.push({
          check: 'config',
          level: 'warning',
          message,
          fix: 'Set it, or take it out of the file.',
        }),
    })
    const count = `${config.servers.length} ${config.servers.length === 1 ? 'server' : 'servers'}`
    findings.unshift({ check: 'config', level: 'ok', message: `${config.source}, ${count}` })
    return { findings, config }
  } catch (error) {
    const { message, hint } = toErrorInfo(error)
    return { findings: [...findings, { check: 'config', level: 'broken', message, fix: hint }] }
  }
}

export function checkCommands(config: PmlConfig, io: Io): readonly Finding[] {
  return config.servers
    .filter((server): server is StdioServerConfig => server.transport === 'stdio' && !server.disabled)
    .map((server) => checkCommand(server, io))
}

function checkCommand({ name, command, env }: StdioServerConfig, io: Io): Finding {
  const check = `command of ${name}`
  const found = findExecutable(command, { ...io.env, ...env })
  if (found !== undefined) return { check, level: 'ok', message: found }
  const fix = /\s/.test(command)
    ? `Write the program in command and the rest in args: ${JSON.stringify(command.split(/\s+/))}.`
    : (installs[command] ??
      `Install ${command}, correct the path, or write the program's full path in command.`)
  return { check, level: 'broken', message: `${command} is not found in PATH`, fix }
}

const installs: Readonly<Record<string, string>> = {
  npx: 'Install Node with npm: https://nodejs.org',
  uvx: 'Install uv: https://docs.astral.sh/uv/',
  uv: 'Install uv: https://docs.astral.sh/uv/',
  docker: 'Install Docker: https://docs.docker.com/get-docker/',
  deno: 'Install Deno: https://deno.com',
  bunx: 'Install Bun: https://bun.sh',
}

/** A port that our own gateway listens on is as good as free. */
export async function checkPort(config: PmlConfig, ownAddress: string | undefined): Promise<Finding> {
  const { host, port } = config.http
  const place = `${host}:${port}`
  if (port === 0) return { check: 'port', level: 'ok', message: 'any free one' }
  if (ownAddress !== undefined && new URL(ownAddress).port === String(port)) {
    return { check: 'port', level: 'ok', message: `${place} is ours` }
  }
  const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
  if (problem === undefined) return { check: 'port', level: 'ok', message: `${place} is free` }
  const message = problem.code === 'EADDRINUSE' ? `${place} is taken by another program` : problem.message
  return {
    check: 'port',
    level: 'warning',
    message,
    fix: 'Set http.port to another one, or use: pml up --port 0',
  }
}
