import { UsageError } from '../../errors.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { formatTable } from '../format-table.js'
import { printJson, printLine } from '../io.js'

interface SearchReply {
  readonly tools: readonly {
    readonly id: string
    readonly score: number
    readonly description: string
    readonly quarantined?: boolean
  }[]
  readonly servers?: readonly { readonly name: string; readonly status: string }[]
}

export const searchCommand = defineCliCommand({
  name: 'search',
  summary: 'Find tools by what they do',
  takesMore: true,
  args: {
    query: { type: 'positional', description: 'What the tool should do, or its name' },
    ...commonArgs,
    limit: { type: 'string', valueHint: 'number', default: '10', description: 'How many at most' },
  },
  examples: ['pml search "read a file"', 'pml search create issue --limit 3'],
  async run({ args, io, gateway }) {
    const limit = Number(args.limit)
    if (!Number.isInteger(limit) || limit < 1) {
      throw new UsageError(`--limit: expected a whole number above 0, got "${args.limit}".`)
    }
    const query = args._.join(' ').trim()
    if (query === '') throw new UsageError('Expected words to search for.', 'List all tools with: pml tools')
    const reply = (await gateway.withGateway(gatewayChoice(args), (api) =>
      api.post('/api/search', { query, limit }),
    )) as SearchReply
    if (args.json) {
      printJson(io, reply)
      return 0
    }
    const rows = reply.tools.map((tool) => [
      tool.id,
      tool.score.toFixed(2),
      `${tool.quarantined ? '[changed: pml trust] ' : ''}${tool.description}`,
    ])
    if (rows.length > 0) printLine(io, formatTable(['TOOL', 'SCORE', 'DESCRIPTION'], rows, io.stdout.columns))
    else printLine(io, `Nothing found for "${query}". List all tools with: pml tools`)
    for (const { name, status } of reply.servers ?? []) printLine(io, `${name} is ${status}`)
    return 0
  },
})
