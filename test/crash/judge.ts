/** Compares what was told with what a later process says, and with the ledger. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Decision } from '../../src/model/decision.js'
import { canonicalJson, type Json } from '../../src/model/json.js'
import { isRunEnded, type Run, type TaskOutcome } from '../../src/model/run.js'
import { RefusedError, type TestGateway } from './gateway.js'
import { isRepeatable, type LedgerLine } from './ledger.js'
import { isOver, type KnownRun, type Memory } from './memory.js'

export interface Tally {
  runs: number
  calls: number
  tasksTold: number
  /** Calls made again unasked, of tools that allow it. */
  repeatedByRule: number
  /** Further calls of the other tools: how many were asked for, and how many were made. */
  repeatsAsked: number
  repeatsMade: number
  decisions: number
  decisionsSurvived: number
}

export const newTally = (): Tally => ({
  runs: 0,
  calls: 0,
  tasksTold: 0,
  repeatedByRule: 0,
  repeatsAsked: 0,
  repeatsMade: 0,
  decisions: 0,
  decisionsSurvived: 0,
})

/** To be asked of every new process, before it is told anything. */
export async function checkSurvival(gateway: TestGateway, memory: Memory, tally: Tally): Promise<void> {
  const { runs } = await gateway.get<{ runs: readonly Run[] }>('/api/runs?limit=1000')
  for (const { id, intent } of runs) memory.identify(intent, id)
  await checkDecisions(gateway, memory, tally)
  for (const run of memory.runs.values()) {
    if (run.id === undefined || (run.hasEnded && run.commands === 0)) continue
    // What is told while the answer is on its way may be newer than the answer.
    const told = new Map(run.told)
    const report = await findRun(gateway, run.id)
    if (report === undefined) {
      if (run.toldBy !== undefined)
        memory.violate('lost', run, '', `told (${run.toldBy}), and not there any more`)
      continue
    }
    checkTold(run, told, report, memory)
    checkExpected(run, report, memory)
    memory.seeRun(report)
    if (run.expected.isPaused) await checkPaused(gateway, run, memory)
  }
}

/** A run that was paused is not resumed by a crash: nothing of it goes on. */
async function checkPaused(gateway: TestGateway, run: KnownRun, memory: Memory): Promise<void> {
  let status: Run['status'] | undefined
  for (let attempt = 0; attempt < 200; attempt++) {
    status = (await findRun(gateway, run.id!))?.status
    if (status === 'paused' || status === undefined || isRunEnded(status)) return
    await sleep(25)
  }
  memory.violate('lost', run, '', `it was paused, and is ${status}`)
}

/** When every run has ended. */
export function judgeRun(
  run: KnownRun,
  report: Run | undefined,
  lines: ReadonlyMap<string, readonly LedgerLine[]>,
  memory: Memory,
  tally: Tally,
): void {
  if (report === undefined) {
    if (run.toldBy !== undefined)
      memory.violate('lost', run, '', `told (${run.toldBy}), and not there any more`)
    for (const [task, { token }] of run.calls)
      if (lines.has(token)) memory.violate('untrue', run, task, 'called for a run that was never stored')
    return
  }
  tally.runs++
  if (!isRunEnded(report.status))
    memory.violate('no end', run, '', `it is ${report.status}: ${describe(report)}`)
  checkTold(run, run.told, report, memory)
  checkExpected(run, report, memory)
  const outcomes = new Map(report.tasks.map((task) => [task.id, task]))
  for (const [task, { token, tool }] of run.calls) {
    const own = lines.get(token) ?? []
    const begun = own.filter(({ phase }) => phase === 'begin')
    tally.calls += begun.length
    checkCount(run, task, tool, begun, memory, tally)
    checkAfterTold(run, task, begun, memory)
    const outcome = outcomes.get(task)
    if (outcome === undefined) {
      if (begun.length > 0) memory.violate('lost', run, task, 'it was called, and the run does not know it')
    } else checkOutcome(run, outcome, own, memory)
  }
  tally.tasksTold += run.told.size
}

function checkCount(
  run: KnownRun,
  task: string,
  tool: string,
  begun: readonly LedgerLine[],
  memory: Memory,
  tally: Tally,
): void {
  const asked = run.repeats.get(task)?.size ?? 0
  const further = Math.max(0, begun.length - 1)
  const keys = new Set(begun.map(({ key }) => key))
  if (keys.size > 1 && asked === 0)
    memory.violate('duplicate', run, task, `${tool} was called with the keys ${[...keys].join(', ')}`)
  if (isRepeatable(tool)) tally.repeatedByRule += further
  else {
    tally.repeatsAsked += asked
    tally.repeatsMade += further
    if (further > asked)
      memory.violate(
        'duplicate',
        run,
        task,
        `${tool} was called ${begun.length} times, ${asked} repeats were asked for: ${JSON.stringify(begun)}`,
      )
  }
}

