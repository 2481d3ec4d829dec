import type { RiskReport } from '../../evaluate/bench-risk.js'
import type { Interval } from '../../evaluate/bootstrap-interval.js'
import type { RiskFigures } from '../../evaluate/risk-figures.js'
import { countOf } from '../count-of.js'
import { formatTable } from '../format-table.js'

const columns = ['false_safe', 'safe_recall', 'accuracy', 'destructive_as_dangerous'] as const

export function describeRisk(report: RiskReport): string {
  const row = (name: string, figures: RiskFigures): readonly string[] => [
    name,
    ...columns.map((column) => figures[column]?.toFixed(3) ?? ''),
  ]
  return [
    `${countOf(report.tools, 'tool')}: ${report.read_only} only read, ${report.destructive} may destroy; by names and descriptions alone`,
    '',
    formatTable(['', ...columns], [row('risk', report), row('floor: name patterns', report.floor)]),
    '',
    `95 % of resamples: false_safe ${interval(report.false_safe_interval)}, safe_recall ${interval(report.safe_recall_interval)}, accuracy ${interval(report.accuracy_interval)}`,
  ].join('\n')
}

function interval(found: Interval | null): string {
  return found === null ? 'none' : `${found[0].toFixed(3)} to ${found[1].toFixed(3)}`
}
