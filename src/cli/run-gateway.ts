/**
 * The two ways a gateway process lives: in front of one client on standard input and output, and in front of many over HTTP.
 * Each first joins the holder of the data directory; the gateway itself is loaded only by the process that becomes it, so a
 * bridge stays small and starts at once.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dataDirectory } from '../config/data-directory.js'
import { findConfigFile } from '../config/find-config-file.js'
import { UsageError } from '../errors.js'
import { bridgeStdio } from '../holder/bridge-stdio.js'
import { type Holding, joinHolder } from '../holder/join-holder.js'
import type { HolderFacts } from '../holder/take-lock.js'
import { isLoopback } from '../model/is-loopback.js'
import type { Log } from '../model/log.js'
import type { GatewayChoice, HttpChoice, HttpFront } from './cli-command.js'
import type { HeldPml } from './open-held-pml.js'
import { createStderrLog } from './stderr-log.js'

/** The holder refuses what is too large; a bridge only must not be the smaller door. */
const bridgeMaxMessageBytes = 256 * 1024 * 1024
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
    async openGateway() {
      const { openHeldPml } = await import('./open-held-pml.js')
      held = await openHeldPml({ directory, args, log, onProgress })
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
  return { holding, held }
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
  let joined = await joinGateway(args, 'gateway', log, () => {})
  const stop = stopRequested()
  if (joined.held !== undefined) {
    const served = joined.held.pml.gateway.serveStream(process.stdin, process.stdout)
    await Promise.race([served.closed, stop])
  } else {
    let first: Holding | undefined = joined.holding
    const bridged = bridgeStdio({
      input: process.stdin,
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

/** `pml up` and `pml serve --http`: listens, and goes on through a change of holder. */
export async function openHttpFront(
  args: HttpChoice,
  onProgress: (step: string) => void,
): Promise<HttpFront> {
  const log = createStderrLog(process.env.PML_LOG)
  surviveFaults(log)
  let joined = await joinGateway(args, 'gateway', log, onProgress)
  let closing = false
  const follow = (): void => {
    void joined.holding.gone.then(async () => {
      if (closing) return
      joined = await joinGateway(args, 'gateway', log, onProgress)
      log.info('the holder is gone', { pid: joined.holding.pid, here: joined.holding.here })
      follow()
    })
  }
  follow()

  const configured = joined.held?.config().http
  const host = args.host ?? configured?.host ?? '127.0.0.1'
  if (!isLoopback(host) && configured?.token === undefined) {
    await joined.holding.close()
    throw new UsageError(
      `Listening on ${host} needs a bearer token.`,
      'Set http.token in the config, for instance to ${PML_TOKEN}.',
    )
  }
  const server = createServer((request, response) => joined.holding.handle(request, response))
  server.requestTimeout = 0
  const port = await listen(server, host, args.port ?? configured?.port ?? 0, args.port === undefined)
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/`
  joined.held?.announce(url)
  return {
    url,
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
    return listen(server, host, 0, false)
  }
  return (server.address() as AddressInfo).port
}

function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })
}

async function closeAndExit(close: () => Promise<void>): Promise<void> {
  setTimeout(() => process.exit(0), exitWithinMs).unref()
  await close().catch(() => {})
  process.exit(0)
}
