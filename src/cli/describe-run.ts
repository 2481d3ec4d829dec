import { describeCounts, type ElementSum, sumElements } from '../execute/sum-elements.js'
import type { RunReport } from '../gateway/report-run.js'
import { writeOutUnseen } from '../gateway/write-out-unseen.js'
import { type Decision, isPending } from '../model/decision.js'
import { formatDuration } from '../model/format-duration.js'
import { isRunEnded, type TaskOutcome } from '../model/run.js'
import { coloursFor } from './colour.js'
import { describeDecision } from './describe-decision.js'
import { formatTable } from './format-table.js'
import type { Io } from './io.js'
import { terminalHint } from './terminal-hint.js'

/** Exit code of a command whose run waits for somebody: neither well nor badly ended. */
export const waitsForSomebody = 3

export function exitCodeOf({ status }: RunReport): number {
  if (status === 'complete') return 0
  return isRunEnded(status) ? 1 : waitsForSomebody
}

/** Its tasks, how it stands, and what somebody has to do. */
export function describeRun(run: RunReport, io: Io): string {
  const trouble = run.trouble === undefined ? [] : [`It stands still: ${run.trouble}`]
  return [
    taskTable(run, io.stdout.columns),
    '',
    `${run.status}  ${run.id}`,
    ...trouble,
    ...nextSteps(run, io),
  ].join('\n')
}

function taskTable(run: RunReport, width = 200): string {
  const sums = sumElements(run.tasks)
  const tasks = run.tasks.filter(({ parent }) => parent === undefined)
  const rows = tasks.flatMap((task) => [
    [
      task.id,
      task.tool,
      task.status,
      task.ms === undefined ? '' : formatDuration(task.ms),
      outcome(task, sums.get(task.id)),
    ],
    ...(sums.get(task.id)?.errors ?? []).map((error) => [
      `  ${error.id}`,
      '',
      '',
      '',
      writeOutUnseen(`${error.message} ${terminalHint(error)}`),
    ]),
  ])
  return formatTable(['TASK', 'TOOL', 'STATUS', 'TOOK', 'RESULT'], rows, width)
}

function outcome(task: TaskOutcome, sum: ElementSum | undefined): string {
  const elements = sum === undefined ? '' : `[${describeCounts(sum.counts)}] `
  if (task.error !== undefined)
    return writeOutUnseen(`${elements}${task.error.message} ${terminalHint(task.error)}`)
  if (task.result === undefined) return elements
  return writeOutUnseen(
    `${elements}${typeof task.result === 'string' ? task.result : JSON.stringify(task.result)}`,
  )
}

export function pendingOf({ decisions = [] }: RunReport): readonly Decision[] {
  return decisions.filter(isPending)
}

/** Never cut: the commands are there to be copied. */
function nextSteps(run: RunReport, io: Io): readonly string[] {
  if (isRunEnded(run.status)) return []
  const pending = pendingOf(run)
  if (pending.length === 0) return [...upcomingLines(run), ...goOn(run)]
  const asked = pending.map((decision) =>
    [describeDecision(decision, coloursFor(io, io.stdout), Date.now()), answerHint(decision)].join('\n'),
  )
  return ['', [...asked, ...answerAllHints(pending)].join('\n\n')]
}

export function answerHint({ id }: Decision): string {
  return `  approve with: pml approve ${id}\n  reject with:  pml reject ${id}`
}

/** For each run that asks several things. */
export function answerAllHints(pending: readonly Decision[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { runId } of pending) if (runId !== undefined) counts.set(runId, (counts.get(runId) ?? 0) + 1)
  return [...counts].flatMap(([run, count]) =>
    count > 1 ? [`All ${count} of run ${run} at once: pml approve ${run}, or: pml reject ${run}`] : [],
  )
}

function upcomingLines({ upcoming = [] }: RunReport): readonly string[] {
  if (upcoming.length === 0) return []
  const lines = upcoming.map(({ id, tool, arguments: args }) => `  ${id}  ${tool} ${JSON.stringify(args)}`)
  return ['', 'Next:', ...lines.map(writeOutUnseen)]
}

function goOn({ id, status }: RunReport): readonly string[] {
  return status === 'running' ? [] : [`Go on with: pml resume ${id}`, `End it with: pml abort ${id}`]
}
