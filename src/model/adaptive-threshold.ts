/** Where suggestions and runs start, for one kind of request; moved by how plans of that kind went. */
export interface AdaptiveThreshold {
  /** Workflow type, domain and complexity: `read|files|1`. */
  readonly context: string
  readonly suggest: number
  readonly execute: number
  /** The newest outcomes, at most 50, oldest first. */
  readonly window: readonly PlanOutcome[]
  /** All outcomes there ever were: it is evaluated again at every tenth. */
  readonly outcomes: number
  readonly updatedAt: number
}

/**
 * `true-positive`: run or accepted, and it worked. `false-positive`: run or accepted, and it failed or was rejected. `false-negative`: it was
 * below the threshold, and the agent then ran the same with success. `true-negative`: below, and nothing of it was run.
 */
export type PlanOutcome = 'true-positive' | 'false-positive' | 'false-negative' | 'true-negative'
