/** The thresholds of one request. A snapshot is taken when it starts, so that all of it is judged alike. */
export interface Policy {
  /** A plan of an intent below this is no suggestion: the agent is asked to write the tasks. */
  readonly suggestThreshold: number
  /** A plan from here on is run without asking, where nothing is open and all of its tools are safe. */
  readonly executeThreshold: number
  /** Where they moved by how plans went: what moved them. */
  readonly breakdown?: PolicyBreakdown
}

export interface PolicyBreakdown {
  /** Workflow type, domain and complexity. */
  readonly context: string
  /** How many plans of this kind there ever were, and how many of the newest the shares are of. */
  readonly outcomes: number
  readonly seen: number
  readonly falsePositives: number
  readonly falseNegatives: number
  /** Of what was run or accepted; absent where nothing was. */
  readonly success?: number
}

/** Where both start by the design's execution modes, section 3. */
export const defaultPolicy: Policy = { suggestThreshold: 0.7, executeThreshold: 0.92 }
