/**
 * Words and meaning in one number. Evidence is counted in words: 1 is one word of the request that a single tool holds, or
 * as many commoner ones as weigh the same. What the embedding says is added in the same coin:
 *
 *     evidence = words + weight * nearness          nearness: 0 unrelated, 1 as near as a request is to its tool
 *     semantic = 1 / (1 + e^-(bias + amount * ln(1 + evidence) + share * covered))
 *     covered  = evidence / (possible + weight), at most 1
 *
 * `possible` is what a tool would have in words that says the whole request. Within a request `semantic` only grows with the
 * evidence, so it never changes the order; across requests it is the probability that the tool is wanted, on any catalogue.
 */
export interface Fusion {
  /** A tool that shares no word with the request counts from this nearness on. */
  readonly leastNearness: number
  evidence(words: number, nearness: number): number
  /** In (0, 1); `possible` is in words. */
  semantic(evidence: number, possible: number): number
}

/** What the embedding goes by: nothing beyond the words, their letters, or what they mean. */
export type Sees = 'words' | 'letters' | 'meaning'

/**
 * Weights: the best round ones by NDCG@10 on training sets; half or double loses less than .01. `meaning` was measured with
 * all-MiniLM-L6-v2; of those for `letters`, .05 to .2 are equal there, and .2 is best on the development sets. The rest is logistic regression on the first ten hits of requests from training sets, catalogues of 30,
 * 200 and 2,000 tools, every catalogue counting the same. Expected calibration error on the development sets, which had no
 * part in it: .03 to .15, and there mostly because a request of theirs may want several tools. Least nearness: letters meet by
 * chance, a model hardly ever.
 */
const fitted: Readonly<
  Record<Sees, Readonly<Record<'weight' | 'leastNearness' | 'bias' | 'amount' | 'share', number>>>
> = {
  words: { weight: 0, leastNearness: Number.POSITIVE_INFINITY, bias: -6.46, amount: 5.54, share: 4.91 },
  letters: { weight: 0.2, leastNearness: 1, bias: -6.89, amount: 5.43, share: 2.66 },
  meaning: { weight: 1, leastNearness: 0.5, bias: -6.91, amount: 3.24, share: 3.14 },
}

export function fuseSignals(sees: Sees): Fusion {
  const { weight, leastNearness, bias, amount, share } = fitted[sees]
  return {
    leastNearness,
    evidence: (words, nearness) => words + weight * nearness,
    semantic(evidence, possible) {
      const all = possible + weight
      const covered = all > 0 ? Math.min(1, evidence / all) : 0
      return 1 / (1 + Math.exp(-(bias + amount * Math.log(1 + evidence) + share * covered)))
    },
  }
}
