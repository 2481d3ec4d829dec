import type { Risk } from '../model/risk.js'
import { bootstrapInterval, type Interval } from './bootstrap-interval.js'
import type { RiskRow } from './read-risks.js'

/** Shares of 1; null where the set has no such tool. */
export interface RiskFigures {
  /** Of the tools that do not only read: rated safe. The error that counts; where there are none, none was made. */
  readonly false_safe: number
  /** Of the tools that only read: rated safe. */
  readonly safe_recall: number | null
  /** Read-only told from not. */
  readonly accuracy: number
  /** Of the tools that may destroy: rated dangerous. */
  readonly destructive_as_dangerous: number | null
}

export interface RiskIntervals {
  readonly false_safe_interval: Interval | null
  readonly safe_recall_interval: Interval | null
  readonly accuracy_interval: Interval
}

export interface Rated {
  readonly row: RiskRow
  readonly risk: Risk
}

export function riskFigures(rated: readonly Rated[]): RiskFigures {
  const { unsafe, reading, right } = outcomes(rated)
  const destructive = rated.filter(({ row }) => row.destructive)
  return {
    false_safe: share(unsafe) ?? 0,
    safe_recall: share(reading),
    accuracy: share(right)!,
    destructive_as_dangerous: share(destructive.map(({ risk }) => Number(risk === 'dangerous'))),
  }
}

export function riskIntervals(rated: readonly Rated[], random: () => number): RiskIntervals {
  const { unsafe, reading, right } = outcomes(rated)
  return {
    false_safe_interval: unsafe.length === 0 ? null : errorInterval(unsafe, random),
    safe_recall_interval: reading.length === 0 ? null : bootstrapInterval(reading, random),
    accuracy_interval: bootstrapInterval(right, random),
  }
}

function outcomes(rated: readonly Rated[]) {
  const safe = ({ risk }: Rated): number => Number(risk === 'safe')
  return {
    unsafe: rated.filter(({ row }) => !row.readOnly).map(safe),
    reading: rated.filter(({ row }) => row.readOnly).map(safe),
    right: rated.map((one) => Number((one.risk === 'safe') === one.row.readOnly)),
  }
}

/**
 * Of errors that were not seen no resample has any; what then can be said is the rate at which none would be seen in one of twenty
 * sets of this size (the "rule of three": about 3/n).
 */
function errorInterval(errors: readonly number[], random: () => number): Interval {
  return errors.some((error) => error > 0)
    ? bootstrapInterval(errors, random)
    : [0, 1 - 0.05 ** (1 / errors.length)]
}

function share(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}
