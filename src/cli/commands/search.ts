import { UsageError } from '../../errors.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { formatTable } from '../format-table.js'
import { printJson, printLine } from '../io.js'

interface Parts {
  readonly name?: number
  readonly words: number
  readonly cosine?: number
  readonly graph?: { readonly evidence: number; readonly alpha: number; readonly from?: string }
}

interface SearchReply {
  readonly tools: readonly {
    readonly id: string
    readonly score: number
    readonly description: string
    readonly quarantined?: boolean
    readonly parts: Parts
  }[]
  readonly unknownContext?: readonly string[]
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
    context: {
      type: 'string',
      valueHint: 'tools',
      description: 'Tools used before, with commas between: what goes with them comes first',
    },
    why: { type: 'boolean', description: 'Say where each score comes from' },
  },
  examples: [
    'pml search "read a file"',
    'pml search create issue --limit 3 --why',
    'pml search "ship it" --context git:clone',
  ],
  async run({ args, io, gateway }) {
    const limit = Number(args.limit)
    if (!Number.isInteger(limit) || limit < 1) {
      throw new UsageError(`--limit: expected a whole number above 0, got "${args.limit}".`)
    }
    const context = (args.context ?? '').split(',').flatMap((name) => name.trim() || [])
    const query = args._.join(' ').trim()
    if (query === '') throw new UsageError('Expected words to search for.', 'List all tools with: pml tools')
    const reply = (await gateway.withGateway(gatewayChoice(args), (api) =>
      api.post('/api/search', { query, limit, ...(context.length > 0 && { context }) }),
    )) as SearchReply
    if (args.json) {
      printJson(io, reply)
      return 0
    }
    const rows = reply.tools.map((tool) => [
      tool.id,
      tool.score.toFixed(2),
      ...(args.why ? [describeParts(tool.parts)] : []),
      `${tool.quarantined ? '[changed: pml trust] ' : ''}${tool.description}`,
    ])
    const header = ['TOOL', 'SCORE', ...(args.why ? ['WHY'] : []), 'DESCRIPTION']
    if (rows.length > 0) printLine(io, formatTable(header, rows, io.stdout.columns))
    else printLine(io, `Nothing found for "${query}". List all tools with: pml tools`)
    for (const name of reply.unknownContext ?? []) printLine(io, `--context: there is no tool "${name}"`)
    for (const { name, status } of reply.servers ?? []) printLine(io, `${name} is ${status}`)
    return 0
  },
})

function describeParts({ name, words, cosine, graph }: Parts): string {
  const said = name === undefined ? `words ${words.toFixed(2)}` : 'name'
  const meant = cosine === undefined || name !== undefined ? '' : `, cosine ${cosine.toFixed(2)}`
  const used = graph === undefined ? '' : `, with ${graph.from} ${graph.evidence.toFixed(2)}`
  return `${said}${meant}${used}`
}
