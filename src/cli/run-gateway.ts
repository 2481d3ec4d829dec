/**
 * The two ways a gateway process lives: in front of one client on standard input and output, and in front of many over HTTP.
 * Each first joins the holder of the data directory; the gateway itself is loaded only by the process that becomes it, so a
 * bridge stays small and starts at once.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataDirectory } from '../config/data-directory.js'
import { findConfigFile } from '../config/find-config-file.js'
import { UsageError } from '../errors.js'
import { bridgeStdio } from '../holder/bridge-stdio.js'
import { type Holding, joinHolder } from '../holder/join-holder.js'
import type { HolderFacts } from '../holder/take-lock.js'
import type { PmlConfig } from '../model/config.js'
import { isLoopback } from '../model/is-loopback.js'
import type { Log } from '../model/log.js'
import { withinMs } from '../model/within-ms.js'
import type { GatewayChoice, HttpChoice, HttpFront } from './cli-command.js'
import { findFront } from './find-front.js'
import type { HeldPml } from './open-held-pml.js'
import { refuseOtherConfig } from './refuse-other-config.js'
import { createStderrLog } from './stderr-log.js'

/** The holder refuses what is too large; a bridge only must not be the smaller door. */
const bridgeMaxMessageBytes = 256 * 1024 * 1024
const keptAliveMs = 10 * 60_000
const lendWithinMs = 2_000
/** Promise 2 s; the rest is left to the operating system. */
const exitWithinMs = 1_800

export interface Joined {
  readonly holding: Holding
  /** Set when this very process holds. */
  readonly held: HeldPml | undefined
}

/** Reaches the gateway of the data directory, or becomes it. */
export async function joinGateway(
  args: GatewayChoice,
  role: HolderFacts['role'],
  log: Log,
  onProgress: (step: string) => void,
): Promise<Joined> {
  const directory = dataDirectory(process.env)
  const place = { file: args.config, env: process.env, cwd: process.cwd(), home: directory }
  const config = findConfigFile(place) ?? 'demo'
  let held: HeldPml | undefined
  const holding = await joinHolder({
    directory,
    role,
    config,
    async openGateway(onConfigFile) {
      const { openHeldPml } = await import('./open-held-pml.js')
      held = await openHeldPml({
        ...{ directory, args, log, onProgress, onConfigFile },
        takesUpRuns: role === 'gateway',
      })
      return held
    },
  })
  if (role === 'gateway' && holding.config !== config) {
    log.warn('another configuration is in force here; use another PML_HOME for this one', {
      asked: config,
      inForce: holding.config,
      holder: holding.pid,
    })
  }
  // Before the client's first call: its servers are those it has the variables for.
  if (role === 'gateway' && !holding.here) await withinMs(lendEnvironment(holding), lendWithinMs, undefined)
  return { holding, held }
}

/** The client that started us may have given us what the holder, started by another, was not given. */
async function lendEnvironment({ api }: Holding): Promise<void> {
  try {
    const { missing } = (await api.get('/api/environment')) as { missing: readonly string[] }
    const known = missing.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))
    if (known.length > 0) await api.post('/api/environment', Object.fromEntries(known))
  } catch {
    // An older holder, or one that has just gone: its successor is asked again.
  }
}

/** A fault of ours in the background ends no session: it is told, and the rest goes on. */
function surviveFaults(log: Log): void {
  const tell = (error: unknown): void =>
    log.error('a fault of the gateway, please report it', {
      error: error instanceof Error ? error.stack : error,
    })
  process.on('unhandledRejection', tell)
  process.on('uncaughtException', tell)
}

/** `pml serve`: returns when the client has gone and everything is closed. */
export async function serveStdioClient(args: GatewayChoice): Promise<void> {
  const log = createStderrLog(process.env.PML_LOG)
  surviveFaults(log)
  const joining = joinGateway(args, 'gateway', log, () => {})
  const input = await clientInput(joining)
  let joined = await joining
  const stop = stopRequested()
  if (joined.held !== undefined) {
    const served = joined.held.pml.gateway.serveStream(input, process.stdout)
    await Promise.race([served.closed, stop])
  } else {
    let first: Holding | undefined = joined.holding
    const bridged = bridgeStdio({
      input,
      output: process.stdout,
      maxMessageBytes: bridgeMaxMessageBytes,
      log,
      async connect() {
        if (first === undefined) joined = await joinGateway(args, 'gateway', log, () => {})
        first = undefined
        return joined.holding.openStream()
      },
    })
    await Promise.race([bridged, stop])
  }
  await closeAndExit(() => joined.holding.close())
}

/** Long enough for any holder that is well. */
const slowJoinMs = 1_000

/**
 * Standard input, once there is somebody to read it. Who must wait long for that reads ahead: only a reader is told that the
 * client is gone, and then there is nothing left to wait for.
 */
