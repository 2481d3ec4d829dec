import type { RunReport } from '../../gateway/report-run.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { tellRun } from '../run-workflow.js'
import { settleRun } from '../settle-run.js'

export const resumeCommand = defineCliCommand({
  name: 'resume',
  summary: 'Go on with a run that was paused or cut off',
  args: {
    run: { type: 'positional', required: true, description: 'The id of the run, or its beginning' },
    ...commonArgs,
    yes: { type: 'boolean', description: 'Approve what it asks before calls' },
  },
  examples: ['pml resume 01981b6e', 'pml resume 01981b6e --yes'],
  notes: `
It is followed until it ends or waits for somebody; Ctrl-C stops following where another process runs it.
A call that was cut off and may have taken effect is made again only by a yes of its own.
Exit code: 0 complete, 1 ended otherwise, 3 it waits for somebody.`,
  async run({ args, io, gateway }) {
    const json = args.json === true
    const run = await gateway.withGateway(gatewayChoice(args), async (api) => {
      const resumed = (await api.post(`/api/runs/${encodeURIComponent(args.run)}/resume`, {})) as RunReport
      return settleRun(resumed, { api, io, yes: args.yes === true, mayAsk: !json, isOurs: false })
    })
    return tellRun(run, { io, json })
  },
})
