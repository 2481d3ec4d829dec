import { type BetaShift, type BetaState, priorBeta } from '../../model/beta-state.js'

/** The state after these outcomes. What was seen before them decays towards the prior, never below it. */
export function shiftBeta(state: BetaState, shift: BetaShift): BetaState {
  return {
    alpha: priorBeta.alpha + (state.alpha - priorBeta.alpha) * shift.decay + shift.successes,
    beta: priorBeta.beta + (state.beta - priorBeta.beta) * shift.decay + shift.failures,
    observations: state.observations + shift.observations,
    updatedAt: Math.max(state.updatedAt, shift.at),
  }
}
