import type { RunReport } from '../../gateway/report-run.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { printJson, printLine } from '../io.js'

export const abortCommand = defineCliCommand({
  name: 'abort',
  summary: 'End a run: calls under way are cancelled',
  args: {
    run: { type: 'positional', required: true, description: 'The id of the run, or its beginning' },
    ...commonArgs,
    reason: { type: 'string', valueHint: 'text', description: 'Why, for who looks at the run later' },
  },
  examples: ['pml abort 01981b6e', 'pml abort 01981b6e --reason "wrong folder"'],
  async run({ args, io, gateway }) {
    const command = { type: 'abort', ...(args.reason !== undefined && { reason: args.reason }) }
    const run = (await gateway.withGateway(gatewayChoice(args), (api) =>
      api.post(`/api/runs/${encodeURIComponent(args.run)}/command`, { command }),
    )) as RunReport
    if (args.json) printJson(io, run)
    else printLine(io, `${run.status}  ${run.id}`)
    return 0
  },
})
