import type { CallWeights } from './call-predictor.js'

/** What can be said before any session was seen: likelier values and tools are likelier calls, and what was just made is not made again. */
export const plainPriors: CallWeights = {
  arguments: { best: 1, together: 1, weakest: 0.5, madeLast: -3, made: -1, oneRow: 1, set: 1, other: -1.5 },
  base: { tool: 0.7, share: 0.7 },
  ledger: { base: 1 },
}
