import { describeSpeculation } from '../../gateway/describe-speculation.js'
import type { ConfigProblem, Status } from '../../gateway/status.js'
import { describeStart } from '../../model/describe-start.js'
import { formatDuration } from '../../model/format-duration.js'
import type { ServerState } from '../../model/server.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { type Colours, coloursFor } from '../colour.js'
import { countOf } from '../count-of.js'
import { formatTable } from '../format-table.js'
import { printJson, printLine } from '../io.js'
import { settledStatus } from '../settled-status.js'

const waitMs = 3000

export const statusCommand = defineCliCommand({
  name: 'status',
  summary: 'Servers, tools and runs at a glance',
  args: commonArgs,
  examples: ['pml status', 'pml status --json'],
  async run({ args, io, gateway }) {
    const status = await gateway.withGateway(gatewayChoice(args), (api) => settledStatus(api, waitMs))
    if (args.json) printJson(io, status)
    else printLine(io, describeStatus(status, coloursFor(io, io.stdout), io.stdout.columns))
    return 0
  },
})

export function describeStatus(status: Status, colours: Colours, width?: number): string {
  const { exposure, listing, tools } = status
  const mode =
    exposure.mode === exposure.effective ? exposure.mode : `${exposure.mode} (${exposure.effective})`
  const facts = [
    ['version', status.version],
    ['held by', heldBy(status)],
    ['config', status.config],
    ...(status.configProblem === undefined ? [] : [['', colours.red(configProblem(status.configProblem))]]),
    ...(status.http === undefined ? [] : [['http', status.http]]),
    ['exposure', mode],
    ['listing', `${countOf(listing.tools, 'tool')}, ${countOf(listing.tokens, 'token')}`],
    ['tools', toolCounts(tools)],
    ...(status.waiting === undefined || status.waiting.runs + status.waiting.decisions === 0
      ? []
      : [['waiting', colours.yellow(waiting(status.waiting))]]),
    // Not told by an older gateway.
    ...(status.search === undefined ? [] : [['search', searchModel(status.search)]]),
    ...(status.speculation === undefined
      ? []
      : [['ahead', `speculation ${describeSpeculation(status.speculation)}`]]),
  ].map(([name, value]) => `${name!.padEnd(10)}${value}`)
  return [...facts, '', servers(status, colours, width), '', runs(status, width)].join('\n')
}

function configProblem({ message, since }: ConfigProblem): string {
  const at = new Date(since).toISOString().slice(0, 19).replace('T', ' ')
  return `its change cannot be used, since ${at} UTC; the one before stays in force. ${message}`
}

function searchModel({ model, next, trouble }: Status['search']): string {
  const now = model === undefined ? 'by words' : `by words and ${model}`
  const coming =
    next === undefined ? '' : `; ${next.model} is embedding, ${next.embedded} of ${next.total} tools`
  return `${now}${coming}${trouble === undefined ? '' : `; trouble: ${trouble}`}`
}

function toolCounts({ known, callable, unreachable, quarantined }: Status['tools']): string {
  // Not counted by an older gateway.
  const down = unreachable > 0 ? ` ${unreachable} of servers that are down,` : ''
  return `${known} known, ${callable} callable,${down} ${quarantined} waiting for pml trust`
}

function waiting({ runs, decisions }: NonNullable<Status['waiting']>): string {
  const see = decisions > 0 ? 'pml approve' : 'pml runs'
  return `${countOf(runs, 'run')} and ${countOf(decisions, 'decision')} wait for somebody: ${see}`
}

function servers(status: Status, colours: Colours, width?: number): string {
  if (status.servers.length === 0) return 'No servers. Add one with: pml add NAME -- command'
  const rows = status.servers.map((server) => [
    server.name,
    paintStatus(server, colours),
    String(server.toolCount),
    server.transport,
    note(server),
  ])
  return formatTable(['SERVER', 'STATE', 'TOOLS', 'VIA', 'NOTE'], rows, width)
}

function note(server: ServerState): string {
  const { trouble } = server
  const known = trouble === undefined ? [] : [trouble.message, trouble.hint]
  return [describeStart(server, Date.now()), ...known].filter((part) => part !== undefined).join(' ')
}

export function paintStatus({ status }: ServerState, { green, yellow, red, dim }: Colours): string {
  const paint = { ready: green, connecting: yellow, waiting: yellow, down: red, disabled: dim }[status]
  return paint(status)
}

function runs(status: Status, width?: number): string {
  if (status.runs === undefined) return 'Runs are not known: the store is not open.'
  if (status.runs.length === 0) return 'No runs yet.'
  const rows = status.runs.map((run) => [
    run.id,
    run.status,
    String(run.tasks),
    run.ms === undefined ? '' : formatDuration(run.ms),
    new Date(run.startedAt).toISOString().slice(0, 19).replace('T', ' '),
    run.intent ?? '',
  ])
  return formatTable(['RUN', 'STATUS', 'TASKS', 'TOOK', 'STARTED (UTC)', 'INTENT'], rows, width)
}

function heldBy({ pid, uptimeMs }: Status): string {
  if (pid === process.pid) return 'nobody: no gateway is running, this command looked by itself'
  return `process ${pid}, for ${formatDuration(uptimeMs)}`
}
