import { resolve } from 'node:path'
import { UsageError } from '../errors.js'
import type { HolderApi } from '../holder/holder-api.js'
import type { GatewayChoice } from './cli-command.js'
import { closeAndExit, joinGateway, stopRequested } from './run-gateway.js'
import { createStderrLog } from './stderr-log.js'

/** Exit code of a command that was interrupted, as shells have it. */
const interrupted = 130

/** Speaks to the gateway that holds the data directory, or opens one for as long as `use` takes. */
export async function withGateway<T>(args: GatewayChoice, use: (api: HolderApi) => Promise<T>): Promise<T> {
  const log = createStderrLog(process.env.PML_LOG)
  const { holding, held } = await joinGateway(args, 'command', log, () => {})
  if (args.config !== undefined && resolve(args.config) !== holding.config) {
    await holding.close()
    throw new UsageError(
      `A gateway with another configuration is running here: ${holding.config}.`,
      'Leave out --config to speak to it, or use another PML_HOME for this configuration.',
    )
  }
  // Servers are in process groups of their own: nobody else ends them.
  void stopRequested().then(() => closeAndExit(() => holding.close(), interrupted))
  held?.pml.start()
  try {
    return await use(holding.api)
  } finally {
    await holding.close()
  }
}
