import type { PlanReport } from '../../evaluate/bench-plan.js'
import type { OverSeeds } from '../../evaluate/mean-of-seeds.js'
import type { LinkFigures } from '../../evaluate/plan-figures.js'
import { countOf } from '../count-of.js'
import { formatTable } from '../format-table.js'

export type NamedPlanReport = (PlanReport | OverSeeds<PlanReport>) & {
  readonly embedder: string
  readonly seeds: readonly number[]
}

const links = ['link_precision', 'link_recall', 'link_f1', 'exact_graph'] as const
const more = ['field_f1', 'exact_stages', 'node_f1'] as const
const floorNames = {
  all_pairs: 'floor: all pairs',
  identical_names: 'floor: identical field names',
  order_of_mention: 'floor: order of mention',
} as const
const mostNamed = 10

export function describePlan(report: NamedPlanReport): string {
  const measured = more.filter((column) => typeof report[column] === 'number')
  const ours = [...links, ...measured].map((column) => share(report[column]))
  const spread = 'spread' in report ? report.spread : undefined
  return [
    samplesLine(report),
    ...notes(report),
    '',
    formatTable(
      ['', ...links, ...measured],
      [
        [`plan (${report.embedder})`, ...ours],
        ...(spread
          ? [['  seeds lie apart by', ...[...links, ...measured].map((column) => share(spread[column]))]]
          : []),
        ...Object.entries(floorNames).map(([floor, name]) => [
          name,
          ...linkCells(report.floors[floor as keyof typeof floorNames]),
        ]),
      ],
    ),
    '',
    `95 % of resamples: link_f1 ${interval(report.link_f1_interval)}, exact_graph ${interval(report.exact_graph_interval)}`,
    `a plan takes ${report.p50_ms.toFixed(1)} ms (p50), ${report.p95_ms.toFixed(1)} ms (p95)`,
  ].join('\n')
}

function samplesLine(report: NamedPlanReport): string {
  const { seeds, samples, learned_plans } = report
  const from =
    report.node_f1 === undefined ? 'gold tools given' : 'from the intent; the floors are given the gold tools'
  const over = seeds.length > 1 ? `, means of seeds ${seeds[0]}-${seeds.at(-1)}` : ''
  const learned = learned_plans > 0 ? `, ${countOf(Math.round(learned_plans), 'plan')} learned from` : ''
  return `${countOf(Math.round(samples), 'sample')} (${from})${learned}${over}`
}

function notes({ without_links, unknown_tools, left_out }: PlanReport): readonly string[] {
  const named = unknown_tools.slice(0, mostNamed).join(', ')
  const hidden = unknown_tools.length - mostNamed
  return [
    ...(without_links > 0
      ? [`samples that want no link: ${tidy(without_links)}; they count 1 where none is given, else 0`]
      : []),
    ...(left_out > 0
      ? [
          `samples left out: ${tidy(left_out)}; not in tools.jsonl: ${named}${hidden > 0 ? ` and ${hidden} more` : ''}`,
        ]
      : []),
  ]
}

function linkCells(figures: LinkFigures): readonly string[] {
  return links.map((column) => share(figures[column]))
}

function share(value: number | null | undefined): string {
  return value === undefined || value === null ? '' : value.toFixed(3)
}

function interval([low, high]: readonly [number, number]): string {
  return `${low.toFixed(3)} to ${high.toFixed(3)}`
}

/** Means of counts over seeds need not be whole. */
function tidy(count: number): string {
  return Number.isInteger(count) ? String(count) : count.toFixed(1)
}
