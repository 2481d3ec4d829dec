/** What is believed of how often calls of a tool (or capability) go well: a Beta distribution, from the uniform one on. */
export interface BetaState {
  /** At least 1: the prior is Beta(1, 1), and what was seen decays towards it. */
  readonly alpha: number
  readonly beta: number
  /** How many outcomes it has seen, without decay. */
  readonly observations: number
  readonly updatedAt: number
}

/**
 * What some outcomes of one tool, in order, do to its state, whatever that is: `alpha = 1 + (alpha - 1) * decay + successes`, and the same of
 * beta. So several gateways can add to one row.
 */
export interface BetaShift {
  /** .955 to the power of the number of outcomes. */
  readonly decay: number
  /** Each decayed by those after it. */
  readonly successes: number
  readonly failures: number
  readonly observations: number
  readonly at: number
}

export const priorBeta: Omit<BetaState, 'updatedAt'> = { alpha: 1, beta: 1, observations: 0 }
