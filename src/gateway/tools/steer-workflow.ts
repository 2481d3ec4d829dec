/** What `control_workflow` does to a run, an action each: told, carried out, and answered with the run as it is when it settles. */
import { BadArgumentsError, CommandRefusedError, RunNotFoundError } from '../../errors.js'
import type { RunHandle } from '../../execute/runs.js'
import { isPending, type Verdict } from '../../model/decision.js'
import { isRunEnded, type Run } from '../../model/run.js'
import type { RunCommand } from '../../model/run-command.js'
import type { ResolveTool } from '../resolve-tool.js'
import { planWhenKnown } from './execute-workflow.js'
import { withinReply } from './late-command.js'
import type { Caller } from './meta-tool.js'
import { actionsIn } from './next-steps.js'
import type { ReplanWorkflowDeps } from './replan-workflow.js'
import { followRun } from './run-for-caller.js'
import { type RunView, viewOf, viewOfStored } from './run-view.js'

export interface SteerDeps extends ReplanWorkflowDeps {
  readonly resolve: ResolveTool
}

/**
 * The run as it is; to look at one that another process left takes nothing up. What it waits for is asked of the person behind the
 * client, whose answer this does not wait for.
 */
export async function lookAtWorkflow(id: string, caller: Caller, deps: SteerDeps): Promise<RunView> {
  const handle = deps.runs.underWay(id)
  if (handle === undefined) return viewOfStored(await findRun(id, deps), deps.runs)
  void deps.desk.questions.ask(handle, caller.client)
  return viewOf(handle)
}

export async function steerWorkflow(
  id: string,
  command: RunCommand,
  caller: Caller,
  deps: SteerDeps,
): Promise<RunView> {
  deps.desk.lines.redirect(id, caller.client)
  const told = await withinReply(send(id, command, deps), command.type, id, deps)
  return 'late' in told ? told.late : followRun(told.done, caller, deps)
}

/** To take up what another process left is to resume it, also where it turns out to wait for something else. */
export async function resumeWorkflow(id: string, caller: Caller, deps: SteerDeps): Promise<RunView> {
  const wasLeft = deps.runs.underWay(id) === undefined
  try {
    return await steerWorkflow(id, { type: 'resume' }, caller, deps)
  } catch (error) {
    const handle = wasLeft && error instanceof CommandRefusedError ? deps.runs.underWay(id) : undefined
    if (handle === undefined) throw error
    return followRun(handle, caller, deps)
  }
}

/** What is under way ends by itself, which may take a while: it is not waited for. */
export async function pauseWorkflow(id: string, deps: SteerDeps): Promise<RunView> {
  const told = await withinReply(send(id, { type: 'pause' }, deps), 'pause', id, deps)
  return 'late' in told ? told.late : viewOf(told.done)
}

/** What has ended stays as it ended. */
export async function abortWorkflow(id: string, reason: string, deps: SteerDeps): Promise<RunView> {
  const run = await findRun(id, deps)
  if (isRunEnded(run.status)) return viewOfStored(run, deps.runs)
  const ended = send(id, { type: 'abort', reason }, deps).then(async (handle) => {
    await handle.settled()
    return handle
  })
  const told = await withinReply(ended, 'abort', id, deps)
  return 'late' in told ? told.late : viewOf(told.done)
}

type TaskCommand = Extract<RunCommand, { readonly task: string }>

export async function steerTask(
  id: string,
  command: TaskCommand,
  caller: Caller,
  deps: SteerDeps,
): Promise<RunView> {
  const { tasks } = await findRun(id, deps)
  if (!tasks.some((task) => task.id === command.task)) throw noSuchTask(id, command.task, tasks)
  return steerWorkflow(id, command, caller, deps)
}

