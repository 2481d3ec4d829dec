/** What `pml doctor` learns from a gateway, the one that runs or one opened to look: store, servers, tools. */
import { shellWord } from '../errors.js'
import type { Status, ToolSummary } from '../gateway/status.js'
import type { PmlConfig } from '../model/config.js'
import { describeStart } from '../model/describe-start.js'
import { createRedact } from '../model/redact.js'
import type { ServerConfig, ServerState, Trouble } from '../model/server.js'
import { version as ourVersion } from '../version.js'
import { countOf } from './count-of.js'
import { broken, type Finding, ok, warning } from './finding.js'

export interface GatewayFacts {
  readonly status: Status
  readonly tools: readonly ToolSummary[]
}

export interface GatewayExpectations {
  /** The configuration that was looked at; undefined where it cannot be used. */
  readonly config: PmlConfig | undefined
  /** Servers about which all has been said. */
  readonly withoutProgram: ReadonlySet<string>
  readonly waitedMs: number
}

export function checkGateway(
  { status, tools }: GatewayFacts,
  { config, withoutProgram, waitedMs }: GatewayExpectations,
): readonly Finding[] {
  const servers = status.servers.filter(({ name }) => !withoutProgram.has(name))
  return [
    ...checkHolder(status, config?.source),
    checkStore(status),
    ...checkSearch(status),
    ...servers.map((server) =>
      checkServer(server, config?.source === status.config ? config : undefined, waitedMs),
    ),
    ...checkTools(tools),
  ]
}

function checkHolder(status: Status, source: string | undefined): readonly Finding[] {
  const { pid, version, config, configProblem } = status
  if (pid === process.pid) return [ok('gateway', 'none is running; opened one to look')]
  const findings = [ok('gateway', `process ${pid} holds it, version ${version}, ${clients(status)}`)]
  if (version !== ourVersion) {
    const fix = `End process ${pid}: the next client starts this version.`
    findings.push(warning('gateway', `it is version ${version}, this is ${ourVersion}`, fix))
  }
  if (configProblem !== undefined) {
    const since = new Date(configProblem.since).toISOString().slice(0, 16).replace('T', ' ')
    const message = `it goes on with the configuration from before ${since} UTC: ${configProblem.message}`
    findings.push(warning('gateway', message, 'Correct the file: it is taken up at once.'))
  }
  if (source !== undefined && config !== source) {
    const fix = `End process ${pid} to have the other file used, or name the same one with --config.`
    findings.push(warning('gateway', `it runs with ${config}, not with ${source}`, fix))
  }
  return findings
}

/** An older gateway does not count them. */
function clients({ clients: count = 0 }: Partial<Status>): string {
  return countOf(count, 'client')
}

function checkStore({ runs, storeTrouble }: Status): Finding {
  if (storeTrouble !== undefined) return broken('database', storeTrouble.message, storeTrouble.hint)
  if (runs !== undefined) return ok('database', 'opens')
  return warning('database', 'is still opening', 'Run again in a moment: pml doctor')
}

/** Not told by an older gateway. */
function checkSearch({ search }: Partial<Status>): readonly Finding[] {
  if (search?.trouble === undefined) return []
  const isStatic = search.trouble.startsWith('Embedder "static":')
  const fix = isStatic
    ? 'Until then search goes by words.'
    : 'Or go back to the static model: pml model use static'
  return [warning('search', search.trouble, fix)]
}

function checkServer(server: ServerState, config: PmlConfig | undefined, waitedMs: number): Finding {
  const { name, status, trouble, toolCount } = server
  const command = config && commandLine(name, config)
  const check = `server ${name}`
  if (status === 'ready') return ok(check, `ready, ${countOf(toolCount, 'tool')}`)
  if (status === 'disabled') return ok(check, 'disabled')
  if (trouble !== undefined) {
    // Most likely it is what keeps the server from starting, and it has its fix already.
    const lacking = config?.missingVariables.find((missing) => missing.server === name)
    const fix = lacking === undefined ? mend(trouble, command) : `Set ${lacking.name} first, as said above.`
    return broken(check, trouble.message.replace(/^Server "[^"]*": /, ''), fix)
  }
  const doing = describeStart(server, Date.now()) ?? status
  const fix =
    server.start?.launcher === undefined
      ? `See what it waits for. Run: ${command ?? 'its command by hand'}`
      : 'Wait for the download, then run again: pml doctor'
  return warning(check, `not up after ${Math.round(waitedMs / 1000)} s: ${doing}`, fix)
}

function mend({ kind, hint }: Trouble, command: string | undefined): string {
  if (command === undefined || !hint.startsWith('Run its command by hand')) return hint
  return kind === 'timeout'
    ? `Raise connectTimeoutMs, or see what it waits for. Run: ${command}`
    : `Run: ${command}`
}

/** As it is started, ready to be pasted, less its secrets; the variables it is given are named, not told. */
function commandLine(name: string, { servers, secrets }: PmlConfig): string | undefined {
  const server = servers.find((one): one is ServerConfig & { transport: 'stdio' } => {
    return one.name === name && one.transport === 'stdio'
  })
  if (server === undefined) return undefined
  const { command, args, cwd, env } = server
  const redact = createRedact(secrets)
  const word = (text: string): string => shellWord(redact(text))
  const folder = cwd === undefined ? '' : `cd ${word(cwd)} && `
  const variables = Object.keys(env)
  const given = variables.length === 0 ? '' : ` (with ${variables.join(', ')} as in the configuration)`
  return `${folder}${[command, ...args].map(word).join(' ')}${given}`
}

/** Named one by one while that helps. */
const named = 5

function checkTools(tools: readonly ToolSummary[]): readonly Finding[] {
  const findings: Finding[] = []
  const changed = tools.filter(({ state }) => state === 'quarantined').map(({ id }) => id)
  if (changed.length > 0) {
    const message = `${changed.length} changed since they were approved and are not called: ${some(changed)}`
    findings.push(warning('tools', message, 'See what changed, and accept it, with: pml trust'))
  }
  const shared = sharedNames(tools)
  if (shared.length > 0) {
    findings.push(ok('tools', `in more than one server, so called as server:tool: ${some(shared)}`))
  }
  return findings
}

function some(names: readonly string[]): string {
  const rest = names.length - named
  return rest > 0 ? `${names.slice(0, named).join(', ')} and ${rest} more` : names.join(', ')
}

/** Names of tools that more than one server has. */
function sharedNames(tools: readonly ToolSummary[]): readonly string[] {
  const owners = new Map<string, Set<string>>()
  for (const { id, server, state } of tools) {
    if (state === 'gone') continue
    const name = id.slice(server.length + 1)
    owners.set(name, (owners.get(name) ?? new Set()).add(server))
  }
  return [...owners].filter(([, servers]) => servers.size > 1).map(([name]) => name)
}
