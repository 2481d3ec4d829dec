import { dataDirectory } from '../../config/data-directory.js'
import { findConfigFile } from '../../config/find-config-file.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { connectHelp, programPath } from '../connect-help.js'
import { httpArgs, httpChoice } from '../http-choice.js'
import { type Io, printJson, printLine } from '../io.js'
import { createProgress } from '../progress.js'

/** What is slower than this is seen on the status page. */
const reportForMs = 15_000

export const upCommand = defineCliCommand({
  name: 'up',
  summary: 'Serve over HTTP and say how to connect',
  args: { ...commonArgs, ...httpArgs },
  examples: ['pml up', 'pml up --port 0 --json', 'pml up --config team.yaml'],
  notes: 'Standard output has the address alone; progress and help go to standard error.',
  async run({ args, io, gateway }) {
    const progress = createProgress(io)
    const choice = { ...gatewayChoice(args), ...httpChoice(args), mayReuse: true }
    const front = await gateway.openHttpFront(choice, progress.step)
    if (!front.isNew) io.stderr.write(`Already running at ${front.url} (process ${front.holderPid})\n`)
    if (args.json) printJson(io, { url: front.url, mcp: `${front.url}mcp`, holder: front.holderPid })
    else {
      printLine(io, front.url)
      const program = { url: front.url, node: process.execPath, program: programPath() }
      const facts = { ...program, ...configToName(io, args.config), ...homeToName(io) }
      io.stderr.write(`\n${connectHelp(facts)}\n\n`)
    }
    if (!front.isNew) {
      await front.close()
      return 0
    }
    await front.reportStart(progress.note, reportForMs)
    progress.done(front.here ? 'ready' : `ready, in front of the gateway of process ${front.holderPid}`)
    await front.stopped
    await front.close()
    return 0
  },
})

/** A client starts `pml serve` in a folder of its own, so it must be told of a file that is found from here only. */
function configToName(io: Io, file: string | undefined): { readonly config?: string } {
  const home = dataDirectory(io.env)
  const found = findConfigFile({ file, env: io.env, cwd: io.cwd, home })
  const foundFromAnywhere = findConfigFile({ env: {}, cwd: home, home })
  return found === undefined || found === foundFromAnywhere ? {} : { config: found }
}

/** Nor does a client know the environment of this terminal. */
function homeToName(io: Io): { readonly home?: string } {
  return io.env.PML_HOME ? { home: dataDirectory(io.env) } : {}
}
