import type { ProgramTask } from '../../../capabilities/program/program-tasks.js'
import type { CapabilityReport, DependencyListing } from '../../../gateway/capabilities-api.js'
import { figure } from '../../../gateway/judge-plan.js'
import { formatDuration } from '../../../model/format-duration.js'
import { isObject, type Json, type JsonObject } from '../../../model/json.js'
import type { PlannedTask } from '../../../model/plan.js'
import type { ToolId } from '../../../model/tool.js'
import { countOf } from '../../count-of.js'
import { type DrawPlanOptions, drawLayers } from '../../draw-plan.js'
import { fitLine, formatTable } from '../../format-table.js'
import { nameOf, riskIn, timeOf } from './telling.js'

export type DrawCapabilityOptions = Omit<DrawPlanOptions, 'why'>

/** All that is known of one, from what it is for to how it did. */
export function drawCapability(report: CapabilityReport, options: DrawCapabilityOptions): string {
  const { colours, width } = options
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', colours.bold(title), ...lines.map((line) => `  ${line}`)]
  const table = (header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
    rows.length === 0 ? [] : formatTable(header, rows).split('\n')
  const { needs, neededBy, alternatives } = report
  const lines = [
    `${colours.bold(report.name)}  ${report.id}`,
    report.description,
    historyOf(report),
    ...section('RUN FOR', report.intents),
    ...section('ARGUMENTS', table(['NAME', 'TYPE', '', 'WHAT'], parameterRows(report.inputSchema))),
    ...section('CODE', numbered(report.code)),
    ...section(
      'WHAT IT CALLS',
      report.tasks.length === 0 ? ['Nothing.'] : drawTasks(report, { ...options, why: false }),
    ),
    ...section(
      'TOOLS',
      table(
        ['TOOL', 'RISK', 'WHY'],
        report.toolRisks.map(({ tool, risk, why, isOwn, isThere }) => [
          `${tool}${isOwn ? '' : ' (through another)'}${isThere ? '' : ' (not there)'}`,
          riskIn(risk, colours),
          why,
        ]),
      ),
    ),
    ...section('RISK', [`${riskIn(report.risk, colours)}. ${report.riskWhy}`]),
    ...section('RELIABILITY', [reliabilityOf(report)]),
    ...section('BENEFIT', [
      `${report.isHidden ? colours.yellow('Hidden.') : 'Shown.'} ${report.benefit.why}`,
    ]),
    ...section('NEEDS', needs.length > 0 ? [needs.map(nameOf).join(', ')] : []),
    ...section('NEEDED BY', neededBy.length > 0 ? [neededBy.map(nameOf).join(', ')] : []),
    ...section(
      'WHAT CAN STAND IN FOR IT',
      alternatives.map((one) => `${nameOf(one)}, which succeeds in ${percent(one.rate)} of its uses`),
    ),
    ...section('GOES TOGETHER WITH', dependencyTable(report.dependencies)),
    ...section(
      'LAST USES',
      table(
        ['AT (UTC)', 'OUTCOME', 'TOOK', 'ITS CALLS ONE BY ONE'],
        report.recent.map(({ at, success, ms, callsMs }) => [
          timeOf(at),
          success ? colours.green('success') : colours.red('failure'),
          formatDuration(ms),
          formatDuration(callsMs),
        ]),
      ),
    ),
  ]
  return lines.map((line) => fitLine(line, width)).join('\n')
}

export function dependencyTable(dependencies: readonly DependencyListing[]): readonly string[] {
  if (dependencies.length === 0) return []
  const rows = dependencies.map(({ from, to, type, count, lastSeen, isManual }) => [
    nameOf(from),
    sayings[type],
    nameOf(to),
    isManual ? 'a person' : 'runs',
    countOf(count, 'time'),
    timeOf(lastSeen),
  ])
  return formatTable(['FROM', 'TYPE', 'TO', 'SAID BY', 'SEEN', 'LAST (UTC)'], rows).split('\n')
}

const sayings = {
  dependency: 'dependency (needs)',
  contains: 'contains (holds)',
  sequence: 'sequence (comes before)',
  alternative: 'alternative (stands in for)',
} as const satisfies Record<DependencyListing['type'], string>

function historyOf({ origin, createdAt, uses, successes, meanMs, lastUsedAt }: CapabilityReport): string {
  const since = `${origin} on ${timeOf(createdAt).slice(0, 10)}`
  if (uses === 0 || lastUsedAt === undefined) return `${since}, never used`
  const took = meanMs === undefined ? '' : `, ${formatDuration(meanMs)} in the mean`
  return `${since}, used ${countOf(uses, 'time')}, ${successes} with success${took}, last on ${timeOf(lastUsedAt)}`
}

function parameterRows({ properties, required }: JsonObject): readonly (readonly string[])[] {
  const needed = new Set(Array.isArray(required) ? required : [])
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const { type, description, default: fallback } = isObject(schema) ? schema : ({} as JsonObject)
    return [
      name,
      typeof type === 'string' ? type : 'any',
      needed.has(name) ? 'required' : fallback === undefined ? '' : `else ${JSON.stringify(fallback)}`,
      typeof description === 'string' ? description : '',
    ]
  })
}

function numbered(code: string): readonly string[] {
  const lines = code.replace(/\n+$/, '').split('\n')
  const digits = String(lines.length).length
  return lines.map((line, at) => `${String(at + 1).padStart(digits)}  ${line}`.trimEnd())
}

/** In the look of a plan. Whatever is no plain value is shown as it is written. */
function drawTasks({ tasks, layers }: CapabilityReport, options: DrawPlanOptions): readonly string[] {
  const planned = tasks.map((task): PlannedTask => {
    const { id, arguments: args, dependsOn, inside } = task
    return {
      ...{ id, dependsOn, onError: 'fail' },
      tool: toolText(task) as ToolId,
      arguments: toArguments(args),
      ...(inside === 'loop' && { each: ['several'] }),
    }
  })
  const [, ...lines] = drawLayers(
    { plan: { tasks: planned }, layers, edges: [], arguments: [], missing: [] },
    options,
  )
  return lines
}

function toolText({ tool, inside }: ProgramTask): string {
  if (inside === 'branch') return `${tool}  perhaps`
  return inside === 'function' ? `${tool}  wherever the code asks for it` : tool
}

function toArguments(args: Json): JsonObject {
  const drawn = toReferences(args)
  return isObject(drawn) && !('$from' in drawn) ? drawn : { '(all)': drawn }
}

/** A reference is drawn as it stands: so are arguments of the program, and its own words. */
function toReferences(value: Json): Json {
  if (Array.isArray(value)) return value.map(toReferences)
  if (!isObject(value)) return value
  if (typeof value.$from === 'string') return value
  if (typeof value.$arg === 'string') return { $from: value.$arg === '' ? 'args' : `args.${value.$arg}` }
  const { $unknown: unknown, ...known } = value
  if (typeof unknown !== 'string')
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toReferences(one)]))
  if (Object.keys(known).length === 0) return { $from: unknown }
  return { ...(toReferences(known) as JsonObject), '...': { $from: unknown } }
}

function reliabilityOf({ reliability: { rate, transitive, weakest } }: CapabilityReport): string {
  const below =
    weakest === undefined
      ? 'nothing is known against what it needs'
      : `the weakest of what it needs is ${nameOf(weakest)}, ${figure(transitive)}`
  return `${figure(rate)} by its own uses; ${below}`
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
