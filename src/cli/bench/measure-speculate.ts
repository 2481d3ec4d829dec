import { UsageError } from '../../errors.js'
import {
  benchSpeculate,
  type SpeculatePrediction,
  type SpeculateReport,
} from '../../evaluate/bench-speculate.js'
import { meanOfSeeds } from '../../evaluate/mean-of-seeds.js'
import type { SpeculationPreset } from '../../model/speculation.js'
import { describeSpeculate } from './describe-speculate.js'
import { poolShares } from './pool-shares.js'

export interface MeasureSpeculate {
  readonly set: string
  readonly seeds: readonly number[]
  readonly preset: SpeculationPreset
  readonly hideRequest: boolean
}

export async function measureSpeculate({ set, seeds, preset, hideRequest }: MeasureSpeculate): Promise<{
  readonly report: object
  readonly text: string
  readonly predictions: readonly SpeculatePrediction[]
}> {
  const reports: SpeculateReport[] = []
  const predictions: SpeculatePrediction[] = []
  for (const [at, seed] of seeds.entries()) {
    const onPrediction = (prediction: SpeculatePrediction) => {
      if (at === 0) predictions.push(prediction)
    }
    reports.push(await benchSpeculate({ set, seed, preset, hideRequest, onPrediction }))
  }
  const figures = reports.length === 1 ? reports[0]! : poolShares(meanOfSeeds(reports))
  const report = { bench: 'speculate', seeds, ...figures }
  return { report, text: describeSpeculate(report), predictions }
}

export function readPreset(text: string): SpeculationPreset {
  if (text === 'careful' || text === 'eager') return text
  throw new UsageError(`--preset: expected careful or eager, got "${text}".`)
}