function checkAfterTold(run: KnownRun, task: string, begun: readonly LedgerLine[], memory: Memory): void {
  const told = run.told.get(task)
  if (told === undefined || (told.status !== 'complete' && run.isReopened)) return
  const late = begun.filter(({ at }) => at > told.at)
  if (late.length > 0)
    memory.violate(
      'run again',
      run,
      task,
      `told ${told.status} at ${told.at}, called at ${late.map(({ at }) => at)}`,
    )
}

/** What a run says of a task must be true. */
function checkOutcome(run: KnownRun, outcome: TaskOutcome, own: readonly LedgerLine[], memory: Memory): void {
  const { id, status, result, error } = outcome
  const ended = new Set(own.filter(({ phase }) => phase === 'end').map(({ call }) => call))
  if (status === 'complete' && error === undefined) {
    const { call } = (result ?? {}) as { call?: string }
    if (call === undefined || !ended.has(call))
      memory.violate(
        'untrue',
        run,
        id,
        `complete with ${JSON.stringify(result)}, and the ledger knows no such call`,
      )
  }
  if (error?.hint === 'It was not started.' && own.length > 0)
    memory.violate('untrue', run, id, `said to be not started, and was called: ${JSON.stringify(own)}`)
}

/** What was told complete is, with the same result; other ends hold unless somebody had it done again. */
function checkTold(run: KnownRun, told: KnownRun['told'], report: Run, memory: Memory): void {
  const outcomes = new Map(report.tasks.map((task) => [task.id, task]))
  for (const [task, { status, result }] of told) {
    if (status !== 'complete' && run.isReopened) continue
    const now = outcomes.get(task)
    const isSame =
      now?.status === status &&
      (status !== 'complete' || canonicalJson((now.result ?? null) as Json) === result)
    if (!isSame)
      memory.violate(
        'lost',
        run,
        task,
        `told ${status} ${result}; now ${now?.status} ${JSON.stringify(now?.result)}`,
      )
  }
}

/** Commands that were acknowledged were carried out, and are not undone by a crash. */
function checkExpected(run: KnownRun, report: Run, memory: Memory): void {
  const { skipped, tasks, isAborted } = run.expected
  const statusOf = (id: string) => report.tasks.find((task) => task.id === id)?.status
  for (const id of tasks)
    if (statusOf(id) === undefined) memory.violate('lost', run, id, 'it was injected, and is not there')
  for (const id of skipped) {
    const status = statusOf(id)
    if (status !== undefined && !isOver(status))
      memory.violate('lost', run, id, `it was skipped, and is ${status}`)
  }
  if (isAborted && report.status !== 'aborted')
    memory.violate('lost', run, '', `it was aborted, and is ${report.status}`)
}

async function checkDecisions(gateway: TestGateway, memory: Memory, tally: Tally): Promise<void> {
  const known = [...memory.decisions.values()].filter(({ isOver, acknowledged }) => !isOver || acknowledged)
  if (known.length === 0) return
  const list = (await gateway.get<{ decisions: readonly Decision[] }>('/api/decisions')).decisions
  const pending = new Map(list.map((decision) => [decision.id, decision]))
  for (const decision of known) {
    const { id, run, taskId, sent, acknowledged } = decision
    const now = pending.get(id)
    if (now !== undefined && acknowledged === undefined) {
      tally.decisionsSurvived++
      memory.seeDecision(now)
      continue
    }
    if (acknowledged === undefined && (sent !== undefined || run.mayWithdraw)) continue
    const found = now ?? (await findDecision(gateway, id))
    const verdict = found?.answer?.verdict
    if (found === undefined) memory.violate('decision lost', run, taskId, `${id} is not there any more`)
    else if (acknowledged === undefined)
      memory.violate('decision lost', run, taskId, `${id} waited for an answer, and has ${verdict}`)
    else if (verdict !== acknowledged)
      memory.violate(
        'decision lost',
        run,
        taskId,
        `${id}: ${acknowledged} was acknowledged, and it has ${verdict}`,
      )
    delete decision.acknowledged
    decision.isOver = true
  }
}

export async function findRun(gateway: TestGateway, id: string): Promise<Run | undefined> {
  try {
    return await gateway.get<Run>(`/api/runs/${id}`)
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'RUN_NOT_FOUND') return undefined
    throw error
  }
}

async function findDecision(gateway: TestGateway, id: string): Promise<Decision | undefined> {
  try {
    return await gateway.get<Decision>(`/api/decisions/${id}`)
  } catch (error) {
    if (error instanceof RefusedError) return undefined
    throw error
  }
}

function describe({ tasks, decisions = [] }: Run): string {
  const open = tasks.filter(({ status }) => !isOver(status)).map(({ id, status }) => `${id} ${status}`)
  const asked = decisions
    .filter(({ answer }) => answer === undefined)
    .map(({ id, taskId }) => `${id} (${taskId})`)
  return `open ${open.join(', ') || 'nothing'}; asked ${asked.join(', ') || 'nothing'}`
}
