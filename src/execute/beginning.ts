import type { Decision } from '../model/decision.js'
import type { Plan } from '../model/plan.js'
import type { RunStatus, TaskOutcome } from '../model/run.js'
import type { RunCommand } from '../model/run-command.js'
import type { RunProgress } from '../model/run-state.js'
import { isEnded } from './outcomes.js'

/** Where a run begins, or goes on. */
export interface Beginning {
  readonly plan: Plan
  readonly startedAt: number
  /** Known already: what an earlier run did, or all of this one as another process left it (restore-run.ts). */
  readonly outcomes: readonly TaskOutcome[]
  readonly decisions: readonly Decision[]
  readonly progress: RunProgress
  /** Absent: it is a new one. */
  readonly restored?: Restored
}

export interface Restored {
  /** How it stands in the store. */
  readonly stored: { readonly status: RunStatus; readonly endedAt?: number }
  /** What is not as it was stored. */
  readonly changed: readonly TaskOutcome[]
  readonly removed: readonly string[]
  /** Tasks whose call was cut off, and is made again: approved is approved. */
  readonly repeated: readonly string[]
  /** Tasks whose call was cut off, and is made again only if somebody says so. */
  readonly interrupted: readonly TaskOutcome[]
  /** What it goes on with: of a run that had ended. */
  readonly first?: RunCommand
}

export function newBeginning(
  plan: Plan,
  options: {
    readonly now: number
    readonly caller: string
    readonly finished: readonly TaskOutcome[]
    readonly validateLayers: 'after' | 'before' | undefined
  },
): Beginning {
  const { validateLayers } = options
  return {
    plan,
    startedAt: options.now,
    outcomes: options.finished.filter(({ status }) => isEnded(status)),
    decisions: [],
    progress: {
      messages: [],
      context: { caller: options.caller },
      commands: [],
      isPaused: false,
      ...(validateLayers !== undefined && { openLayer: validateLayers === 'before' ? -1 : 0 }),
    },
  }
}