async function clientInput(joining: Promise<unknown>): Promise<Readable> {
  const { stdin } = process
  const slow = sleep(slowJoinMs, 'slow', { ref: false })
  if ((await Promise.race([joining, slow])) !== 'slow') return stdin
  const ahead = stdin.pipe(new PassThrough())
  const leave = (): never => process.exit(0)
  stdin.once('end', leave)
  await joining
  stdin.off('end', leave)
  return ahead
}

/** `pml up` and `pml serve --http`: listens, and goes on through a change of holder. */
export async function openHttpFront(
  args: HttpChoice,
  onProgress: (step: string) => void,
): Promise<HttpFront> {
  const log = createStderrLog(process.env.PML_LOG)
  surviveFaults(log)
  let joined = await joinGateway(args, 'gateway', log, onProgress)
  await refuseOtherConfig(args, joined.holding)
  const there = args.mayReuse && !joined.holding.here ? await frontOf(joined.holding, args) : undefined
  if (there !== undefined) return there
  let closing = false
  let url = ''
  const follow = async (): Promise<void> => {
    while (!closing) {
      await joined.holding.gone
      while (!closing) {
        try {
          joined = await joinGateway(args, 'gateway', log, onProgress)
          joined.held?.announce(url)
          break
        } catch (error) {
          log.warn('no holder in reach, trying again', { error: String(error) })
          await sleep(500)
        }
      }
    }
  }
  void follow()

  const server = createServer((request, response) => joined.holding.handle(request, response))
  server.requestTimeout = 0
  // In 2026-07-28 a client is known by its connection: it keeps it between two calls.
  server.keepAliveTimeout = keptAliveMs
  try {
    const { host, port } = await httpPlace(args, joined)
    url = `http://${host.includes(':') ? `[${host}]` : host}:${await listen(server, host, port, args.port === undefined)}/`
  } catch (error) {
    closing = true
    await joined.holding.close()
    throw error
  }
  joined.held?.announce(url)
  return {
    url,
    isNew: true,
    here: joined.holding.here,
    holderPid: joined.holding.pid,
    reportStart: async (onNote, withinMs) => joined.held?.reportStart(onNote, withinMs),
    stopped: stopRequested(),
    async close() {
      closing = true
      server.close()
      server.closeAllConnections()
      await closeAndExit(() => joined.holding.close())
    },
  }
}

/** The address that another process of this gateway listens on; undefined where there is none, or another was asked for. */
async function frontOf(holding: Holding, args: HttpChoice): Promise<HttpFront | undefined> {
  if (args.port !== undefined || args.host !== undefined) return undefined
  const url = await findFront(holding, async () => (await readConfig(args)).http)
  if (url === undefined) return undefined
  return {
    url,
    isNew: false,
    here: false,
    holderPid: holding.pid,
    reportStart: async () => {},
    stopped: Promise.resolve(),
    close: () => holding.close(),
  }
}

/** Where to listen. The gateway itself judges who may come in, so beyond loopback it must be the one that listens. */
async function httpPlace(args: HttpChoice, { held }: Joined): Promise<{ host: string; port: number }> {
  const { http } = held?.config() ?? (await readConfig(args))
  const host = args.host ?? http.host
  if (isLoopback(host)) return { host, port: args.port ?? http.port }
  if (held === undefined) {
    throw new UsageError(
      `Another process holds the gateway, so this one cannot open it to ${host}.`,
      'Close the other clients first, or use another PML_HOME.',
    )
  }
  if (http.token === undefined) {
    throw new UsageError(
      `Listening on ${host} needs a bearer token.`,
      'Set http.token in the config, for instance to ${PML_TOKEN}.',
    )
  }
  return { host, port: args.port ?? http.port }
}

async function readConfig(args: HttpChoice): Promise<PmlConfig> {
  const { loadConfig } = await import('../config/load-config.js')
  return loadConfig({
    file: args.config,
    env: process.env,
    cwd: process.cwd(),
    home: dataDirectory(process.env),
  })
}

/** A port that was not asked for by name may be another one when it is taken. */
async function listen(
  server: ReturnType<typeof createServer>,
  host: string,
  port: number,
  mayMove: boolean,
): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => resolve())
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    if (!mayMove || port === 0)
      throw new UsageError(
        `Port ${port} is taken.`,
        'Choose another with --port, or --port 0 for any free one.',
      )
    const other = await listen(server, host, 0, false)
    process.stderr.write(`Port ${port} is taken; this time it is ${other}.\n`)
    return other
  }
  return (server.address() as AddressInfo).port
}

export function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}

export async function closeAndExit(close: () => Promise<void>, code = 0): Promise<void> {
  setTimeout(() => process.exit(code), exitWithinMs).unref()
  await close().catch(() => {})
  process.exit(code)
}
