/**
 * What points to a tool as the next one, by name, each with the weight it has before anything was learned. A score is the sum of
 * weight times signal, in log-odds; probabilities are its softmax.
 *
 * `mix` is the first papers' formula, clamped to 1: .6 cooccurrence + .3 community + .1 recency + .1 PageRank. Where nothing was
 * counted every other signal with a prior says the same of all tools, so the ranking is that mix.
 */
export const signalPriors = {
  /** 5: a mix of 1 against one of 0 is then 150 to 1, and .1 is 1.6 to 1. */
  mix: 5,
  cooccurrence: 0,
  community: 0,
  pagerank: 0,
  /** Log of the third order's share, which falls back to the shorter ones: 1 is taking it at its word. */
  history: 1,
  /** Shares of what came after the last 0 to 3 steps, each smoothed by the shorter one. */
  order0: 0,
  order1: 0,
  order2: 0,
  order3: 0,
  /**
   * The plain Markov chain of order 2, as it stands: share of what came after the last two steps, or else after fewer of them, and 1 for what
   * came most often. Smoothed shares alone lose to it where a set's steps are nearly settled.
   */
  chain: 0,
  chainFirst: 0,
  /** Smoothed shares where runs of one tool count as one step, and only of what ended a run. */
  onward1: 0,
  onward2: 0,
  onward3: 0,
  /** What came in sessions that had used the same tools, whenever that was, against all sessions: the mean over those tools. */
  alongside: 0,
  /** How often it was yet to come after the last tool, at whatever distance, against all sessions; the same where it was not used here yet. */
  yetToCome: 0,
  yetToComeFresh: 0,
  /** The last tool once more; how often a run of this length went on. */
  repeat: 0,
  run: 0,
  /** A tool from earlier in the session: how often such a one came back, how near it is, how often it was there. */
  again: 0,
  recency: 0,
  count: 0,
  /** Not in this session, in the project within 24 h. */
  lately: 0,
  /** What came after the last tool earlier in this very session. */
  session: 0,
  server: 0,
  /** Share of sessions with a like intent that used it: as such, where it was used here already, and against all sessions. */
  intent: 0,
  intentSeen: 0,
  intentLift: 0,
  intentFresh: 0,
  /** What came after the last tool in those: share, and against all sessions. */
  intentNext: 0,
  intentNextLift: 0,
  /**
   * What came after the last tool in sessions about the very same thing. Refit holds these out, so this weight stays as it is there: 4 takes
   * what always came then to 50 to 1.
   */
  recurs: 4,
  /** Not used in this session yet: what the words of the intent say for it, one by one. */
  words: 0,
  /** Words of its name that the intent says; the same where it was used here already. */
  named: 0,
  namedSeen: 0,
  /** The last tool failed, and is tried again. */
  retry: 0,
  /** The last tool failed: how often this one failed then, too. -3 takes a pair that always fails to a twentieth. */
  failures: -3,
} as const

export type SignalName = keyof typeof signalPriors

export const signalNames = Object.keys(signalPriors) as readonly SignalName[]

/** Place in a row of signals. */
export const placeOf = Object.fromEntries(signalNames.map((name, at) => [name, at])) as Readonly<
  Record<SignalName, number>
>

/**
 * What an intent or the whole history says for a tool never counts against it, whatever few samples seem to say: refit holds out a task as a whole, and where
 * tasks come again it would learn that like ones differ. The others may cancel one another: they say the same in several ways.
 */
const neverAgainst: ReadonlySet<SignalName> = new Set([
  'mix',
  'history',
  'alongside',
  'intent',
  'intentLift',
  'intentFresh',
  'intentNext',
  'intentNextLift',
  'recurs',
  'words',
  'named',
])

/** 20 settles everything: further out a weight would only need longer to come back. */
const farthest = 20

/** By place: what a weight starts from. */
export const priorWeights = Float64Array.from(signalNames, (name) => signalPriors[name])

/** By place: the least and the most that a weight may become. */
export const leastWeights = Float64Array.from(signalNames, (name) => (neverAgainst.has(name) ? 0 : -farthest))
export const mostWeights = Float64Array.from(signalNames, (name) => (name === 'failures' ? 0 : farthest))
