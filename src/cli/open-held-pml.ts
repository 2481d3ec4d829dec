import { configPlaces, findConfigFile } from '../config/find-config-file.js'
import { loadConfig } from '../config/load-config.js'
import { loadPermissions, permissionsPlaces } from '../config/load-permissions.js'
import { watchConfig } from '../config/watch-config.js'
import { watchPermissions } from '../config/watch-permissions.js'
import { ConfigError } from '../errors.js'
import type { ConfigProblem } from '../gateway/status.js'
import type { HeldGateway } from '../holder/join-holder.js'
import type { PmlConfig } from '../model/config.js'
import { describeStart } from '../model/describe-start.js'
import { type Log, redactedLog } from '../model/log.js'
import type { Permissions } from '../model/permissions.js'
import { createLearningRedact } from '../model/redact.js'
import { createPml, type Pml } from '../pml.js'
import type { HttpChoice } from './cli-command.js'
import { countOf } from './count-of.js'

export interface HeldPml extends HeldGateway {
  readonly pml: Pml
  config(): PmlConfig
  /** Told where HTTP listens, for `pml status`. */
  announce(url: string): void
  /** Starts servers and store at once, and tells of each as it comes up; resolves when all have, or time is up. */
  reportStart(onProgress: (step: string) => void, withinMs: number): Promise<void>
}

export interface HeldPmlOptions {
  readonly directory: string
  readonly args: HttpChoice
  readonly log: Log
  readonly takesUpRuns: boolean
  onProgress(step: string): void
  /** Another file is in force: the first one that was made while the demo ran. */
  onConfigFile(file: string): void
}

/** Reads the configuration, opens the gateway with it, and takes up its changes while it runs. */
export async function openHeldPml(options: HeldPmlOptions): Promise<HeldPml> {
  const { directory, args } = options
  const { redact, learn, learnPassing } = createLearningRedact()
  const log = redactedLog(options.log, redact)
  /** What clients lent of their environment: the variables that the configuration refers to and that we do not have. */
  let lent: Readonly<Record<string, string>> = {}
  const place = { file: args.config, env: process.env, cwd: process.cwd(), home: directory }
  const file = findConfigFile(place)
  const load = async (): Promise<PmlConfig> => {
    const read = await loadConfig({
      ...place,
      env: { ...lent, ...process.env },
      exposure: args.exposure,
      onWarning: (warning) => log.warn(warning.message),
    })
    learn(read.secrets)
    return {
      ...read,
      http: { ...read.http, ...(args.host && { host: args.host }), ...(args.port && { port: args.port }) },
    }
  }
  let config = await load()
  const places = file === undefined ? configPlaces(place) : [file]
  const permissionFiles = permissionsPlaces(places, directory)
  const readPermissions = (): Promise<Permissions> =>
    loadPermissions({
      places: permissionFiles,
      servers: config.servers.map(({ name }) => name),
      onWarning: (warning) => log.warn(warning.message),
    })
  const permissions = await readPermissions()
  const pml = createPml({
    config,
    dataDirectory: directory,
    databaseUrl: process.env.DATABASE_URL || undefined,
    log,
    redact,
    onSecrets: learnPassing,
    async lend(values) {
      const missing = new Set(config.missingVariables.map(({ name }) => name))
      const wanted = Object.entries(values).filter(([name]) => missing.has(name))
      if (wanted.length === 0) return
      lent = { ...lent, ...Object.fromEntries(wanted) }
      log.info('a client has lent variables that were not set here', { names: wanted.map(([name]) => name) })
      await watch.again()
    },
    takesUpRuns: options.takesUpRuns,
    onProgress: options.onProgress,
  })
  pml.usePermissions(permissions)
  let configProblem: ConfigProblem | undefined
  let permissionsProblem: ConfigProblem | undefined
  const showProblem = (): void => pml.gateway.showConfigProblem(configProblem ?? permissionsProblem)
  const permissionsWatch = watchPermissions(permissionFiles, readPermissions, {
    onPermissions(next) {
      permissionsProblem = undefined
      showProblem()
      pml.usePermissions(next)
    },
    onError(error) {
      permissionsProblem = toConfigProblem(error, permissionFiles[0])
      showProblem()
      log.error('the changed mcp-permissions.yaml is not used', { error: error.message })
    },
  })
  const watch = watchConfig(places as [string, ...string[]], load, {
    onConfig(next) {
      if (next.source !== config.source) options.onConfigFile(next.source)
      config = next
      configProblem = undefined
      showProblem()
      void pml.reconfigure(next)
    },
    onError(error) {
      configProblem = toConfigProblem(error, config.source)
      showProblem()
      log.error('the changed configuration is not used', { error: error.message })
    },
  })
  return {
    pml,
    config: () => config,
    announce: (url) => pml.gateway.announce(url),
    reportStart: (onProgress, withinMs) => reportStart(pml, onProgress, withinMs),
    handle: (request, response, via) => pml.gateway.handle(request, response, via),
    serveStream: (input, output) => void pml.gateway.serveStream(input, output),
    async close() {
      watch.close()
      permissionsWatch.close()
      await pml.close()
    },
  }
}

function toConfigProblem(error: Error, source: string): ConfigProblem {
  const { file = source, line } = error instanceof ConfigError ? error : {}
  return { file, ...(line !== undefined && { line }), message: error.message, since: Date.now() }
}

async function reportStart(pml: Pml, onProgress: (step: string) => void, withinMs: number): Promise<void> {
  const told = new Set<string>()
  const tell = (): void => {
    for (const server of pml.upstreams.servers()) {
      if (told.has(server.name) || (server.status !== 'ready' && server.status !== 'down')) continue
      told.add(server.name)
      const what =
        server.status === 'ready'
          ? countOf(server.toolCount, 'tool')
          : `${server.trouble?.message} ${server.trouble?.hint}`
      onProgress(`${server.name}: ${what}`)
    }
  }
  const stop = pml.upstreams.onChange(tell)
  pml.start()
  const timeUp = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref())
  await Promise.race([
    Promise.all([pml.storeOpen().catch(() => {}), pml.upstreams.settled({ timeoutMs: withinMs })]),
    timeUp,
  ])
  tell()
  stop()
  for (const server of pml.upstreams.servers()) {
    const doing = told.has(server.name) ? undefined : describeStart(server, Date.now())
    if (doing !== undefined) onProgress(`${server.name}: ${doing}`)
  }
}
