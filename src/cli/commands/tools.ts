import { UsageError } from '../../errors.js'
import type { ToolSummary } from '../../gateway/status.js'
import { closestName } from '../../model/closest-name.js'
import { describeStart } from '../../model/describe-start.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { countOf } from '../count-of.js'
import { formatTable } from '../format-table.js'
import { printJson, printLine } from '../io.js'
import { settledStatus } from '../settled-status.js'

/** A first `npx` of a server installs it. */
const waitMs = 20_000

export const toolsCommand = defineCliCommand({
  name: 'tools',
  summary: 'List all tools',
  args: {
    ...commonArgs,
    server: { type: 'string', valueHint: 'name', description: 'Only the tools of this server' },
  },
  examples: ['pml tools', 'pml tools --server files', "pml tools --json | jq '.tools[].id'"],
  async run({ args, io, gateway }) {
    const { all, servers } = await gateway.withGateway(gatewayChoice(args), async (api) => {
      const { servers } = await settledStatus(api, waitMs)
      return { servers, all: ((await api.get('/api/tools')) as { tools: readonly ToolSummary[] }).tools }
    })
    const names = servers.map(({ name }) => name)
    if (args.server !== undefined && !names.includes(args.server)) throw noServer(args.server, names)
    const tools = args.server === undefined ? all : all.filter(({ server }) => server === args.server)
    if (args.json) {
      printJson(io, { tools })
      return 0
    }
    if (tools.length > 0) {
      const rows = tools.map((tool) => [
        tool.id,
        tool.state,
        String(tool.tokens),
        flagged(tool) + tool.description,
      ])
      printLine(io, formatTable(['TOOL', 'STATE', 'TOKENS', 'DESCRIPTION'], rows, io.stdout.columns))
      printLine(io)
    }
    const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0)
    printLine(io, `${countOf(tools.length, 'tool')}, ${countOf(tokens, 'token')} if all were listed`)
    for (const server of servers) {
      const { name, status, trouble } = server
      if (status === 'ready' || status === 'disabled' || (args.server ?? name) !== name) continue
      const why =
        trouble === undefined ? describeStart(server, Date.now()) : `${trouble.message} ${trouble.hint}`
      printLine(io, `${name} is ${status}${why === undefined ? '' : `: ${why}`}`)
    }
    return 0
  },
})

function flagged({ flags }: ToolSummary): string {
  return flags.length > 0 ? `[${flags.join(', ')}] ` : ''
}

function noServer(name: string, known: readonly string[]): UsageError {
  const closest = closestName(name, known)
  const hint =
    closest === undefined ? `There are: ${known.join(', ') || 'none'}.` : `Did you mean "${closest}"?`
  return new UsageError(`No server "${name}".`, hint)
}
