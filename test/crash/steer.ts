/** What clients and people do to runs: answers through every door, commands of every kind, at any moment. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Decision, isPending, type Verdict } from '../../src/model/decision.js'
import { isRunEnded, type Run, type TaskOutcome } from '../../src/model/run.js'
import { type House, pmlBin } from '../harness.js'
import { GoneError, RefusedError, type TestGateway } from './gateway.js'
import { findRun } from './judge.js'
import { isOver, type KnownDecision, type KnownRun, type Memory } from './memory.js'
import { makeInjected, pick, type Random } from './workflows.js'

export interface Steering {
  readonly house: House
  readonly gateway: TestGateway
  readonly memory: Memory
  readonly random: Random
  /** Everything is to come to its end: nothing is held up, and nothing is begun. */
  readonly isCalm: boolean
  count(what: string): void
}

/** One look at a run, and what one does then. False: it has ended. @throws GoneError */
export async function steerRun(run: KnownRun, steering: Steering): Promise<boolean> {
  const { gateway, memory, random, isCalm } = steering
  const report = run.id === undefined ? undefined : await findRun(gateway, run.id)
  if (report === undefined) return false
  memory.seeRun(report)
  if (isRunEnded(report.status)) {
    if (isCalm || random() < 0.7) return false
    return openAgain(run, report, steering)
  }
  const pending = (report.decisions ?? []).filter(isPending)
  if (pending.length > 0 && (isCalm || random() < 0.6)) await answer(pick(pending, random), steering)
  else if (report.status === 'paused') await command(run, 'resume', {}, steering)
  else if (report.status === 'layer_complete')
    await command(run, 'continue', random() < 0.3 || isCalm ? { mode: 'run' } : {}, steering)
  else if (!isCalm) await disturb(run, report, steering)
  return true
}

async function openAgain(run: KnownRun, report: Run, steering: Steering): Promise<boolean> {
  const bad = report.tasks.filter(({ parent, status }) => parent === undefined && status === 'failed')
  if (bad.length === 0) return false
  await mend(run, pick(bad, steering.random), steering)
  return true
}

/** A task that failed: again as it is, or with arguments that do not fail. */
async function mend(run: KnownRun, task: TaskOutcome, steering: Steering): Promise<void> {
  const call = run.calls.get(task.id)
  const isModified = call !== undefined && steering.random() < 0.6
  const args = isModified ? { task: task.id, arguments: { token: call.token } } : { task: task.id }
  await again(run, task.id, isModified ? 'modify' : 'retry', args, steering)
}

async function disturb(run: KnownRun, report: Run, steering: Steering): Promise<void> {
  const { random } = steering
  const own = report.tasks.filter(({ parent }) => parent === undefined)
  const open = own.filter(({ status }) => !isOver(status))
  const failed = own.filter(({ status }) => status === 'failed')
  const interrupted = report.tasks.find(({ status }) => status === 'interrupted')
  const dice = random()
  if (interrupted !== undefined && dice < 0.4) return retryInterrupted(run, interrupted, report, steering)
  if (failed.length > 0 && dice < 0.3) return mend(run, pick(failed, random), steering)
  if (dice < 0.25) return void (await command(run, 'pause', {}, steering))
  if (dice < 0.4 && open.length > 0) return skip(run, pick(open, random).id, steering)
  if (dice < 0.6) return inject(run, own, steering)
  if (dice < 0.63) return abort(run, steering)
}

async function retryInterrupted(
  run: KnownRun,
  task: TaskOutcome,
  report: Run,
  steering: Steering,
): Promise<void> {
  const asked = report.decisions?.find((one) => one.taskId === task.id && isPending(one))
  if (asked === undefined || asked.answeredBy === 'human') return
  const known = steering.memory.decisions.get(asked.id)!
  if (known.sent === 'reject') return
  steering.memory.sendAnswer(known, 'approve')
  await command(run, 'retry', { task: task.id }, steering)
}

async function skip(run: KnownRun, task: string, steering: Steering): Promise<void> {
  run.mayWithdraw = true
  if ((await command(run, 'skip', { task }, steering))?.isAlone) run.expected.skipped.add(task)
}

async function inject(run: KnownRun, own: readonly TaskOutcome[], steering: Steering): Promise<void> {
  const { random } = steering
  const id = `more${run.commands}`
  if (own.length > 20 || run.calls.has(id)) return
  const dependsOn = random() < 0.5 ? [pick(own, random).id] : []
  const { task, call } = makeInjected(run.workflow.name, id, dependsOn, random)
  run.calls.set(id, call)
  run.expected.isAborted = false
  const done = await command(run, 'inject', { tasks: [task] }, steering)
  if (done !== undefined && done.status !== notTold) run.expected.tasks.add(id)
}

