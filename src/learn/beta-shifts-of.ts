import type { Trace } from '../model/trace.js'
import type { Learned } from '../store/store.js'
import { outcomesOf } from './outcomes-of.js'
import { shiftOf } from './thresholds/shift-of.js'

/** What the calls of these traces do to the Beta state of each tool. */
export function betaShiftsOf(traces: readonly Trace[]): NonNullable<Learned['betaShifts']> {
  return [...outcomesOf(traces)].map(([tool, outcomes]) => ({ tool, shift: shiftOf(outcomes) }))
}
