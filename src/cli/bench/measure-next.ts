import { benchNext, type NextPrediction, type NextReport } from '../../evaluate/bench-next.js'
import { meanOfSeeds } from '../../evaluate/mean-of-seeds.js'
import { describeNext } from './describe-next.js'

export async function measureNext({
  set,
  seeds,
}: {
  readonly set: string
  readonly seeds: readonly number[]
}): Promise<{
  readonly report: object
  readonly text: string
  readonly predictions: readonly NextPrediction[]
}> {
  const reports: NextReport[] = []
  const predictions: NextPrediction[] = []
  for (const [at, seed] of seeds.entries()) {
    const onPrediction = (prediction: NextPrediction) => {
      if (at === 0) predictions.push(prediction)
    }
    reports.push(await benchNext({ set, seed, onPrediction }))
  }
  const figures = reports.length === 1 ? reports[0]! : meanOfSeeds(reports)
  const report = { bench: 'next', seeds, ...figures }
  return { report, text: describeNext(report), predictions }
}
