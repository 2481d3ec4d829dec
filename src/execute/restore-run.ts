import { isProgramTool } from '../model/capability.js'
import { isPending } from '../model/decision.js'
import type { TaskOutcome } from '../model/run.js'
import type { RunCommand } from '../model/run-command.js'
import type { StoredRun } from '../store/store.js'
import type { Beginning } from './beginning.js'
import { interrupted, isEnded, pendingAgain } from './outcomes.js'

export interface RestoreOptions {
  /** Whether a call of this outcome may be made again unasked. */
  isRepeatable(outcome: TaskOutcome): boolean
  /** Goes on only when somebody says so. */
  readonly isPaused: boolean
  readonly first?: RunCommand
}

/**
 * A run as another process left it -> where it goes on. What had ended stays. A call that was under way is made again where its tool
 * allows that; otherwise it is `interrupted`, and somebody has to say whether it is. A task done for each makes its elements
 * anew, from the same values: those that had ended are known. A program is begun anew, and finds the calls that it had made.
 */
export function restoreRun(stored: StoredRun, { isRepeatable, isPaused, first }: RestoreOptions): Beginning {
  const { run, plan, progress } = stored
  const planned = new Map(plan.tasks.map((task) => [task.id, task]))
  const changed: TaskOutcome[] = []
  const removed: string[] = []
  const repeated: string[] = []
  const cutOff: TaskOutcome[] = []

  /** A program asks for its calls again: those that have not ended wait for it. */
  const restoreCall = (outcome: TaskOutcome): readonly TaskOutcome[] => {
    if (outcome.status !== 'running') return [outcome]
    const isAgain = isProgramTool(outcome.tool) || isRepeatable(outcome)
    const restored = isAgain ? pendingAgain(outcome, outcome.arguments) : interrupted(outcome)
    if (isAgain) repeated.push(outcome.id)
    else cutOff.push(restored)
    changed.push(restored)
    return [restored]
  }
  const toolOf = new Map(run.tasks.map(({ id, tool }) => [id, tool]))
  const isProgramCall = ({ parent }: TaskOutcome): boolean => {
    const caller = parent === undefined ? undefined : toolOf.get(parent)
    return caller !== undefined && isProgramTool(caller) && planned.get(parent!)?.each === undefined
  }

  const restoreTask = (outcome: TaskOutcome): readonly TaskOutcome[] => {
    if (isProgramCall(outcome)) return restoreCall(outcome)
    const task = planned.get(outcome.parent ?? outcome.id)
    if (task === undefined || isEnded(outcome.status)) return [outcome]
    if (outcome.status === 'running') {
      const makesCalls =
        !isProgramTool(outcome.tool) && (outcome.parent !== undefined || task.each === undefined)
      if (makesCalls && !isRepeatable(outcome)) {
        cutOff.push(interrupted(outcome))
        changed.push(cutOff.at(-1)!)
        return [cutOff.at(-1)!]
      }
      repeated.push(outcome.id)
      if (outcome.parent === undefined) {
        changed.push(pendingAgain(outcome, task.arguments))
        return [changed.at(-1)!]
      }
    }
    if (outcome.parent === undefined || outcome.status === 'interrupted') return [outcome]
    removed.push(outcome.id)
    return []
  }

  const outcomes = run.tasks.flatMap(restoreTask)
  const decisions = run.decisions ?? []
  // Interrupted before, and its question lost its time: it is asked anew.
  const unasked = outcomes.filter(
    (outcome) =>
      outcome.status === 'interrupted' &&
      !cutOff.includes(outcome) &&
      !decisions.some((one) => one.taskId === outcome.id && isPending(one)),
  )
  return {
    plan,
    startedAt: run.startedAt,
    outcomes,
    decisions,
    progress: { ...progress, isPaused: progress.isPaused || isPaused },
    restored: {
      stored: { status: run.status, ...(run.endedAt !== undefined && { endedAt: run.endedAt }) },
      changed,
      removed,
      repeated,
      interrupted: [...cutOff, ...unasked],
      ...(first !== undefined && { first }),
    },
  }
}
