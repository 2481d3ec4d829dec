/** What `pml doctor` can see of the machine and the configuration without a gateway. */
import { mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { loadConfig } from '../config/load-config.js'
import { ConfigError, missingFileHint, schemaHint, toErrorInfo } from '../errors.js'
import type { PmlConfig } from '../model/config.js'
import { isLoopback } from '../model/is-loopback.js'
import { canonicalJson } from '../model/json.js'
import { countOf } from './count-of.js'
import { broken, type Finding, ok, warning } from './finding.js'

const oldestNode = [20, 19] as const

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  const good = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])
  if (good) return ok('node', `${version} (${process.execPath})`)
  return broken('node', `${version} is too old`, 'Install Node 20.19 or later: https://nodejs.org')
}

/** A database of ours takes some 40 MB when it is made, and grows with every run. */
const littleSpace = 200 * 1024 * 1024

export function checkDataDirectory(home: string, freeBytes = freeBytesOf): readonly Finding[] {
  const check = 'data directory'
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    probe(home)
  } catch (error) {
    return [broken(check, ...explainUnwritable(home, error as NodeJS.ErrnoException))]
  }
  const free = freeBytes(home)
  if (free < littleSpace) {
    const message = `${home}: only ${Math.floor(free / 1024 / 1024)} MB are free on its disk`
    return [warning(check, message, 'Make room, or set PML_HOME to a folder on another disk.')]
  }
  return [foreignOwner(home) ?? openToOthers(home) ?? ok(check, home)]
}

/** Enough to take a block of the disk: an empty file can be made on a full one. */
function probe(home: string): void {
  const file = join(home, `.doctor-${process.pid}`)
  try {
    writeFileSync(file, Buffer.alloc(64 * 1024))
  } finally {
    rmSync(file, { force: true })
  }
}

export function explainUnwritable(home: string, error: NodeJS.ErrnoException): readonly [string, string] {
  const elsewhere = 'set PML_HOME to another folder.'
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return [`${home}: the disk is full`, `Make room on it, or ${elsewhere}`]
    case 'EROFS':
      return [`${home}: the disk can only be read`, `Set PML_HOME to a folder that can be written.`]
    case 'EACCES':
    case 'EPERM':
      return [
        `${home}: you may not write there`,
        `Make it yours (sudo chown -R "$USER" '${home}'), or ${elsewhere}`,
      ]
    case 'ENOTDIR':
    case 'EEXIST':
      return [`${home}: something that is no folder is in the way`, `Move it away, or ${elsewhere}`]
    default:
      return [`${home}: ${error.message}`, `Make it writable, or ${elsewhere}`]
  }
}

/** Some network drives do not say. */
function freeBytesOf(home: string): number {
  try {
    const { bavail, bsize } = statfsSync(home)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function foreignOwner(home: string): Finding | undefined {
  const uid = process.getuid?.()
  const owner = statSync(home).uid
  if (uid === undefined || owner === uid) return undefined
  const message = `${home} belongs to another user (uid ${owner})`
  return warning('data directory', message, `Make it yours: sudo chown -R "$USER" '${home}'`)
}

function openToOthers(home: string): Finding | undefined {
  if (process.platform === 'win32') return undefined
  const { mode } = statSync(home)
  if ((mode & 0o077) === 0) return undefined
  const message = `${home} is open to other users of this machine (mode ${(mode & 0o777).toString(8)})`
  return warning('data directory', message, `Close it: chmod 700 '${home}'`)
}

export interface CheckedConfig {
  readonly findings: readonly Finding[]
  /** Absent where it cannot be used. */
  readonly config?: PmlConfig
}

/** Every problem of the file, not the first alone. */
export async function checkConfig(
  options: Omit<Parameters<typeof loadConfig>[0], 'onWarning'>,
): Promise<CheckedConfig> {
  const warnings: Finding[] = []
  try {
    const config = await loadConfig({
      ...options,
      onWarning: ({ message, expected }) => warnings.push(warning('config', message, mend(expected))),
    })
    return {
      findings: [countServers(config), ...warnings, ...checkTwins(config)],
      config,
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      const { message, hint } = toErrorInfo(error)
      return { findings: [...warnings, broken('config', message, hint)] }
    }
    return { findings: [...[error, ...error.others].map(oneProblem), ...warnings] }
  }
}

function countServers({ source, servers }: PmlConfig): Finding {
  if (servers.length > 0) return ok('config', `${source}, ${countOf(servers.length, 'server')}`)
  const fix = 'Take over those of your clients with: pml init, or add one with: pml add NAME -- COMMAND'
  return warning('config', `${source} has no servers`, fix)
}

/** The same program with the same arguments and environment is the same server, started twice. */
function checkTwins({ servers }: PmlConfig): readonly Finding[] {
  const first = new Map<string, string>()
  return servers
    .filter(({ disabled }) => !disabled)
    .flatMap(({ name, ...rest }) => {
      const key = canonicalJson(rest)
      const twin = first.get(key)
      if (twin === undefined) first.set(key, name)
      const message = `${name} is the same as ${twin}: every tool is there twice`
      return twin === undefined ? [] : [warning('config', message, `Run: pml remove ${name}`)]
    })
}

function oneProblem({ file, line, expected }: ConfigError): Finding {
  return broken('config', `${file}${line === undefined ? '' : `:${line}`}: ${expected}`, mend(expected))
}

function mend(expected: string): string {
  const [, variable] = /environment variable (\w+) to be set/.exec(expected) ?? []
  if (variable !== undefined) {
    return `Set ${variable} where the gateway is started (for a client: in "env" of its pml entry).`
  }
  const [, meant] = /did you mean "(.*)"\?/.exec(expected) ?? []
  if (meant !== undefined) return `Write ${meant}.`
  if (expected.includes('unknown key')) return 'Take the key out.'
  if (expected.includes('expected http.token too')) {
    return 'Set http.token to a reference such as ${PML_TOKEN}, or http.host to 127.0.0.1.'
  }
  if (expected.endsWith('there is none')) return missingFileHint
  return `Write it as expected. ${schemaHint}`
}

/** A port that our own gateway listens on is as good as free. */
export async function checkPort(
  { http, source }: PmlConfig,
  ownAddress: string | undefined,
): Promise<Finding> {
  const { host, port } = http
  const place = `${host}:${port}`
  if (port === 0) return ok('port', 'any free one')
  if (ownAddress !== undefined && new URL(ownAddress).port === String(port))
    return ok('port', `${place} is ours`)
  const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
  if (problem === undefined) return ok('port', `${place} is free`)
  const message = problem.code === 'EADDRINUSE' ? `${place} is taken by another program` : problem.message
  const fix = source === 'demo' ? 'Use: pml up --port 0' : `Set http.port in ${source} to another one.`
  return warning('port', message, fix)
}

/** Shorter ones are guessed. */
const shortestToken = 16

/** Without a token beyond loopback a configuration is refused, so what is left to say is how good it is. */
export function checkToken({ http }: PmlConfig): readonly Finding[] {
  if (isLoopback(http.host) || http.token === undefined) return []
  if (http.token.length >= shortestToken) return [ok('token', `${http.host} asks for one`)]
  const message = `the token that opens ${http.host} has only ${http.token.length} characters`
  return [warning('token', message, 'Make a longer one: openssl rand -hex 32')]
}
