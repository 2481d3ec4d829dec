import { resolve } from 'node:path'
import { UsageError } from '../errors.js'
import type { Holding } from '../holder/join-holder.js'
import type { GatewayChoice } from './cli-command.js'

/** Who names a file means that file: another one's servers are no answer. */
export async function refuseOtherConfig({ config }: GatewayChoice, holding: Holding): Promise<void> {
  if (config === undefined || resolve(config) === holding.config) return
  await holding.close()
  throw new UsageError(
    `A gateway with another configuration is running here: ${holding.config}, in process ${holding.pid}.`,
    `Leave out --config to use that one, or end process ${holding.pid} first, or set PML_HOME to another folder for this configuration.`,
  )
}
