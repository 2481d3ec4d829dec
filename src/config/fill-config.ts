import { availableParallelism, homedir } from 'node:os'
import { ConfigError } from '../errors.js'
import { closestName } from '../model/closest-name.js'
import type { EndpointConfig, PmlConfig } from '../model/config.js'
import { isLoopback } from '../model/is-loopback.js'
import { isObject } from '../model/json.js'
import type { ServerConfig } from '../model/server.js'
import { parseToolId } from '../model/tool.js'
import { buildEndpoint } from './build-endpoint.js'
import { buildServer } from './build-server.js'
import { collectSecrets, databaseSecrets, endpointSecrets } from './collect-secrets.js'
import {
  approvalsSchema,
  type ConfigFile,
  configSchema,
  type EndpointEntry,
  knownKeys,
  type ServerEntry,
  serverKeys,
  speculationSchema,
  topLevelKeys,
} from './config-schema.js'
import type { Path } from './config-text.js'
import { describeIssue, formatPath, type Problem, show, unknownKey } from './describe-issue.js'
import type { Secrets } from './read-secrets-file.js'
import { type Resolved, resolveReferences } from './resolve-references.js'
import { serverNameProblem } from './server-name.js'

export interface ConfigOrigin {
  readonly file: string
  lineOf(path: Path): number | undefined
  readonly env: NodeJS.ProcessEnv
  /** Answer references that the environment does not. */
  readonly secrets: Secrets
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
  /** All that is wrong, so that a person mends it in one go. */
  const wrong: ConfigError[] = []
  const references = resolveReferences(dropEmptySections(written), origin.env, origin.secrets)
  const { lostServers, lostEndpoints } = reportMissing(references)
  const settings = validate(references.value)
  const section = serversSection(settings)
  const servers = Object.entries(settings[section] ?? {}).flatMap(([name, entry]) =>
    collect(() => oneServer(name, entry)).flat(),
  )
  const endpoints = Object.entries(settings.search.endpoints).flatMap(([name, entry]) =>
    lostEndpoints.has(name) ? [] : collect(() => oneEndpoint(name, entry)),
  )
  collect(() => checkTogether(settings, servers))
  const approvals = approvalsOf(settings)
  const speculation = speculationOf(settings)
  checkNames(['approvals', 'tools'], approvals.tools)
  checkNames(['speculation', 'tools'], speculation.tools)
  checkNames(['speculation', 'costPerCall'], speculation.costPerCall)
  refuseIfWrong()

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
    validateOutput: settings.validateOutput,
    http: httpOf(settings),
    search: { embedder: settings.search.embedder, endpoints },
    plan: settings.plan,
    learning: settings.learning,
    approvals,
    speculation,
    code: settings.code,
    limits: {
      ...settings.limits,
      concurrentColdStarts: settings.limits.concurrentColdStarts ?? Math.max(2, availableParallelism()),
    },
    missingVariables: references.missing.flatMap(({ variable, path: [section, server] }) => {
      if (variable === undefined) return []
      return [{ name: variable, ...(isServers(section) ? { server: String(server) } : {}) }]
    }),
    secrets: collectSecrets(servers, references.resolved, [
      settings.http.token,
      ...endpoints.flatMap(endpointSecrets),
      ...databaseSecrets(origin.env),
      ...Object.values(origin.secrets),
    ]),
  }

  function validate(value: unknown): ConfigFile {
    const known = origin.ours ? value : withoutUnknownKeys(value as object)
    const parsed = configSchema.safeParse(known)
    if (parsed.success) return parsed.data
    const missing = new Set(references.missing.map(({ path }) => formatPath(path)))
    for (const issue of parsed.error.issues) {
      for (const found of describeIssue(issue, written, knownKeys)) {
        // What an unset variable left empty has been told as that.
        if (missing.has(formatPath(found.path))) continue
        wrong.push(problem(found, { cause: parsed.error }))
      }
    }
    return refuseIfWrong()
  }

  function collect<Value>(read: () => Value): readonly Value[] {
    try {
      return [read()]
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      wrong.push(error)
      return []
    }
  }

  /** The first in the file is the one that is told; the others travel with it. */
  function refuseIfWrong(): never
  function refuseIfWrong(): void {
    if (wrong.length === 0) return
    const [first, ...others] = wrong.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    const { file, line, expected, cause } = first!
    throw new ConfigError(file, line, expected, { cause }, others)
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

  /** None where a key is misspelt: what else it lacks would be said of the slip. */
  function oneServer(name: string, entry: ServerEntry): readonly ServerConfig[] {
    const path = [section, name]
    const nameProblem = serverNameProblem(name)
    if (nameProblem !== undefined) throw problem({ path, expected: nameProblem })
    const wrongBefore = wrong.length
    for (const key of Object.keys(entry)) if (!serverKeys.includes(key)) unknownServerKey([...path, key], key)
    if (wrong.length > wrongBefore) return []
    const lost = lostServers.has(name)
    const place = { file: origin.file, userHome: origin.env.HOME ?? homedir() }
    const built = buildServer(name, lost ? withPlaceholders(entry) : entry, place)
    if ('expected' in built) throw problem({ path: [...path, ...built.path], expected: built.expected })
    return [lost ? { ...built, disabled: true } : built]
  }

  function oneEndpoint(name: string, entry: EndpointEntry): EndpointConfig {
    const path = ['search', 'endpoints', name]
    const key = formatPath([...path, 'apiKey'])
    const variable = [...references.resolved, ...references.missing].find(
      (reference) => formatPath(reference.path) === key,
    )?.variable
    const built = buildEndpoint(name, entry, variable)
    if ('expected' in built) throw problem({ path: [...path, ...built.path], expected: built.expected })
    return built
  }

  /** A key one slip away from ours was meant as ours, and `trsut: false` must not pass unseen; others are a client's. */
  function unknownServerKey(path: Path, key: string): void {
    const closest = closestName(key, serverKeys)
    if (origin.ours && closest !== undefined) {
      wrong.push(problem({ path, expected: unknownKey(key, serverKeys) }))
    } else {
      const meant = closest === undefined ? '' : `; did you mean "${closest}"?`
      warn({ path, expected: `unknown key, ignored${meant}` })
    }
  }

  /**
   * One missing variable must not leave the other servers without service: it is left empty, or its server is disabled
   * where it was the program or the address; nor must that of an endpoint. A setting of our own has no such excuse.
   */
  function reportMissing({ missing, value }: Resolved): Lost {
    const lostServers = new Set<string>()
    const lostEndpoints = new Set<string>()
    for (const reference of missing) {
      const { section, name, key } = placeOf(reference.path)
      const lost = lossOf(section, key)
      if (lost === 'the server is disabled') lostServers.add(name)
      if (lost === 'the endpoint is left out') lostEndpoints.add(name)
      if (origin.strict || section === undefined) {
        wrong.push(problem(reference))
        continue
      }
      if (section !== 'endpoints' && isSwitchedOff(value, section, name)) continue
      warn({ path: reference.path, expected: `${reference.expected}; until then ${lost}` })
    }
    return { lostServers, lostEndpoints }
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

  function checkNames(path: Path, byName: object): void {
    const known = Object.keys(settings[section] ?? {})
    for (const name of Object.keys(byName)) checkName([...path, name], name, known)
  }

  /** A rule that is never looked at must not pass unseen: a `block` for `fiels:*` blocks nothing. Tools are not known here. */
  function checkName(path: Path, name: string, known: readonly string[]): void {
    if (name === '*') return
    const { server, tool = '' } = parseToolId(name) ?? {}
    if (server === undefined || (tool.includes('*') && tool !== '*')) {
      wrong.push(problem({ path, expected: 'expected server:tool, server:* or * as its name' }))
      return
    }
    if (known.includes(server)) return
    const closest = closestName(server, known)
    if (closest !== undefined)
      wrong.push(problem({ path, expected: `no server "${server}", did you mean "${closest}"?` }))
    else warn({ path, expected: `no server "${server}", so it applies to nothing` })
  }

  function warn(found: Problem): void {
    origin.onWarning(problem(found))
  }

  function problem({ path, expected }: Problem, options?: ErrorOptions): ConfigError {
    const where = path.length > 0 ? `${formatPath(path)}: ` : ''
    return new ConfigError(origin.file, origin.lineOf(path), where + expected, options)
  }
}

interface Lost {
  readonly lostServers: ReadonlySet<string>
  readonly lostEndpoints: ReadonlySet<string>
}

/** Whose setting it is: a server's, an endpoint's, or (no section) our own. */
function placeOf(path: Path): {
  section: 'servers' | 'mcpServers' | 'endpoints' | undefined
  name: string
  key: string
} {
  const [first, second, third, fourth] = path
  if (isServers(first)) return { section: first, name: String(second), key: String(third) }
  if (first === 'search' && second === 'endpoints') {
    return { section: second, name: String(third), key: String(fourth) }
  }
  return { section: undefined, name: '', key: '' }
}

function isServers(section: Path[number] | undefined): section is 'servers' | 'mcpServers' {
  return section === 'servers' || section === 'mcpServers'
}

/** What a setting that is left empty costs. */
function lossOf(section: ReturnType<typeof placeOf>['section'], key: string) {
  if (section === 'endpoints')
    return /^(?:url|model)$/.test(key) ? 'the endpoint is left out' : 'it is left empty'
  return /^(?:command|cwd|url|serverUrl|httpUrl)$/.test(key) ? 'the server is disabled' : 'it is left empty'
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

function approvalsOf({ approvals }: ConfigFile): PmlConfig['approvals'] {
  return typeof approvals === 'string' ? approvalsSchema.parse({ by: approvals }) : approvals
}

function speculationOf({ speculation }: ConfigFile): PmlConfig['speculation'] {
  return typeof speculation === 'string' ? speculationSchema.parse({ mode: speculation }) : speculation
}

function httpOf(settings: ConfigFile): PmlConfig['http'] {
  const { host, port, token } = settings.http
  return token === undefined ? { host, port } : { host, port, token }
}
