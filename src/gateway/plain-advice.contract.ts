import { defaultPolicy } from '../model/policy.js'
import type { Threshold } from '../model/threshold.js'
import type { Advice } from './advice.js'

const plainThreshold: Threshold = {
  value: 0.7,
  breakdown: {
    mode: 'active_search',
    risk: 'moderate',
    base: 0.7,
    successTerm: 0,
    alphaTerm: 0,
    episodicBoost: 0,
    sum: 0.7,
    bounds: [0.4, 0.85],
    alpha: 1,
    beta: { alpha: 1, beta: 1, observations: 0 },
    episodes: { count: 0, successRate: 0 },
  },
}

/** Of a gateway that has learned nothing and learns nothing. */
export const plainAdvice: Advice = {
  judgeHits: ({ hits }) => hits.map(() => plainThreshold),
  policyFor: () => defaultPolicy,
  planJudged() {},
  runStarted() {},
  runEnded() {},
  callEnded() {},
  callRejected() {},
  likelyNext: () => [],
  endSession() {},
}
