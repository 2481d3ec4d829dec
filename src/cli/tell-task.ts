import type { RunReport } from '../gateway/report-run.js'
import { commonArgs, defineCliCommand, gatewayChoice } from './cli-command.js'
import { describeRun } from './describe-run.js'
import { printJson, printLine } from './io.js'

export interface TaskCommandWords {
  readonly summary: string
  readonly notes: string
}

/** A command for one task of a run: told, and the run shown when it settles, or as it goes on elsewhere. */
export function tellTaskCommand(type: 'skip' | 'retry', { summary, notes }: TaskCommandWords) {
  return defineCliCommand({
    name: type,
    summary,
    args: {
      run: { type: 'positional', required: true, description: 'The id of the run, or its beginning' },
      task: { type: 'positional', required: true, description: 'The id of the task' },
      ...commonArgs,
    },
    examples: [`pml ${type} 01981b6e note`],
    notes,
    async run({ args, io, gateway }) {
      const path = `/api/runs/${encodeURIComponent(args.run)}`
      const run = (await gateway.withGateway(gatewayChoice(args), async (api) => {
        await api.post(`${path}/command`, { command: { type, task: args.task } })
        return api.post(`${path}/follow`, { withinMs: followMs })
      })) as RunReport
      if (args.json) printJson(io, run)
      else printLine(io, describeRun(run, io))
      return 0
    },
  })
}

/** Long enough for most tasks; a longer one goes on in the gateway, and pml runs has it. */
const followMs = 30_000
