import type { HolderApi } from '../holder/holder-api.js'
import type { GatewayChoice } from './cli-command.js'
import { joinGateway } from './run-gateway.js'
import { createStderrLog } from './stderr-log.js'

/** Speaks to the gateway that holds the data directory, or opens one for as long as `use` takes. */
export async function withGateway<T>(args: GatewayChoice, use: (api: HolderApi) => Promise<T>): Promise<T> {
  const log = createStderrLog(process.env.PML_LOG)
  const { holding, held } = await joinGateway(args, 'command', log, () => {})
  held?.pml.start()
  try {
    return await use(holding.api)
  } finally {
    await holding.close()
  }
}