async function abort(run: KnownRun, steering: Steering): Promise<void> {
  run.mayWithdraw = true
  // What had ended meanwhile stays as it ended.
  const done = await command(run, 'abort', {}, steering)
  if (done?.isAlone && done.status === 'aborted') run.expected.isAborted = true
}

async function again(
  run: KnownRun,
  task: string,
  action: 'retry' | 'modify',
  args: object,
  steering: Steering,
): Promise<void> {
  const takeBack = steering.memory.sendAgain(run, task)
  run.expected.skipped.clear()
  run.expected.isAborted = false
  if ((await command(run, action, args, steering)) === undefined) takeBack()
}

interface Done {
  readonly status: string
  /** No other command was under way: what this one did stands until the next. */
  readonly isAlone: boolean
}

/** Carried out, and told so. Undefined: refused. @throws GoneError: nobody knows */
async function command(
  run: KnownRun,
  action: string,
  args: object,
  steering: Steering,
): Promise<Done | undefined> {
  const number = ++run.commands
  const isFirst = run.underWay++ === 0
  run.hasEnded = false
  run.expected.isPaused = false
  steering.count(action)
  try {
    const status = await sendCommand(run, action, args, steering)
    const isAlone = isFirst && run.commands === number && status !== notTold
    if (isAlone) run.expected.isPaused = action === 'pause'
    return { status, isAlone }
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    return undefined
  } finally {
    run.underWay--
  }
}

async function sendCommand(
  run: KnownRun,
  action: string,
  args: object,
  { gateway, memory, random }: Steering,
): Promise<string> {
  if (random() < 0.3 && apiCommands.has(action)) {
    const command = { type: action, ...args, ...('mode' in args && { through: true }) }
    const report = await gateway.post<Run>(`/api/runs/${run.id}/command`, { command })
    memory.seeRun(report)
    return report.status
  }
  const reply = await gateway.call('control_workflow', { workflow_id: run.id, action, ...args })
  memory.seeReply(run, reply)
  return reply.stored === false ? notTold : String(reply.status)
}

/** The reply says that the command may not be stored yet: it may be carried out, or be lost. */
const notTold = 'not stored'

const apiCommands: ReadonlySet<string> = new Set([
  'pause',
  'resume',
  'continue',
  'skip',
  'retry',
  'modify',
  'abort',
])

async function answer(decision: Decision, steering: Steering): Promise<void> {
  const { gateway, memory, random, house } = steering
  const known = memory.decisions.get(decision.id)!
  // Who has answered once stays with it.
  const verdict = known.sent ?? (random() < 0.75 ? 'approve' : 'reject')
  const isForPeople = decision.answeredBy === 'human' && verdict === 'approve'
  if (isForPeople && random() < 0.1) return tryAsAgent(decision, known, steering)
  memory.sendAnswer(known, verdict)
  const dice = random()
  if (dice < 0.05) {
    if (await answerByCommand(house, decision.id, verdict, memory)) acknowledge(known, verdict)
    return
  }
  const doors = [
    () => gateway.post(`/api/decisions/${decision.id}`, { verdict }),
    () =>
      gateway.call('control_workflow', { workflow_id: known.run.id, action: verdict, decision: decision.id }),
  ]
  const door = isForPeople || dice < 0.5 ? doors[0]! : doors[1]!
  const times = dice < 0.9 ? 1 : 2
  steering.count(verdict)
  const sent = await Promise.allSettled(Array.from({ length: times }, door))
  for (const one of sent) {
    if (one.status === 'fulfilled') {
      if ((one.value as { readonly stored?: boolean }).stored !== false) acknowledge(known, verdict)
    } else if (one.reason instanceof GoneError) throw one.reason
  }
}

function acknowledge(decision: KnownDecision, verdict: Verdict): void {
  decision.acknowledged = verdict
}

/** An agent cannot approve what a person has to. */
async function tryAsAgent(decision: Decision, known: KnownDecision, steering: Steering): Promise<void> {
  const { gateway, memory } = steering
  steering.count('approve by the agent')
  try {
    const args = { workflow_id: known.run.id, action: 'approve', decision: decision.id }
    const { stored } = await gateway.call('control_workflow', args)
    if (known.sent === undefined && stored !== false)
      memory.violate(
        'untrue',
        known.run,
        known.taskId,
        `the agent approved ${decision.id}, which is for a person`,
      )
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
  }
}

/** `pml approve`, with a gateway or without one: then the run goes on in that very process, until it settles. */
export async function answerByCommand(
  house: House,
  id: string,
  verdict: Verdict,
  memory: Memory,
): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [pmlBin, verdict, id, '--json', '--config', house.config],
      { env: house.env, cwd: house.home },
    )
    const told = JSON.parse(stdout) as { runs: readonly Run[]; answers: readonly { decision?: Decision }[] }
    for (const run of told.runs) memory.seeRun(run)
    return told.answers.length === 1 && told.answers[0]!.decision !== undefined
  } catch {
    return false
  }
}
