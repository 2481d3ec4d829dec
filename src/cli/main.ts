/**
 * The command line. This file stays light: every client starts its own `pml serve`, and whatever is imported here is
 * paid for at each start. Commands load themselves when asked for, and what they need when they need it.
 */
import { readFileSync } from 'node:fs'
import { UsageError } from '../errors.js'
import { closestName } from '../model/closest-name.js'
import type { CliCommand, GatewayAccess } from './cli-command.js'
import { type Io, printLine, processIo } from './io.js'
import { parseCommand } from './parse-command.js'
import { reportError } from './report-error.js'

interface Entry {
  readonly summary: string
  load(): Promise<CliCommand>
}

const commands: Readonly<Record<string, Entry>> = {
  serve: entry(
    'Serve one MCP client on standard input and output',
    () => import('./commands/serve.js'),
    'serveCommand',
  ),
  up: entry('Serve over HTTP and say how to connect', () => import('./commands/up.js'), 'upCommand'),
  status: entry('Servers, tools and runs at a glance', () => import('./commands/status.js'), 'statusCommand'),
  tools: entry('List all tools', () => import('./commands/tools.js'), 'toolsCommand'),
  search: entry('Find tools by what they do', () => import('./commands/search.js'), 'searchCommand'),
  call: entry('Call one tool', () => import('./commands/call.js'), 'callCommand'),
  plan: entry('Plan a workflow from what you want', () => import('./commands/plan.js'), 'planCommand'),
  run: entry('Run a workflow from a file', () => import('./commands/run.js'), 'runCommand'),
  runs: entry('Runs and what they wait for', () => import('./commands/runs.js'), 'runsCommand'),
  approve: entry(
    'See what waits for your yes, and say it',
    () => import('./commands/approve.js'),
    'approveCommand',
  ),
  reject: entry('Say no to what waits for an answer', () => import('./commands/reject.js'), 'rejectCommand'),
  resume: entry(
    'Go on with a run that was paused or cut off',
    () => import('./commands/resume.js'),
    'resumeCommand',
  ),
  pause: entry('Have a run start nothing new', () => import('./commands/pause.js'), 'pauseCommand'),
  skip: entry('Leave out a task of a run', () => import('./commands/skip.js'), 'skipCommand'),
  retry: entry('Have a task of a run done again', () => import('./commands/retry.js'), 'retryCommand'),
  abort: entry('End a run', () => import('./commands/abort.js'), 'abortCommand'),
  explain: entry(
    'Why a tool was found, a plan was run, a next step was offered',
    () => import('./commands/explain.js'),
    'explainCommand',
  ),
  speculation: entry(
    'Calls run ahead: how many were used, what they saved',
    () => import('./commands/speculation.js'),
    'speculationCommand',
  ),
  capabilities: entry(
    'Procedures that were learned: see, run, change and carry them',
    () => import('./commands/capabilities.js'),
    'capabilitiesCommand',
  ),
  memory: entry(
    'Carry what was learned to others, or forget it',
    () => import('./commands/memory.js'),
    'memoryCommand',
  ),
  risk: entry('See and say what tools may do', () => import('./commands/risk.js'), 'riskCommand'),
  learn: entry(
    'What was learned: which tools go together, how calls went, what comes next',
    () => import('./commands/learn.js'),
    'learnCommand',
  ),
  init: entry('Take over the servers of your clients', () => import('./commands/init.js'), 'initCommand'),
  add: entry('Add a server to the configuration', () => import('./commands/add.js'), 'addCommand'),
  remove: entry(
    'Remove a server from the configuration',
    () => import('./commands/remove.js'),
    'removeCommand',
  ),
  auth: entry('Sign in to servers that ask for it', () => import('./commands/auth.js'), 'authCommand'),
  trust: entry('See and accept tools that changed', () => import('./commands/trust.js'), 'trustCommand'),
  model: entry('Choose what finds tools by meaning', () => import('./commands/model.js'), 'modelCommand'),
  bench: entry('Measure PML on a set of requests', () => import('./commands/bench.js'), 'benchCommand'),
  doctor: entry(
    'Find what is wrong and how to mend it',
    () => import('./commands/doctor.js'),
    'doctorCommand',
  ),
}

/** Runs one command line and gives its exit code; every error has been told when it returns. */
export async function main(
  argv: readonly string[],
  io: Io = processIo(),
  gateway: GatewayAccess = lazyGateway,
): Promise<number> {
  const dashes = argv.indexOf('--')
  const ours = dashes < 0 ? argv : argv.slice(0, dashes)
  const { name, rest } = splitCommand(argv)
  try {
    if (name === 'help') return await main([...rest, '--help'], io, gateway)
    const wantsHelp = ours.includes('--help') || ours.includes('-h')
    if (name === undefined) return await withoutCommand(ours, wantsHelp, io)
    const command = await loadCommand(name)
    if (wantsHelp) {
      const { commandHelp } = await import('./render-help.js')
      printLine(io, await commandHelp(command, packageVersion(), io))
      return 0
    }
    return (await command.run({ ...parseCommand(command, rest), io, gateway })) ?? 0
  } catch (error) {
    const command = name !== undefined && Object.hasOwn(commands, name) ? name : undefined
    return reportError(error, io, { json: ours.includes('--json'), command })
  }
}

/** Options may stand before the command as well: `pml --config x.yaml status`. */
function splitCommand(argv: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  for (let at = 0; at < argv.length; at++) {
    const arg = argv[at]!
    if (arg === '--config' || arg === '--exposure') at++
    else if (arg === '--') break
    else if (!arg.startsWith('-')) return { name: arg, rest: [...argv.slice(0, at), ...argv.slice(at + 1)] }
  }
  return { name: undefined, rest: argv }
}

async function withoutCommand(argv: readonly string[], wantsHelp: boolean, io: Io): Promise<number> {
  if (argv.includes('--version') || argv.includes('-v')) {
    printLine(io, packageVersion())
    return 0
  }
  const unknown = argv.find((arg) => arg.startsWith('-') && !/^(?:--help|-h|--json)$/.test(arg))
  if (unknown !== undefined && !wantsHelp) throw new UsageError(`No command, only ${unknown}.`)
  const { mainHelp } = await import('./render-help.js')
  const summaries = Object.fromEntries(Object.entries(commands).map(([name, { summary }]) => [name, summary]))
  printLine(io, await mainHelp(summaries, packageVersion(), io))
  return wantsHelp ? 0 : 2
}

async function loadCommand(name: string): Promise<CliCommand> {
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (found !== undefined) return await found.load()
  const closest = closestName(name, Object.keys(commands))
  const hint = closest === undefined ? 'List all commands with: pml --help' : `Did you mean: pml ${closest}`
  throw new UsageError(`No command "${name}".`, hint)
}

function entry<Name extends string>(
  summary: string,
  load: () => Promise<{ readonly [key in Name]: unknown }>,
  name: Name,
): Entry {
  return { summary, load: async () => (await load())[name] as CliCommand }
}

const lazyGateway: GatewayAccess = {
  withGateway: async (args, use) => (await import('./with-gateway.js')).withGateway(args, use),
  serveStdioClient: async (args) => (await import('./run-gateway.js')).serveStdioClient(args),
  openHttpFront: async (args, onProgress) =>
    (await import('./run-gateway.js')).openHttpFront(args, onProgress),
}

function packageVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
