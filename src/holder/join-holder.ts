/**
 * One holder, many clients. The first process takes the data directory and opens the gateway; every further one reaches that
 * gateway through its local socket, and when it dies whoever joins again first becomes the holder. This room never touches a
 * database, a server or a tool: it is given a gateway to open and carries bytes.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { HolderError } from '../errors.js'
import { acknowledged } from './acknowledge.js'
import type { HolderApi } from './holder-api.js'
import { openHolderStream, relayRequest, remoteApi } from './reach-holder.js'
import { type LocalService, serveLocal } from './serve-local.js'
import { removeOlderSockets, socketPath } from './socket-path.js'
import { type HeldLock, type HolderFacts, type LockOwner, takeLock } from './take-lock.js'

/** A gateway in reach: our own, or the holder's. */
export interface Holding {
  readonly here: boolean
  readonly pid: number
  /** The configuration of the gateway that answers. */
  readonly config: string
  readonly api: HolderApi
  openStream(): Promise<Duplex>
  /** Answers an HTTP request that came over TCP. */
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Resolves when a holder elsewhere is gone; never for our own. */
  readonly gone: Promise<void>
  close(): Promise<void>
}

export interface HeldGateway extends LocalService {
  close(): Promise<void>
}

export interface JoinOptions extends HolderFacts {
  readonly directory: string
  /** `restate` tells others which configuration is in force from now on. */
  openGateway(restate: (config: string) => void): Promise<HeldGateway>
}

/** A holder that has the lock and does not answer for this long is stuck. */
const answerWithinMs = 10_000
/** A command with another configuration is waited for this long: its servers are not the ones a client asked for. */
const commandMayTakeMs = 60_000
const lookAgainMs = 20

export async function joinHolder(options: JoinOptions): Promise<Holding> {
  const startedAt = Date.now()
  let silentSince: number | undefined
  for (;;) {
    const lock = takeLock(options.directory, options)
    const path = socketPath(options.directory, lock.generation)
    if (lock.held) {
      removeOlderSockets(path, lock.generation)
      return holdHere(options, path, lock)
    }
    if (isInTheWay(lock.by, options) && Date.now() - startedAt < commandMayTakeMs) {
      await sleep(lookAgainMs)
      continue
    }
    try {
      const watch = await openHolderStream(path, 'pml-watch')
      return reachElsewhere(path, lock.by, watch)
    } catch (error) {
      silentSince ??= Date.now()
      if (Date.now() - silentSince > answerWithinMs) {
        throw new HolderError(
          `Process ${lock.by.pid} holds ${options.directory} and does not answer.`,
          `End it (kill ${lock.by.pid}) and start again, or use another PML_HOME.`,
          { cause: error },
        )
      }
      await sleep(lookAgainMs)
    }
  }
}

/** A gateway outlives a command, so it takes its turn rather than serve a client from the wrong servers. */
function isInTheWay(owner: LockOwner, options: JoinOptions): boolean {
  return options.role === 'gateway' && owner.role === 'command' && owner.config !== options.config
}

async function holdHere(
  options: JoinOptions,
  path: string,
  { restate, release }: HeldLock,
): Promise<Holding> {
  let gateway: HeldGateway | undefined
  let { config } = options
  try {
    const opened = await options.openGateway((next) => {
      config = next
      restate({ role: options.role, config })
    })
    gateway = opened
    const local = await serveLocal(path, opened)
    return {
      here: true,
      pid: process.pid,
      get config() {
        return config
      },
      api: remoteApi(path),
      async openStream() {
        const [ours, theirs] = duplexPair()
        opened.serveStream(acknowledged(theirs), theirs)
        return ours
      },
      handle: (request, response) => opened.handle(request, response, 'tcp'),
      gone: new Promise(() => {}),
      async close() {
        // The lock goes last: a successor must not open the store before ours is shut.
        local.close()
        await opened.close()
        release()
      },
    }
  } catch (error) {
    await gateway?.close()
    release()
    throw error
  }
}

function reachElsewhere(path: string, owner: LockOwner, watch: Duplex): Holding {
  const gone = new Promise<void>((resolve) => {
    watch.once('close', resolve)
    watch.once('end', resolve)
    watch.resume()
  })
  return {
    here: false,
    pid: owner.pid,
    config: owner.config,
    api: remoteApi(path),
    openStream: () => openHolderStream(path, 'pml-stdio'),
    handle: (request, response) => relayRequest(path, request, response),
    gone,
    async close() {
      watch.destroy()
    },
  }
}
