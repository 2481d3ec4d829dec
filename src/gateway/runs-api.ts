import { CommandRefusedError, RunNotFoundError, UsageError } from '../errors.js'
import type { RunHandle } from '../execute/runs.js'
import { isObject, type JsonObject } from '../model/json.js'
import type { Redact } from '../model/redact.js'
import { isRunEnded, type Run, type RunSummary } from '../model/run.js'
import type { RunCommand } from '../model/run-command.js'
import type { RunEvent, WaitingStatus } from '../model/run-event.js'
import { withinMs } from '../model/within-ms.js'
import { type RunReport, reportOwnRun, reportRun } from './report-run.js'
import type { GatewayRuns } from './runs.js'

/** Runs for the command line and the page. A run may be named by the beginning of its id. */
export interface RunsDeps {
  readonly runs: GatewayRuns
  readonly redact: Redact
}

export const mostRuns = 1_000

/** A run in the list. */
export interface ListedRun extends RunSummary {
  /** It is stored as going on, and does not in this gateway: the one that ran it is gone, or is that of another data directory. */
  readonly isElsewhere?: true
}

export async function listRuns(limit: number, { runs, redact }: RunsDeps): Promise<readonly ListedRun[]> {
  const list = await runs.list(limit)
  return list.map(({ intent, ...run }) => ({
    ...run,
    ...(intent !== undefined && { intent: redact(intent) }),
    ...(run.status === 'running' && runs.underWay(run.id) === undefined && { isElsewhere: true }),
  }))
}

/** Looking takes nothing up. @throws RunNotFoundError, UsageError */
export async function showRun(named: string, deps: RunsDeps): Promise<RunReport> {
  const run = await findRun(named, deps)
  return reportRun(run, deps.runs.underWay(run.id), deps.redact)
}

/** @throws RunNotFoundError, UsageError, CommandRefusedError */
export async function tellRun(named: string, body: JsonObject, deps: RunsDeps): Promise<RunReport> {
  const command = readCommand(body.command)
  const { id } = await findRun(named, deps)
  const handle = await deps.runs.send(id, command)
  return reportRun(handle.current(), handle, deps.redact)
}

/** Takes up what waits for no decision, and gives the run when it settles. @throws RunNotFoundError, CommandRefusedError */
export async function resumeRun(named: string, gone: AbortSignal, deps: RunsDeps): Promise<RunReport> {
  const { id, status } = await findRun(named, deps)
  const handle = isRunEnded(status) ? undefined : await deps.runs.open(id)
  if (handle === undefined)
    throw new CommandRefusedError(
      id,
      `The workflow has ended: ${status}.`,
      'A task of it can be done again: control_workflow retry.',
    )
  const now = handle.current().status
  if (now === 'paused') await handle.send({ type: 'resume' })
  if (now === 'layer_complete') await handle.send({ type: 'continue' })
  return settledReport(handle, gone, deps)
}

export interface FollowOptions {
  /** Absent: until it settles. */
  readonly withinMs?: number
  /** The run is the client's own: it ends when the client goes away. */
  readonly abortIfGone: boolean
}

/** Gives the run when it settles, or as it is when time is up. @throws RunNotFoundError, UsageError */
export async function followRun(
  named: string,
  options: FollowOptions,
  gone: AbortSignal,
  deps: RunsDeps,
): Promise<RunReport> {
  const run = await findRun(named, deps)
  const handle = deps.runs.underWay(run.id)
  if (handle === undefined) return reportOwnRun(run, undefined, deps.redact)
  if (options.abortIfGone) abortWhen(gone, handle)
  if (options.withinMs === undefined) return settledReport(handle, gone, deps)
  await withinMs(handle.settled(), options.withinMs, undefined)
  return reportOwnRun(handle.current(), handle, deps.redact)
}

/** Nobody is left to tell once the client has gone. */
export async function settledReport(
  handle: RunHandle,
  gone: AbortSignal,
  { redact }: Pick<RunsDeps, 'redact'>,
): Promise<RunReport> {
  await Promise.race([handle.settled(), aborted(gone)])
  return reportOwnRun(handle.current(), handle, redact)
}

export function abortWhen(gone: AbortSignal, handle: RunHandle): void {
  const abort = (): void => handle.abort('The command was interrupted.')
  if (gone.aborted) abort()
  else gone.addEventListener('abort', abort, { once: true })
}

/** The first event is told when the run is stored. */
export async function firstEvent(handle: RunHandle, gone: AbortSignal): Promise<void> {
  await Promise.race([handle.events[Symbol.asyncIterator]().next(), aborted(gone)])
}

/** From the first one on; of a run that is not under way here, what is known of it. @throws RunNotFoundError, UsageError */
export async function runEvents(named: string, deps: RunsDeps): Promise<AsyncIterable<RunEvent>> {
  const run = await findRun(named, deps)
  return deps.runs.underWay(run.id)?.events ?? eventsOfStored(run)
}

async function* eventsOfStored(run: Run): AsyncGenerator<RunEvent, void> {
  if (isRunEnded(run.status)) {
    yield { type: 'run-end', run }
    return
  }
  yield { type: 'run-start', run }
  // One that is stored as going on has not paused: its gateway went away, and it may be taken up any moment.
  if (run.status !== 'running')
    yield { type: 'run-pause', runId: run.id, status: run.status as WaitingStatus }
}

async function findRun(named: string, { runs }: RunsDeps): Promise<Run> {
  const exact = await runs.find(named)
  if (exact !== undefined) return exact
  const ids = (await runs.list(mostRuns)).flatMap(({ id }) => (id.startsWith(named) ? [id] : []))
  if (ids.length > 1)
    throw new UsageError(
      `"${named}" is the beginning of ${ids.length} workflows: ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ' ...' : ''}`,
      'Give more of the id.',
    )
  const found = ids.length === 0 ? undefined : await runs.find(ids[0]!)
  if (found === undefined) throw new RunNotFoundError(named)
  return found
}

/** What a person may say here; tasks are added by who can plan them. */
function readCommand(value: unknown): RunCommand {
  if (!isObject(value)) throw new UsageError('"command" must be an object.', commandForms)
  const { type } = value
  switch (type) {
    case 'pause':
    case 'resume':
      return { type }
    case 'continue':
      return { type, ...(value.through === true && { through: true }) }
    case 'abort':
      return { type, reason: optionalText(value, 'reason') ?? 'Somebody ended it from the command line.' }
    case 'retry':
      return { type, task: text(value, 'task') }
    case 'skip': {
      const reason = optionalText(value, 'reason')
      return { type, task: text(value, 'task'), ...(reason !== undefined && { reason }) }
    }
    case 'modify':
      if (!isObject(value.arguments)) throw new UsageError('"arguments" must be an object.', commandForms)
      return { type, task: text(value, 'task'), arguments: value.arguments }
    default:
      throw new UsageError(`"${String(type)}" is no command that can be given here.`, commandForms)
  }
}

const commandForms =
  'One of: {type: pause | resume}, {type: continue, through?}, {type: abort, reason?}, {type: skip | retry, task}, {type: modify, task, arguments}.'

function text(value: JsonObject, name: string): string {
  const found = value[name]
  if (typeof found !== 'string' || found === '')
    throw new UsageError(`"${name}" must be a text.`, commandForms)
  return found
}

function optionalText(value: JsonObject, name: string): string | undefined {
  return value[name] === undefined ? undefined : text(value, name)
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
