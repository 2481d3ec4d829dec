import { availableParallelism, homedir } from 'node:os'
import { ConfigError } from '../errors.js'
import { closestName } from '../model/closest-name.js'
import type { PmlConfig } from '../model/config.js'
import { isLoopback } from '../model/is-loopback.js'
import { isObject } from '../model/json.js'
import type { ServerConfig } from '../model/server.js'
import { buildServer } from './build-server.js'
import { collectSecrets, databaseSecrets } from './collect-secrets.js'
import { type ConfigFile, configSchema, type ServerEntry, serverKeys, topLevelKeys } from './config-schema.js'
import type { Path } from './config-text.js'
import { describeIssue, formatPath, type Problem, show, unknownKey } from './describe-issue.js'
import { type Resolved, resolveReferences } from './resolve-references.js'
import { serverNameProblem } from './server-name.js'

export interface ConfigOrigin {
  readonly file: string
  lineOf(path: Path): number | undefined
  readonly env: NodeJS.ProcessEnv
  /** A client's file has keys that are none of our business: they warn, where in ours they are mistakes. */
  readonly ours: boolean
  readonly strict: boolean
  onWarning(warning: ConfigError): void
}

/** A file's plain value becomes the configuration: references resolved, checked, defaults filled in. */
export function fillConfig(written: unknown, origin: ConfigOrigin): PmlConfig {
  if (!isObject(written)) {
    throw problem({ path: [], expected: `expected a mapping with servers, got ${show(written, [])}` })
  }
  const references = resolveReferences(dropEmptySections(written), origin.env)
  const unreachable = reportMissing(references)
  const settings = validate(references.value)
  const section = serversSection(settings)
  const servers = Object.entries(settings[section] ?? {}).map(([name, entry]) => oneServer(name, entry))
  checkTogether(settings, servers)

  return {
    source: origin.file,
    servers,
    exposure: settings.exposure,
    prefix: settings.prefix,
    contextWindow: settings.contextWindow,
    maxResultTokens: settings.maxResultTokens,
    hybrid: settings.hybrid,
    replyWithinMs: settings.replyWithinMs,
    firstListWaitMs: settings.firstListWaitMs,
    validateArguments: settings.validateArguments,
    http: httpOf(settings),
    limits: {
      ...settings.limits,
      concurrentColdStarts: settings.limits.concurrentColdStarts ?? Math.max(2, availableParallelism()),
    },
    secrets: collectSecrets(servers, references.resolved, [
      settings.http.token,
      ...databaseSecrets(origin.env),
    ]),
  }

  function validate(value: unknown): ConfigFile {
    const known = origin.ours ? value : withoutUnknownKeys(value as object)
    const parsed = configSchema.safeParse(known)
    if (parsed.success) return parsed.data
    const [first, ...others] = parsed.error.issues.map((issue) => describeIssue(issue, written, topLevelKeys))
    const more = others.length > 0 ? ` (and ${others.length} more)` : ''
    throw problem({ path: first!.path, expected: first!.expected + more }, { cause: parsed.error })
  }

  function withoutUnknownKeys(value: object): object {
    const entries = Object.entries(value)
    for (const [key] of entries) {
      if (!topLevelKeys.includes(key)) warn({ path: [key], expected: 'unknown key, ignored' })
    }
    return Object.fromEntries(entries.filter(([key]) => topLevelKeys.includes(key)))
  }

  function serversSection(settings: ConfigFile): 'servers' | 'mcpServers' {
    if (settings.servers === undefined) return 'mcpServers'
    if (settings.mcpServers === undefined) return 'servers'
    throw problem({ path: ['mcpServers'], expected: 'expected either servers or mcpServers, got both' })
  }

  function oneServer(name: string, entry: ServerEntry): ServerConfig {
    const path = [section, name]
    const nameProblem = serverNameProblem(name)
    if (nameProblem !== undefined) throw problem({ path, expected: nameProblem })
    for (const key of Object.keys(entry)) if (!serverKeys.includes(key)) unknownServerKey([...path, key], key)
    const lost = unreachable.has(name)
    const place = { file: origin.file, userHome: origin.env.HOME ?? homedir() }
    const built = buildServer(name, lost ? withPlaceholders(entry) : entry, place)
    if ('expected' in built) throw problem({ path: [...path, ...built.path], expected: built.expected })
    return lost ? { ...built, disabled: true } : built
  }

  /** A key one slip away from ours was meant as ours, and `trsut: false` must not pass unseen; others are a client's. */
  function unknownServerKey(path: Path, key: string): void {
    if (origin.ours && closestName(key, serverKeys) !== undefined) {
      throw problem({ path, expected: unknownKey(key, serverKeys) })
    }
    warn({ path, expected: 'unknown key, ignored' })
  }

  /**
   * One missing variable must not leave the other servers without service: it is left empty, or its server is disabled
   * where it was the program or the address. A setting of our own has no such excuse. Gives the disabled servers' names.
   */
  function reportMissing({ missing, value }: Resolved): ReadonlySet<string> {
    const unreachable = new Set<string>()
    for (const reference of missing) {
      const [section, name, key] = reference.path
      const inServer = section === 'servers' || section === 'mcpServers'
      if (origin.strict || !inServer) throw problem(reference)
      if (isSwitchedOff(value, section, String(name))) continue
      const vital = /^(?:command|cwd|url|serverUrl|httpUrl)$/.test(String(key))
      if (vital) unreachable.add(String(name))
      const outcome = vital ? 'the server is disabled' : 'it is left empty'
      warn({ path: reference.path, expected: `${reference.expected}; until then ${outcome}` })
    }
    return unreachable
  }

  function checkTogether(settings: ConfigFile, servers: readonly ServerConfig[]): void {
    const active = servers.filter((server) => !server.disabled).length
    if (settings.prefix === 'none' && active > 1) {
      throw problem({ path: ['prefix'], expected: `expected server, because there are ${active} servers` })
    }
    if (!isLoopback(settings.http.host) && settings.http.token === undefined) {
      throw problem({
        path: ['http', 'host'],
        expected: `expected http.token too, because ${settings.http.host} can be reached from other machines`,
      })
    }
  }

  function warn(found: Problem): void {
    origin.onWarning(problem(found))
  }

  function problem({ path, expected }: Problem, options?: ErrorOptions): ConfigError {
    const where = path.length > 0 ? `${formatPath(path)}: ` : ''
    return new ConfigError(origin.file, origin.lineOf(path), where + expected, options)
  }
}

/** `servers:` with nothing beneath it is how people leave a section empty in YAML. */
function dropEmptySections(written: object): object {
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null))
}

function isSwitchedOff(root: unknown, section: string, name: string): boolean {
  const entry = (root as Record<string, Record<string, Partial<ServerEntry>>>)[section]?.[name]
  return entry?.disabled === true || entry?.enabled === false
}

/** A disabled server is never reached, but its shape is complete. */
function withPlaceholders(entry: ServerEntry): ServerEntry {
  const filled = { ...entry }
  if (filled.command !== undefined) filled.command ||= 'missing'
  for (const key of ['url', 'serverUrl', 'httpUrl'] as const) {
    if (filled[key] !== undefined && !URL.canParse(filled[key])) filled[key] = 'http://missing.invalid/'
  }
  return filled
}

function httpOf(settings: ConfigFile): PmlConfig['http'] {
  const { host, port, token } = settings.http
  return token === undefined ? { host, port } : { host, port, token }
}
