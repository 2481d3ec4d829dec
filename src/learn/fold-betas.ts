import { priorBeta } from '../model/beta-state.js'
import type { BetaRow, Learned } from '../store/store.js'
import { shiftBeta } from './thresholds/shift-beta.js'

/** The Beta states of tools as lessons give them, one after the other, on top of what the traces that are gone had left. */
export function foldBetas(baseline: readonly BetaRow[]): {
  take(shifts: NonNullable<Learned['betaShifts']>): void
  states(): readonly BetaRow[]
} {
  const byTool = new Map<string, BetaRow>(baseline.map((state) => [state.id, state]))
  return {
    take(shifts) {
      for (const { tool, shift } of shifts) {
        const known = byTool.get(tool) ?? { ...priorBeta, updatedAt: shift.at }
        byTool.set(tool, { id: tool, ...shiftBeta(known, shift) })
      }
    },
    states: () => [...byTool.values()],
  }
}
