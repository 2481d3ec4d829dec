import type { RankerWeight, Reliability } from '../../gateway/learned.js'
import type { Rebuilt } from '../../learn/rebuild-graph.js'
import type { GraphSummary } from '../../learn/summarise-graph.js'
import type { Edge, EdgeSource } from '../../model/edge.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { countOf } from '../count-of.js'
import { formatTable } from '../format-table.js'
import { type Io, printJson, printLine } from '../io.js'

interface LearnReply {
  readonly summary: GraphSummary
  readonly reliability: readonly Reliability[]
  readonly weights: readonly RankerWeight[]
  /** Where that was asked for. */
  readonly rebuilt?: Rebuilt
}

const sources: readonly EdgeSource[] = ['observed', 'inferred', 'template']
const mostChangesShown = 20
const mostToolsShown = 10

export const learnCommand = defineCliCommand({
  name: 'learn',
  summary: 'What was learned: which tools go together, how calls went, what comes next',
  args: {
    ...commonArgs,
    rebuild: { type: 'boolean', description: 'Learn everything anew from the traces, and say what changed' },
    weights: {
      type: 'boolean',
      description:
        'What counts how much in saying what comes next, learned anew from the sessions remembered',
    },
  },
  examples: [
    'pml learn',
    'pml learn --rebuild',
    'pml learn --weights',
    "pml learn --json | jq '.summary.strongest'",
  ],
  notes: `
EDGES

  dependency  the plan of a run said that the second waits for the first
  provides    a value of the first one's result reappeared in the second one's arguments
  contains    the first called the second
  sequence    the second followed the first

  observed: seen often enough to be sure, 2 to 5 times; inferred: seen; template: guessed from schemas, not seen yet.
  The weight is that of the type, times how sure the source is, times how often it went well; it halves in 90 days.

RELIABILITY

  How probable it is that the next call goes well, after all that were made; the newest count most (half after 15).`,
  async run({ args, io, gateway }) {
    const reply = (await gateway.withGateway(gatewayChoice(args), (api) =>
      api.post('/api/learn', {
        ...(args.rebuild && { rebuild: true }),
        ...(args.weights && { refit: true }),
      }),
    )) as LearnReply
    if (args.json) {
      printJson(io, reply)
      return 0
    }
    if (reply.rebuilt !== undefined) printRebuilt(reply.rebuilt, io)
    if (args.weights) {
      printWeights(reply.weights, io)
      return 0
    }
    printSummary(reply.summary, io)
    printReliability(reply.reliability, io)
    return 0
  },
})

function printRebuilt({ runs, traces, added, removed, changed }: Rebuilt, io: Io): void {
  const from = `Rebuilt from ${countOf(runs, 'run')} (${countOf(traces, 'trace')})`
  const lines = [
    ...added.map((edge) => `+ ${describe(edge)}: ${figures(edge)}`),
    ...removed.map((edge) => `- ${describe(edge)}: ${figures(edge)}`),
    ...changed.map(({ before, after }) => `~ ${describe(after)}: ${figures(before)} -> ${figures(after)}`),
  ]
  if (lines.length === 0) {
    printLine(io, `${from}: nothing changed.\n`)
    return
  }
  printLine(
    io,
    `${from}: ${countOf(added.length, 'edge')} added, ${removed.length} removed, ${changed.length} changed.`,
  )
  for (const line of lines.slice(0, mostChangesShown)) printLine(io, `  ${line}`)
  if (lines.length > mostChangesShown)
    printLine(io, `  and ${lines.length - mostChangesShown} more: see --json`)
  printLine(io)
}

function printSummary(
  { tools, edges, density, kinds, strongest, communities, central }: GraphSummary,
  io: Io,
): void {
  if (edges === 0) {
    printLine(
      io,
      'Nothing learned yet. Each workflow that is run shows which tools go together: pml run --help',
    )
    return
  }
  const share = `${(density * 100).toFixed(1)} % of all pairs`
  printLine(
    io,
    `${countOf(tools, 'tool')}, ${countOf(edges, 'edge')} (${share}), ${countOf(communities, 'group')}`,
  )
  if (central.length > 0) printLine(io, `most ways lead to ${central.map(({ tool }) => tool).join(', ')}`)
  if (kinds.every(({ source }) => source === 'template'))
    printLine(io, 'Nothing was learned from runs yet: all of it is guessed from schemas.')
  printLine(io)
  const rows = [...new Set(kinds.map(({ type }) => type))].map((type) => [
    type,
    ...sources.map((source) =>
      String(kinds.find((kind) => kind.type === type && kind.source === source)?.edges ?? ''),
    ),
  ])
  printLine(io, formatTable(['EDGES', ...sources.map((source) => source.toUpperCase())], rows))
  printLine(io)
  const heaviest = strongest.map((edge) => [
    edge.from,
    edge.to,
    edge.type,
    edge.source,
    String(edge.count),
    String(edge.failures),
    edge.weight.toFixed(2),
  ])
  const header = ['STRONGEST FROM', 'TO', 'TYPE', 'SOURCE', 'SEEN', 'FAILED', 'WEIGHT']
  printLine(io, formatTable(header, heaviest, io.stdout.columns))
}

function printReliability(reliability: readonly Reliability[], io: Io): void {
  if (reliability.length === 0) return
  const rows = reliability
    .slice(0, mostToolsShown)
    .map(({ tool, mean, observations }) => [tool, mean.toFixed(2), String(observations)])
  printLine(io)
  printLine(io, formatTable(['LEAST RELIABLE', 'GOES WELL', 'CALLS'], rows, io.stdout.columns))
  if (reliability.length > mostToolsShown)
    printLine(io, `and ${countOf(reliability.length - mostToolsShown, 'tool')} more: see --json`)
}

function printWeights(weights: readonly RankerWeight[], io: Io): void {
  const rows = weights.map(({ signal, weight, prior }) => [signal, weight.toFixed(2), prior.toFixed(2)])
  printLine(io, formatTable(['WHAT COMES NEXT, BY', 'WEIGHT', 'AT FIRST'], rows))
}

function describe({ from, to, type }: Edge): string {
  return `${from} ${type} ${to}`
}

function figures({ count, failures, source }: Edge): string {
  return `${source}, seen ${count}${failures > 0 ? ` (${failures} failed)` : ''}`
}