/** Planned as any others, but that they may build on the tasks of the run. */
export async function injectTasks(
  id: string,
  given: unknown,
  caller: Caller,
  deps: SteerDeps,
): Promise<RunView> {
  const run = await findRun(id, deps)
  const earlier = new Set(run.tasks.flatMap((task) => (task.parent === undefined ? task.id : [])))
  const { tasks } = await planWhenKnown(given, undefined, deps, earlier)
  return steerWorkflow(id, { type: 'inject', tasks }, caller, deps)
}

export interface AgentAnswer {
  readonly verdict: Verdict
  /** May be left out where only one waits. */
  readonly decision: string | undefined
  readonly reason: string | undefined
}

export async function answerAsAgent(
  id: string,
  { verdict, decision, reason }: AgentAnswer,
  caller: Caller,
  deps: SteerDeps,
): Promise<RunView> {
  const run = await findRun(id, deps)
  const chosen = decision ?? onlyPending(run)
  if (!run.decisions?.some((one) => one.id === chosen)) throw notOfThisRun(run, chosen)
  deps.desk.lines.redirect(id, caller.client)
  const answer = { verdict, by: 'agent', ...(reason !== undefined && { reason }) } as const
  const told = await withinReply(deps.runs.decide(chosen, answer), verdict, id, deps)
  if ('late' in told) return told.late
  const handle = await deps.runs.open(id)
  if (handle === undefined) return viewOfStored(await findRun(id, deps), deps.runs)
  return followRun(handle, caller, deps)
}

async function findRun(id: string, { runs }: SteerDeps): Promise<Run> {
  const run = await runs.find(id)
  if (run === undefined) throw new RunNotFoundError(id)
  return run
}

/** A refusal says what the state is and what works in it. */
async function send(id: string, command: RunCommand, { runs }: SteerDeps): Promise<RunHandle> {
  try {
    return await runs.send(id, command)
  } catch (error) {
    const run = error instanceof CommandRefusedError ? await runs.find(id) : undefined
    if (run === undefined) throw error
    const { message } = error as CommandRefusedError
    const state = message.includes(run.status) ? message : `${message} The workflow is ${run.status}.`
    throw new CommandRefusedError(id, state, `What works now: ${actionsIn[run.status]}.`)
  }
}

const mostNamed = 20

function noSuchTask(id: string, task: string, tasks: Run['tasks']): CommandRefusedError {
  const known = tasks.filter(({ parent }) => parent === undefined).map((one) => `${one.id} (${one.status})`)
  const more = known.length > mostNamed ? ` and ${known.length - mostNamed} more` : ''
  return new CommandRefusedError(
    id,
    `The workflow has no task ${JSON.stringify(task.slice(0, 100))}.`,
    `Its tasks: ${known.slice(0, mostNamed).join(', ')}${more}.`,
  )
}

/** @throws where none waits, or several do. */
function onlyPending(run: Run): string {
  const pending = (run.decisions ?? []).filter(isPending)
  const [first, ...others] = pending
  if (first === undefined) throw nothingWaits(run)
  if (others.length === 0) return first.id
  const list = pending.slice(0, mostNamed).map(({ id, taskId, tool }) => `${id} (${taskId ?? tool})`)
  throw new BadArgumentsError('control_workflow', [
    { path: '/decision', expected: `the id of one of ${pending.length} that wait: ${list.join(', ')}` },
  ])
}

function nothingWaits(run: Run): CommandRefusedError {
  return new CommandRefusedError(
    run.id,
    `Nothing in this workflow waits for an answer. It is ${run.status}.`,
    `What works now: ${actionsIn[run.status]}.`,
  )
}

function notOfThisRun(run: Run, decision: string): CommandRefusedError {
  const pending = (run.decisions ?? []).filter(isPending).map(({ id }) => id)
  return new CommandRefusedError(
    run.id,
    `Decision ${JSON.stringify(decision.slice(0, 100))} is not of this workflow.`,
    pending.length === 0 ? 'Nothing in it waits for an answer.' : `What waits: ${pending.join(', ')}.`,
  )
}
