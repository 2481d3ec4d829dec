/**
 * A command -> what carries it out, or why that makes no sense for the run as it is. Everything is looked at here and before anything
 * is done, so that a refused command has changed nothing; what is done is the run's own (run-plan.ts).
 */
import { CommandRefusedError, DecisionNotFoundError } from '../errors.js'
import type { Decision } from '../model/decision.js'
import type { Plan, PlannedTask } from '../model/plan.js'
import type { RunStatus, TaskOutcome } from '../model/run.js'
import type { RunCommand } from '../model/run-command.js'
import { answerDecision } from './answer-decision.js'
import { isEnded } from './outcomes.js'
import { readModified } from './read-modified.js'

/** A run, as far as commands may see it and do something with it. */
export interface Steered {
  runId(): string
  plan(): Plan
  status(): RunStatus
  isPaused(): boolean
  isLayerDone(): boolean
  outcome(id: string): TaskOutcome | undefined
  elementsOf(task: string): readonly (TaskOutcome | undefined)[]
  decision(id: string): Decision | undefined
  pendingDecision(task: string): Decision | undefined
  now(): number
  pause(): void
  goOn(through: boolean): void
  abort(reason: string): void
  add(tasks: readonly PlannedTask[], requirement: string | undefined): void
  skip(outcomes: readonly TaskOutcome[], reason: string | undefined): void
  doAgain(task: PlannedTask): void
  modify(task: PlannedTask): void
  takeAnswer(decision: Decision): void
  /** An answer that was not taken. */
  keepRefusal(decision: Decision): void
}

type Command<Type extends RunCommand['type']> = Extract<RunCommand, { type: Type }>

/** @throws PmlError */
export function prepareCommand(command: RunCommand, run: Steered): () => void {
  switch (command.type) {
    case 'pause':
      return () => run.pause()
    case 'resume':
      return prepareGoOn(false, run)
    case 'continue':
      return prepareGoOn(command.through === true, run)
    case 'abort':
      return () => run.abort(command.reason)
    case 'inject':
      return prepareAdd(command.tasks, undefined, run)
    case 'replan':
      return prepareAdd(command.tasks, command.requirement, run)
    case 'skip':
      return prepareSkip(command, run)
    case 'retry':
      return prepareRetry(command, run)
    case 'modify':
      return prepareModify(command, run)
    case 'decide':
      return prepareDecide(command, run)
  }
}

function prepareGoOn(through: boolean, run: Steered): () => void {
  if (!run.isPaused() && !run.isLayerDone() && !through && run.status() !== 'running')
    throw refused(
      run,
      `Nothing waits to go on: the workflow is ${run.status()}.`,
      'Answer its decisions first: approve, reject, or skip the task.',
    )
  return () => run.goOn(through)
}

function prepareAdd(
  tasks: readonly PlannedTask[],
  requirement: string | undefined,
  run: Steered,
): () => void {
  const known = new Set(run.plan().tasks.map(({ id }) => id))
  for (const { id, dependsOn } of tasks) {
    if (known.has(id)) throw refused(run, `There is a task "${id}" already.`, 'Give the new task another id.')
    const missing = dependsOn.find((one) => !known.has(one))
    if (missing !== undefined) throw noTask(missing, run)
    known.add(id)
  }
  return () => run.add(tasks, requirement)
}

function prepareSkip({ task: id, reason }: Command<'skip'>, run: Steered): () => void {
  const outcome = outcomeOf(id, run)
  if (isEnded(outcome.status))
    throw refused(run, `Task "${id}" has ended: it is ${outcome.status}.`, 'What has ended stays.')
  const open = run.elementsOf(id).filter((one) => one !== undefined && !isEnded(one.status))
  return () => run.skip([...(open as TaskOutcome[]), outcome], reason)
}

function prepareRetry({ task: id }: Command<'retry'>, run: Steered): () => void {
  const outcome = outcomeOf(id, run)
  if (outcome.status === 'interrupted') {
    const asked = run.pendingDecision(id)!
    const answer = { verdict: 'approve', by: 'agent', at: run.now() } as const
    return prepareDecide({ type: 'decide', decision: asked.id, answer }, run)
  }
  if (outcome.parent !== undefined)
    throw refused(
      run,
      `"${id}" is one place of "${outcome.parent}".`,
      `Retry "${outcome.parent}": what went well is not done again.`,
    )
  if (!isEnded(outcome.status) || outcome.status === 'complete')
    throw refused(
      run,
      `Task "${id}" cannot be done again: it is ${outcome.status}.`,
      'retry is for tasks that failed, were skipped or were cut off.',
    )
  return () => run.doAgain(plannedOf(id, run))
}

function prepareModify({ task: id, arguments: args }: Command<'modify'>, run: Steered): () => void {
  const { status, parent } = outcomeOf(id, run)
  if (parent !== undefined || status === 'running' || status === 'complete')
    throw refused(
      run,
      `The arguments of "${id}" cannot be changed: it is ${parent === undefined ? status : `one place of ${parent}`}.`,
      'modify is for tasks that are not under way and have not ended well.',
    )
  const asked = run.pendingDecision(id)
  if (asked?.kind === 'repeat' && asked.answeredBy === 'human')
    throw refused(
      run,
      `"${id}" was cut off and may have taken effect: a person has to say what becomes of it.`,
      `pml approve ${asked.id} or pml reject ${asked.id}`,
    )
  const cutOff = run.elementsOf(id).find((one) => one?.status === 'interrupted')
  if (cutOff !== undefined)
    throw refused(
      run,
      `"${cutOff.id}" was cut off and may have taken effect: first somebody has to say what becomes of it.`,
      `Approve that it is called again, reject that, or skip "${cutOff.id}".`,
    )
  const task = readModified(plannedOf(id, run), args, run.plan().tasks)
  return () => run.modify(task)
}

function prepareDecide({ decision: id, answer }: Command<'decide'>, run: Steered): () => void {
  const decision = run.decision(id)
  if (decision === undefined) throw new DecisionNotFoundError(id)
  const answered = answerDecision(decision, answer)
  if ('same' in answered) return () => {}
  if ('taken' in answered) return () => run.takeAnswer(answered.taken)
  // That it was given is kept, and where it came too late its time is over.
  const isOver = decision.answer === undefined && answered.decision.answer !== undefined
  if (isOver) run.takeAnswer(answered.decision)
  else run.keepRefusal(answered.decision)
  throw answered.refused
}

function plannedOf(id: string, run: Steered): PlannedTask {
  return run.plan().tasks.find((task) => task.id === id)!
}

function outcomeOf(id: string, run: Steered): TaskOutcome {
  const outcome = run.outcome(id)
  if (outcome === undefined) throw noTask(id, run)
  return outcome
}

const mostNamed = 20

function noTask(id: string, run: Steered): CommandRefusedError {
  const ids = run.plan().tasks.map((task) => task.id)
  const named = ids.slice(0, mostNamed).join(', ')
  const more = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : ''
  return refused(run, `The workflow has no task "${id}".`, `Its tasks are: ${named}${more}.`)
}

function refused(run: Steered, message: string, hint: string): CommandRefusedError {
  return new CommandRefusedError(run.runId(), message, hint)
}
