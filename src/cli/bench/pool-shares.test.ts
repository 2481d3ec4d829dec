import { expect, it } from 'vitest'
import type { SpeculateReport } from '../../evaluate/bench-speculate.js'
import { poolShares } from './pool-shares.js'

it('a share that some seeds do not have is that of all their calls; others stay the means they are', () => {
  const none = { run: 5, used: 4, precision: null, waste: null, saved_share: 0.1 }
  const mean = { run: 5, used: 4, precision: 0.7, waste: 0.3, saved_share: 0.1 }
  const never = { run: 0, used: 0, precision: null, waste: null, saved_share: 0 }
  const report = {
    ...none,
    presets: { careful: { ...none, with_drops: never }, eager: { ...mean, with_drops: none } },
    cutoffs: { '0.9': none },
  } as unknown as SpeculateReport
  const { precision, presets, cutoffs } = poolShares(report)
  expect(precision).toBe(0.8)
  expect(presets.careful.precision).toBe(0.8)
  expect(presets.careful.with_drops.precision).toBeNull()
  expect(presets.eager.precision).toBe(0.7)
  expect(presets.eager.with_drops.waste).toBeCloseTo(0.2)
  expect(cutoffs['0.9']!.precision).toBe(0.8)
})
