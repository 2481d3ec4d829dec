import type { SpeculateReport } from '../../evaluate/bench-speculate.js'
import type { AheadFigures } from '../../evaluate/speculate-figures.js'

/** Where some seed ran nothing there is no mean of the seeds' shares: that of all their calls together stands in its place. */
export function poolShares<Report extends SpeculateReport>(report: Report): Report {
  const { careful, eager } = report.presets
  return {
    ...report,
    ...pooled(report),
    presets: {
      careful: { ...careful, ...pooled(careful), with_drops: pooled(careful.with_drops) },
      eager: { ...eager, ...pooled(eager), with_drops: pooled(eager.with_drops) },
    },
    cutoffs: Object.fromEntries(
      Object.entries(report.cutoffs).map(([cutoff, figures]) => [cutoff, pooled(figures)]),
    ),
  }
}

function pooled({ run, used, precision, waste, saved_share }: AheadFigures): AheadFigures {
  if (precision !== null || run === 0) return { run, used, precision, waste, saved_share }
  return { run, used, precision: used / run, waste: 1 - used / run, saved_share }
}
