/**
 * Words and meaning in one number. Evidence is counted in words: 1 is one word of the request that a single tool holds, or
 * as many commoner ones as weigh the same. What the embedding says is added in the same coin:
 *
 *     evidence = words + weight * nearness          nearness: 0 unrelated, 1 as near as a request is to its tool
 *     semantic = 1 / (1 + e^-(bias + amount * ln(1 + evidence) + share * covered + rank * evidence / lead))
 *     covered  = evidence / (possible + weight), at most 1
 *
 * Within a request `semantic` only grows with the evidence, so it never changes the order; across requests it is the
 * probability that the tool is wanted, on any catalogue.
 */
interface Fusion {
  /** A tool that shares no word with the request counts from this nearness on. */
  readonly leastNearness: number
  evidence(words: number, nearness: number): number
  /** In (0, 1). */
  semantic(evidence: number, request: RequestEvidence): number
}

interface RequestEvidence {
  /** What a tool would have, in words, that says the whole request. */
  readonly possible: number
  /** What the first of all tools has. */
  readonly lead: number
}

/** With a model of what words mean, or without one. */
export type Basis = 'words' | 'meaning'

/**
 * From `training/fit-fusion.js`, on tools that the static model has not learned from. Weight: .7 to 1.4 are equal there
 * (NDCG@10 within .001), and 1 is also best with all-MiniLM-L6-v2. The rest is logistic regression on the first ten hits,
 * catalogues of 30, 200 and more tools, every catalogue counting the same; a third of the requests come from elsewhere, and
 * one in eight of the others has lost its tools, so that the best of nothing stays next to nothing. Expected calibration
 * error on the development sets, which had no part in it: .02 to .16, and there mostly because a request of theirs may want
 * several tools. Least nearness: .5 loses .004 there, and below .25 odd signs begin to find tools.
 */
const fitted: Readonly<
  Record<Basis, Readonly<Record<'weight' | 'leastNearness' | 'bias' | 'amount' | 'share' | 'rank', number>>>
> = {
  words: {
    weight: 0,
    leastNearness: Number.POSITIVE_INFINITY,
    bias: -10.1,
    amount: 5.89,
    share: 1.35,
    rank: 5.54,
  },
  meaning: { weight: 1, leastNearness: 0.35, bias: -12.72, amount: 3, share: 1.4, rank: 8.43 },
}

export function fuseSignals(basis: Basis): Fusion {
  const { weight, leastNearness, bias, amount, share, rank } = fitted[basis]
  return {
    leastNearness,
    evidence: (words, nearness) => words + weight * nearness,
    semantic(evidence, { possible, lead }) {
      const all = possible + weight
      const covered = all > 0 ? Math.min(1, evidence / all) : 0
      const place = lead > 0 ? Math.min(1, evidence / lead) : 0
      return 1 / (1 + Math.exp(-(bias + amount * Math.log(1 + evidence) + share * covered + rank * place)))
    },
  }
}
