import type { RunReport } from '../../gateway/report-run.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { printJson, printLine } from '../io.js'

export const pauseCommand = defineCliCommand({
  name: 'pause',
  summary: 'Have a run start nothing new until it is resumed',
  args: {
    run: { type: 'positional', required: true, description: 'The id of the run, or its beginning' },
    ...commonArgs,
  },
  examples: ['pml pause 01981b6e'],
  async run({ args, io, gateway }) {
    const run = (await gateway.withGateway(gatewayChoice(args), (api) =>
      api.post(`/api/runs/${encodeURIComponent(args.run)}/command`, { command: { type: 'pause' } }),
    )) as RunReport
    if (args.json) printJson(io, run)
    else printLine(io, `${describe(run)}\nGo on with: pml resume ${run.id}`)
    return 0
  },
})

function describe({ status, id }: RunReport): string {
  return status === 'paused'
    ? `paused  ${id}`
    : `${status}  ${id}  it pauses when what is under way has ended`
}
