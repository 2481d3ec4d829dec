import { benchRisk, type RiskPrediction, type RiskReport } from '../../evaluate/bench-risk.js'
import { describeRisk } from './describe-risk.js'

export interface MeasuredRisk {
  readonly report: RiskReport & { readonly bench: 'risk' }
  readonly text: string
  readonly predictions: readonly RiskPrediction[]
}

/** Of `pml bench risk`: nothing is drawn but the resamples, so that the usual seed will do. */
const seed = 42

export async function measureRisk({ set }: { readonly set: string }): Promise<MeasuredRisk> {
  const predictions: RiskPrediction[] = []
  const figures = await benchRisk({
    set,
    seed,
    onPrediction: (prediction) => void predictions.push(prediction),
  })
  const report = { bench: 'risk', ...figures } as const
  return { report, text: describeRisk(report), predictions }
}
