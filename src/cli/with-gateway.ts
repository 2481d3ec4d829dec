import type { HolderApi } from '../holder/holder-api.js'
import type { Log } from '../model/log.js'
import { withinMs } from '../model/within-ms.js'
import type { GatewayChoice } from './cli-command.js'
import { refuseOtherConfig } from './refuse-other-config.js'
import { closeAndExit, joinGateway, stopRequested } from './run-gateway.js'
import { createStderrLog } from './stderr-log.js'

/** Exit code of a command that was interrupted, as shells have it. */
const interrupted = 130

/** The rest of the two seconds is for closing. */
const stopWithinMs = 600

/** Speaks to the gateway that holds the data directory, or opens one for as long as `use` takes. */
export async function withGateway<T>(args: GatewayChoice, use: (api: HolderApi) => Promise<T>): Promise<T> {
  const log = commandLog(args, process.env.PML_LOG)
  const { holding, held } = await joinGateway(args, 'command', log, () => {})
  await refuseOtherConfig(args, holding)
  const stop = async (): Promise<void> => {
    await withinMs(Promise.resolve(args.beforeStop?.()), stopWithinMs, undefined).catch(() => {})
    await holding.close()
  }
  // Servers are in process groups of their own: nobody else ends them.
  void stopRequested().then(() => closeAndExit(stop, interrupted))
  held?.pml.start()
  try {
    return await use(holding.api)
  } finally {
    await holding.close()
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
