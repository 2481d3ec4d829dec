import type { PresetFigures, SpeculateReport } from '../../evaluate/bench-speculate.js'
import type { OverSeeds } from '../../evaluate/mean-of-seeds.js'
import type { AheadFigures } from '../../evaluate/speculate-figures.js'
import { speculateFloorNames } from '../../evaluate/speculate-floors.js'
import { missKinds } from '../../evaluate/why-missed.js'
import { countOf } from '../count-of.js'
import { formatTable } from '../format-table.js'

export type NamedSpeculateReport = (SpeculateReport | OverSeeds<SpeculateReport>) & {
  readonly seeds: readonly number[]
}

const exact = ['exact@1', 'exact@3', 'turn_exact@1', 'turn_exact@3'] as const
const ahead = ['run', 'precision', 'waste', 'saved_share'] as const

export function describeSpeculate(report: NamedSpeculateReport): string {
  const { interval, presets } = report
  return [
    samplesLine(report),
    '',
    exactTable(report),
    '',
    aheadTable(report),
    '',
    cutoffTable(report),
    '',
    'by the source that a call stands or falls with',
    sourceTable(report),
    '',
    missTable(report),
    '',
    `95 % of resampled sessions: exact@1 ${between(interval['exact@1'])}, exact@3 ${between(interval['exact@3'])}`,
    ...(['careful', 'eager'] as const).map((preset) => {
      const { precision, saved_share } = presets[preset].interval
      return `  ${preset}: precision ${between(precision)}, saved_share ${between(saved_share)}`
    }),
    `a prediction takes ${report.p50_ms.toFixed(2)} ms (p50), ${report.p95_ms.toFixed(2)} ms (p95)`,
  ].join('\n')
}

function samplesLine({
  seeds,
  calls,
  read_calls,
  learned_sessions,
  request_hidden,
}: NamedSpeculateReport): string {
  const over = seeds.length > 1 ? `, means of seeds ${seeds[0]}-${seeds.at(-1)}` : ''
  const request = request_hidden ? 'request hidden' : 'request seen'
  return (
    `${countOf(Math.round(read_calls), 'read call')} of ${countOf(Math.round(calls), 'call')}, ` +
    `${countOf(Math.round(learned_sessions), 'session')} learned from, ${request}${over}`
  )
}

function exactTable(report: NamedSpeculateReport): string {
  const spread = 'spread' in report ? report.spread : undefined
  return formatTable(
    ['', ...exact],
    [
      ['speculate', ...exact.map((column) => share(report[column]))],
      ...(spread ? [['  seeds lie apart by', ...exact.map((column) => share(spread[column]))]] : []),
      ...speculateFloorNames.map((name) => {
        const floor = report.floors[name]
        return [`floor: ${name.replace('_', ' ')}`, share(floor['exact@1']), share(floor['exact@3']), '', '']
      }),
    ],
  )
}

function aheadTable({ presets }: NamedSpeculateReport): string {
  const rows = (name: string, figures: PresetFigures) => [
    [name, ...aheadCells(figures)],
    ['  what may write drops the rest', ...aheadCells(figures.with_drops)],
  ]
  return formatTable(['', ...ahead], [...rows('careful', presets.careful), ...rows('eager', presets.eager)])
}

function cutoffTable({ cutoffs }: NamedSpeculateReport): string {
  return formatTable(
    ['p from', ...ahead],
    Object.entries(cutoffs).map(([cutoff, figures]) => [cutoff, ...aheadCells(figures)]),
  )
}

function sourceTable({ by_source, presets }: NamedSpeculateReport): string {
  const sources = Object.keys(by_source) as (keyof typeof by_source)[]
  const rows = sources.map((source) => {
    const { first, exact } = by_source[source]
    const [careful, eager] = [presets.careful.by_source[source], presets.eager.by_source[source]]
    return { source, figures: [first, exact, careful.run, careful.used, eager.run, eager.used] }
  })
  return formatTable(
    ['', 'first', 'exact', 'careful: run', 'used', 'eager: run', 'used'],
    rows
      .filter(({ figures }) => figures.some((figure) => figure > 0))
      .map(({ source, figures }) => [source, ...figures.map(tidy)]),
  )
}

function missTable({ misses, visible, read_calls }: NamedSpeculateReport): string {
  const all = missKinds.reduce((sum, kind) => sum + misses[kind], 0)
  return [
    `${tidy(all)} read calls were not among the first three; of all, ${share(visible)} have every value visible before`,
    formatTable(
      ['missed because', 'calls', 'of read calls'],
      missKinds.map((kind) => [
        kind.replaceAll('_', ' '),
        tidy(misses[kind]),
        share(misses[kind] / read_calls),
      ]),
    ),
  ].join('\n')
}

function aheadCells(figures: AheadFigures): readonly string[] {
  return [tidy(figures.run), share(figures.precision), share(figures.waste), share(figures.saved_share)]
}

/** Of what was not run there is no share. */
function share(value: number | null | undefined): string {
  return value === undefined || value === null ? '' : value.toFixed(3)
}

/** Means of counts over seeds need not be whole. */
function tidy(count: number): string {
  return Number.isInteger(count) ? String(count) : count.toFixed(1)
}

function between(interval: readonly [number, number] | null): string {
  if (interval === null) return 'none'
  const [low, high] = interval
  return `${low.toFixed(3)} to ${high.toFixed(3)}`
}
