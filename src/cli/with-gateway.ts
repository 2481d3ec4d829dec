import { HolderError } from '../errors.js'
import type { HolderApi } from '../holder/holder-api.js'
import type { Log } from '../model/log.js'
import { withinMs } from '../model/within-ms.js'
import type { GatewayChoice } from './cli-command.js'
import { refuseOtherConfig } from './refuse-other-config.js'
import { closeAndExit, type Joined, joinGateway, stopRequested } from './run-gateway.js'
import { createStderrLog } from './stderr-log.js'

/** Exit code of a command that was interrupted, as shells have it. */
const interrupted = 130

/** The rest of the two seconds is for closing. */
const stopWithinMs = 600
/** Of commands that follow one another as holders. */
const mostTries = 8

/** Speaks to the gateway that holds the data directory, or opens one for as long as `use` takes. */
export async function withGateway<T>(args: GatewayChoice, use: (api: HolderApi) => Promise<T>): Promise<T> {
  const log = commandLog(args, process.env.PML_LOG)
  const join = async (): Promise<Joined> => {
    const joined = await joinGateway(args, 'command', log, () => {})
    await refuseOtherConfig(args, joined.holding)
    joined.held?.pml.start()
    return joined
  }
  let joined = await join()
  let joining: Promise<void> | undefined
  const joinAgain = async (): Promise<void> => {
    joined = await join()
  }
  /** The holder may be another command that has ended: whoever only looks looks again at its successor. */
  const api: HolderApi = {
    async get(path) {
      for (let tries = 1; ; tries++) {
        const asked = joined
        try {
          return await asked.holding.api.get(path)
        } catch (error) {
          if (!(error instanceof HolderError) || asked.holding.here || tries === mostTries) throw error
          // Of several that ask at once, one joins for all.
          if (joined === asked) joining ??= joinAgain().finally(() => (joining = undefined))
          await joining
        }
      }
    },
    post: (path, body) => joined.holding.api.post(path, body),
  }
  const stop = async (): Promise<void> => {
    await withinMs(Promise.resolve(args.beforeStop?.()), stopWithinMs, undefined).catch(() => {})
    await joined.holding.close()
  }
  // Servers are in process groups of their own: nobody else ends them.
  void stopRequested().then(() => closeAndExit(stop, interrupted))
  try {
    return await use(api)
  } finally {
    await joined.holding.close()
  }
}

/** A command tells in its own words what it needs of its servers; their troubles are logged for who asks for a log. */
function commandLog({ quiet }: GatewayChoice, level: string | undefined): Log {
  if (level) return createStderrLog(level)
  const log = createStderrLog(quiet ? 'error' : 'warn')
  return {
    ...log,
    warn(message, facts) {
      if (!message.startsWith('Server "')) log.warn(message, facts)
    },
  }
}
