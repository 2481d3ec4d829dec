import type { ToolId } from '../../model/tool.js'

/** A session so far, as far as the next step hangs on it. */
export interface Trail {
  /** At most 200 of them. */
  readonly steps: readonly TrailStep[]
  /** All steps there were. */
  readonly length: number
  /** The last one; undefined before the first. */
  readonly tool: ToolId | undefined
  /** The last one failed. */
  readonly failed: boolean
  /** How often in a row the last one was called. */
  readonly run: number
  /** How often each was called, and the number of the step it was called at last, from 1. */
  readonly seen: ReadonlyMap<ToolId, { readonly count: number; readonly at: number }>
  /** The last so many tools, and `^` where the session had not begun. */
  last(count: number): readonly string[]
  /** The same where a run of one tool is one of them. */
  lastRuns(count: number): readonly string[]
  push(step: TrailStep): void
}

export interface TrailStep {
  readonly tool: ToolId
  readonly success: boolean
}

/** A session of a day: what was before says no more than history does. */
const mostSteps = 200

export function createTrail(): Trail {
  const steps: TrailStep[] = []
  const runs: ToolId[] = []
  const seen = new Map<ToolId, { count: number; at: number }>()
  let run = 0
  let taken = 0

  return {
    steps,
    seen,
    get length() {
      return taken
    },
    get tool() {
      return steps.at(-1)?.tool
    },
    get failed() {
      return steps.at(-1)?.success === false
    },
    get run() {
      return run
    },
    last: (count) => padded(count === 0 ? [] : steps.slice(-count).map(({ tool }) => tool), count),
    lastRuns: (count) => padded(count === 0 ? [] : runs.slice(-count), count),
    push(step) {
      run = step.tool === steps.at(-1)?.tool ? run + 1 : 1
      if (run === 1) runs.push(step.tool)
      if (runs.length > 3) runs.shift()
      steps.push(step)
      taken += 1
      seen.set(step.tool, { count: (seen.get(step.tool)?.count ?? 0) + 1, at: taken })
      if (steps.length > mostSteps) forgetFirst(steps, seen)
    },
  }
}

function forgetFirst(steps: TrailStep[], seen: Map<ToolId, { count: number; at: number }>): void {
  const { tool } = steps.shift()!
  const known = seen.get(tool)!
  if (known.count > 1) seen.set(tool, { ...known, count: known.count - 1 })
  else seen.delete(tool)
}

function padded(tools: readonly string[], count: number): readonly string[] {
  return [...Array.from({ length: count - tools.length }, () => '^'), ...tools]
}
