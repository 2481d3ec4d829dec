import { UsageError } from '../../errors.js'
import type { SpeculationReport } from '../../gateway/speculation-api.js'
import { writeOutUnseen } from '../../gateway/write-out-unseen.js'
import { formatDuration } from '../../model/format-duration.js'
import type { Speculation, SpeculationFigures } from '../../model/speculation.js'
import { commonArgs, defineCliCommand, gatewayChoice } from '../cli-command.js'
import { countOf } from '../count-of.js'
import { formatTable } from '../format-table.js'
import { printJson, printLine } from '../io.js'

const dayMs = 24 * 60 * 60_000

export const speculationCommand = defineCliCommand({
  name: 'speculation',
  summary: 'Calls run ahead: how many were used, what they saved',
  args: {
    tool: { type: 'positional', required: false, description: 'Only this tool' },
    ...commonArgs,
    days: { type: 'string', valueHint: 'number', default: '7', description: 'Of the last so many days' },
    recent: { type: 'boolean', description: 'Also the newest predictions, one by one' },
  },
  examples: [
    'pml speculation',
    'pml speculation files:read_text_file --recent',
    'pml speculation --days 1 --json',
  ],
  notes: `
While an agent thinks, calls that it will probably make next are run, arguments included, of tools that only read. A call that was run is
used when it is asked for, exactly so: its result was there (a hit) or on its way (joined), and the time saved is what the agent would have
waited more. Else it is wasted. What was predicted and not run counts as right when it was asked for within the next three calls.
speculation: on, shadow or off in the configuration; shadow predicts and keeps the score, and runs nothing. preset: careful or eager, and
switches for servers and tools: see schema/pml.config.schema.json.`,
  async run({ args, io, gateway }) {
    const days = readDays(args.days)
    const query = new URLSearchParams({
      since: String(Math.max(0, Date.now() - days * dayMs)),
      ...(args.tool !== undefined && { tool: args.tool }),
    })
    const report = (await gateway.withGateway(gatewayChoice(args), (api) =>
      api.get(`/api/speculation?${query}`),
    )) as SpeculationReport
    if (args.json) printJson(io, report)
    else {
      const within = days === 1 ? 'the last day' : `the last ${days} days`
      const parts = [
        describeMode(report),
        ...describeReport(report, within, args.tool, io.stdout.columns),
        ...(args.recent === true && report.recent.length > 0
          ? [recentTable(report.recent, io.stdout.columns)]
          : []),
      ]
      printLine(io, parts.join('\n\n'))
    }
    return 0
  },
})

function readDays(text: string): number {
  const days = Number(text)
  if (!Number.isSafeInteger(days) || days < 1)
    throw new UsageError(`--days: expected a whole number above 0, got "${text}".`)
  return days
}

function describeMode({ mode, preset }: SpeculationReport): string {
  if (mode === 'off')
    return 'Speculation is off: nothing is predicted, nothing is run ahead. speculation: on in the configuration runs likely calls ahead, shadow only keeps the score.'
  if (mode === 'shadow')
    return 'Speculation is in shadow: calls are predicted and the score is kept, nothing is run ahead.'
  return `Speculation is on (${preset}).`
}

function describeReport(
  report: SpeculationReport,
  within: string,
  tool: string | undefined,
  width: number | undefined,
): readonly string[] {
  const { all, tools, bySource, of } = report
  if (all.predicted === 0) return [describeNothing(report, within, tool)]
  const sources = Object.entries(bySource).sort(([, a], [, b]) => b.predicted - a.predicted)
  const part = of < all.predicted ? ` (of the newest ${of})` : ''
  return [
    figuresTable(
      'TOOL',
      tools.map((one) => [one.tool, one] as const),
      width,
    ),
    [describeAll(all, within), ...(report.mode === 'shadow' ? [describeShadow(all)] : [])].join('\n'),
    `By where the arguments came from${part}:\n${figuresTable('SOURCE', sources, width)}`,
    ...describeRefusals(report, part),
  ]
}

function describeNothing({ mode }: SpeculationReport, within: string, tool: string | undefined): string {
  const of = tool === undefined ? '' : ` of ${writeOutUnseen(tool)}`
  const next =
    tool !== undefined
      ? ' See all tools with: pml speculation'
      : mode === 'off'
        ? ''
        : ' It comes with calls: what is likely next is known once a session, or others before it, made some.'
  return `Nothing was predicted${of} in ${within}.${next}`
}

function figuresTable(
  title: string,
  rows: readonly (readonly [string, SpeculationFigures])[],
  width: number | undefined,
): string {
  return formatTable(
    [title, 'PREDICTED', 'RUN', 'USED', 'WASTED', 'NOT RUN BUT RIGHT', 'SAVED'],
    rows.map(([name, one]) => [
      writeOutUnseen(name),
      String(one.predicted),
      String(one.started),
      share(usedOf(one), one.started),
      share(one.wasted, one.started),
      String(one.right),
      formatDuration(one.savedMs),
    ]),
    width,
  )
}

function describeAll(all: SpeculationFigures, within: string): string {
  const { predicted, started, hits, joined, wasted, savedMs, cost } = all
  const open = started - usedOf(all) - wasted
  const parts = [
    `${countOf(predicted, 'call')} predicted`,
    `${started} run ahead`,
    `${share(usedOf(all), started)} used (${hits} ready, ${joined} joined under way)`,
    `${share(wasted, started)} wasted`,
    ...(open > 0 ? [`${open} still open`] : []),
    `${formatDuration(savedMs)} saved`,
    ...(cost > 0 ? [`$${cost.toFixed(2)} spent`] : []),
  ]
  return `In ${within}: ${parts.join(', ')}.`
}

/** What is not run saves nothing: what it would have. */
function describeShadow({ predicted, right }: SpeculationFigures): string {
  return `Had they been run, ${share(right, predicted)} of the predicted calls would have been ready or under way when they were asked for.`
}

function describeRefusals({ refusals }: SpeculationReport, part: string): readonly string[] {
  const whys = Object.entries(refusals).sort(([, a], [, b]) => b - a)
  if (whys.length === 0) return []
  return [`Not run, and why${part}: ${whys.map(([why, count]) => `${why} ${count}`).join(', ')}.`]
}

/** The newest few: a screen. `--json` has them all. */
const shownRecent = 10

function recentTable(recent: readonly Speculation[], width: number | undefined): string {
  const rows = recent
    .slice(0, shownRecent)
    .map(({ predictedAt, tool, arguments: args, p, source, decision, refusal, outcome, savedMs }) => [
      new Date(predictedAt).toISOString().slice(0, 19).replace('T', ' '),
      writeOutUnseen(tool),
      p.toFixed(2),
      source,
      refusal === undefined ? decision : `${decision}: ${refusal}`,
      outcome ?? 'open',
      savedMs === undefined ? '' : formatDuration(savedMs),
      writeOutUnseen(JSON.stringify(args)),
    ])
  return formatTable(
    ['AT (UTC)', 'TOOL', 'P', 'SOURCE', 'DECISION', 'OUTCOME', 'SAVED', 'ARGUMENTS'],
    rows,
    width,
  )
}

function usedOf({ hits, joined }: SpeculationFigures): number {
  return hits + joined
}

/** `3 (75 %)`. */
function share(part: number, whole: number): string {
  return whole === 0 ? String(part) : `${part} (${Math.round((100 * part) / whole)} %)`
}
