import type { NextReport } from '../../evaluate/bench-next.js'
import type { OverSeeds } from '../../evaluate/mean-of-seeds.js'
import type { NextFigures } from '../../evaluate/next-figures.js'
import { floorNames } from '../../evaluate/next-floors.js'
import { countOf } from '../count-of.js'
import { formatTable } from '../format-table.js'

export type NamedNextReport = (NextReport | OverSeeds<NextReport>) & { readonly seeds: readonly number[] }

const columns = [
  'hit@1',
  'hit@3',
  'hit@5',
  'mrr',
  'novel_hit@1',
  'novel_hit@3',
  'novel_hit@5',
] as const satisfies readonly (keyof NextFigures)[]

export function describeNext(report: NamedNextReport): string {
  const { seeds, steps, learned_sessions, interval } = report
  const over = seeds.length > 1 ? `, means of seeds ${seeds[0]}-${seeds.at(-1)}` : ''
  const spread = 'spread' in report ? report.spread : undefined
  return [
    `${countOf(Math.round(steps), 'step')}, ${countOf(Math.round(learned_sessions), 'session')} learned from${over}`,
    '',
    formatTable(
      ['', ...columns],
      [
        row('next', report),
        ...(spread ? [['  seeds lie apart by', ...columns.map((column) => share(spread[column]))]] : []),
        row('next, request hidden', report.request_hidden),
        ...floorNames.map((name) => row(`floor: ${name.replace('_', ' ')}`, report.floors[name])),
      ],
    ),
    '',
    `95 % of resampled sessions: hit@1 ${between(interval['hit@1'])}, novel_hit@3 ${between(interval['novel_hit@3'])}`,
    `a prediction takes ${report.p95_ms.toFixed(2)} ms (p95)`,
  ].join('\n')
}

function row(name: string, figures: NextFigures): readonly string[] {
  return [name, ...columns.map((column) => share(figures[column]))]
}

function share(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(3)
}

function between([low, high]: readonly [number, number]): string {
  return `${low.toFixed(3)} to ${high.toFixed(3)}`
}
