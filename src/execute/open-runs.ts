/**
 * The runs of this gateway. Promises: a run is open at most once, whoever asks for it at the same time; what an earlier process of
 * this data directory left is taken up again; nothing that is told is ahead of the store. Never touches a run of another
 * data directory on the same database: whether its gateway lives cannot be known from here.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandRefusedError, DecisionNotFoundError, RunNotFoundError } from '../errors.js'
import type { CallRules } from '../model/call-rules.js'
import { type Decision, type DecisionAnswer, isPending } from '../model/decision.js'
import type { Log } from '../model/log.js'
import { newId } from '../model/new-id.js'
import type { Plan } from '../model/plan.js'
import type { Redact } from '../model/redact.js'
import { redactDecision } from '../model/redact-run.js'
import { isRunEnded, type Run, summarizeRun, type TaskOutcome } from '../model/run.js'
import type { RunCommand } from '../model/run-command.js'
import type { RunEvent } from '../model/run-event.js'
import type { CallTool } from '../model/tool-call.js'
import { withinMs } from '../model/within-ms.js'
import type { Store, StoredRun } from '../store/store.js'
import { answerDecision } from './answer-decision.js'
import { type Beginning, newBeginning } from './beginning.js'
import { EventLog } from './event-log.js'
import type { Step } from './journal.js'
import { lightenEvent } from './lighten-event.js'
import type { DirectApprovals } from './open-direct-approvals.js'
import type { Programs } from './programs.js'
import { createRecentRuns } from './recent-runs.js'
import { redactStep } from './redact-step.js'
import { restoreRun } from './restore-run.js'
import { type OpenRun, type RunOptions, runPlan } from './run-plan.js'
import type { RunHandle, Runs, StartOptions } from './runs.js'

export interface RunsOptions {
  readonly callTool: CallTool
  /** Opens in the background; a run's first step waits for it. */
  store(): Promise<Store>
  /** The data directory: see the store's Checkpoint. */
  readonly owner: string
  readonly rules: CallRules
  readonly programs: Programs
  readonly directApprovals: Pick<DirectApprovals, 'answer'>
  concurrentCalls(): number
  /**
   * The run has ended; its values are as they were. What an earlier run did is left out: it was told at that one's end. `lesson`
   * names this ending: a run that was opened again ends more than once.
   */
  onEnd(plan: Plan, run: Run, lesson: string): void
  /** Nothing goes on until somebody does something: what comes then and asks nobody, with the arguments it will have. */
  onPause(session: string, upcoming: readonly TaskOutcome[]): void
  /** A decision has its answer, and that is stored. */
  onDecision(decision: Decision): void
  readonly redact: Redact
  readonly log: Log
  now(): number
}

export interface OpenRuns extends Runs {
  /** Takes up what an earlier process left. To be called once the store is open. */
  takeUp(): Promise<void>
}

const recentLimits = { runs: 100, bytes: 16 * 1024 * 1024 }
/** Calls that were lost on their way, of tools that may be called again. */
const retries = 2
/** Who comes back within this time still wants what was begun; after it somebody has to say so. */
const resumeWithinMs = 60 * 60_000
/** Further ones are taken up when somebody asks for them. */
const mostTakenUp = 200
/** A process is gone within 2 s of being asked to end. */
const letGoWithinMs = 800
/** Of all runs together; a page that is further behind reads them anew. */
const keptEvents = 5_000
const keptRuns = { newest: 1_000, days: 30 }
const pruneEvery = 100
/** A process is killed with some runs at once, not with hundreds, and the next one is there within days. */
const unlearned = { withinMs: 7 * 24 * 60 * 60_000, most: 200 }

export function openRuns(options: RunsOptions): OpenRuns {
  const { rules, owner, log, now } = options
  const active = new Map<string, OpenRun>()
  const opening = new Map<string, Promise<OpenRun | undefined>>()
  const recent = createRecentRuns(recentLimits)
  const hub = new EventLog<RunEvent>({
    capacity: keptEvents,
    lost: (count) => ({ type: 'events-lost', runId: '', count }),
  })
  let listeners = 0
  let ended = 0
  let isClosing = false

  const runOptions = (id: string, start: StartOptions, beginning: Beginning): RunOptions => ({
    id,
    callTool: options.callTool,
    session: start.session,
    caller: start.caller,
    ...(start.client && { client: start.client }),
    limits: { concurrentCalls: options.concurrentCalls(), retries },
    rules,
    programs: options.programs,
    now,
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    after(ms, action) {
      const timer = setTimeout(action, ms)
      timer.unref()
      return () => clearTimeout(timer)
    },
    record: (step) => record(id, beginning, step),
    onEvent(event) {
      if (event.type === 'decision-end') options.onDecision(event.decision)
      if (event.type === 'run-pause') options.onPause(start.session, unaskedCalls(active.get(id)))
      // While nobody listens, nothing is kept.
      if (listeners > 0) hub.push(lightenEvent(event))
    },
  })

  const record = async (id: string, { plan, startedAt }: Beginning, step: Step): Promise<void> => {
    const { status, endedAt, messages: _, context: __, ...changed } = redactStep(step, options.redact)
    const { intent } = plan
    try {
      const store = await options.store()
      await store.saveCheckpoint({
        run: {
          id,
          ...(intent !== undefined && { intent: options.redact(intent) }),
          status,
          startedAt,
          ...(endedAt !== undefined && { endedAt }),
        },
        owner,
        ...changed,
      })
    } catch (error) {
      log.error('a step of a run could not be stored; it is tried again', { run: id, error: String(error) })
      throw error
    }
  }

  const begin = (id: string, beginning: Beginning, start: StartOptions): OpenRun => {
    const handle = runPlan(beginning, runOptions(id, start, beginning))
    active.set(id, handle)
    const told = beginning.restored?.first === undefined ? (start.finished ?? []) : beginning.outcomes
    const lesson = beginning.restored?.first === undefined ? id : newId()
    void handle.result.then((run) => {
      active.delete(id)
      recent.keep(run)
      options.onEnd(handle.plan(), without(run, told), lesson)
      ended += 1
      if (ended % pruneEvery === 0) void prune()
    })
    return handle
  }

  const prune = async (): Promise<void> => {
    const since = now() - keptRuns.days * 24 * 60 * 60_000
    try {
      const pruned = await (await options.store()).pruneRuns({ newest: keptRuns.newest, since })
      if (pruned > 0) log.debug('old runs were forgotten', { runs: pruned })
    } catch (error) {
      log.warn('old runs could not be forgotten', { error: String(error) })
    }
  }

  /** Those that an earlier process had ended, and was killed before their end was told. Without secrets, as they are stored. */
  const tellUnlearned = async (): Promise<void> => {
    const store = await options.store()
    const since = now() - unlearned.withinMs
    for (const id of await store.listUnlearnedRuns(owner, { since, limit: unlearned.most })) {
      const stored = active.has(id) ? undefined : await store.loadCheckpoint(id)
      if (stored === undefined || !isRunEnded(stored.run.status)) continue
      const { run, plan } = stored
      // What an earlier run did was told at that one's end.
      const tasks = run.tasks.filter(({ startedAt = run.startedAt }) => startedAt >= run.startedAt)
      options.onEnd(plan, { ...run, tasks }, id)
    }
  }

  /** Opens a stored run, or gives the one that is open; `first` opens one that has ended. */
  const takeUpRun = async (id: string, first?: RunCommand): Promise<OpenRun | undefined> => {
    // Another's attempt may be with a command of its own, and be refused for that alone.
    while (opening.has(id)) await settledAttempt(id)
    const open = active.get(id)
    if (open !== undefined) return open
    const attempt = restore(id, first).finally(() => opening.delete(id))
    opening.set(id, attempt)
    return attempt
  }

  const settledAttempt = (id: string): Promise<unknown> => opening.get(id)!.catch(() => {})

  const restore = async (id: string, first: RunCommand | undefined): Promise<OpenRun | undefined> => {
    const stored = await (await options.store()).loadCheckpoint(id)
    if (stored === undefined || isClosing) return undefined
    if (isRunEnded(stored.run.status) !== (first !== undefined)) return undefined
    if (stored.owner !== owner)
      throw new CommandRefusedError(
        id,
        'The workflow belongs to the gateway of another data directory.',
        'Steer it there, with the same PML_HOME.',
      )
    const handle = begin(id, restoreRun(stored, restoreOptions(stored, first)), startOf(stored))
    try {
      await handle.opened
    } catch (error) {
      active.delete(id)
      await handle.letGo(0)
      throw error
    }
    return handle
  }

  const restoreOptions = ({ run, updatedAt }: StoredRun, first: RunCommand | undefined) => ({
    isRepeatable({ tool, arguments: args }: TaskOutcome) {
      // A tool that takes a key by now was not given one when it took none.
      const key = rules.keyArgument(tool)
      return rules.isRepeatable(tool) && (key === undefined || args[key] !== undefined)
    },
    isPaused: first === undefined && now() - updatedAt > resumeWithinMs && goesOnByItself(run, now()),
    ...(first !== undefined && { first }),
  })

  /** From the call on, not from the first reading. */
  const listen = (signal: AbortSignal): AsyncIterable<RunEvent> => {
    listeners++
    const leave = (): void => {
      listeners--
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return hub.fromNow(signal)
  }

  const find = async (id: string): Promise<Run | undefined> =>
    active.get(id)?.current() ?? recent.get(id) ?? (await (await options.store()).loadRun(id))

  const send = async (id: string, command: RunCommand): Promise<RunHandle> => {
    const open = await takeUpRun(id)
    if (open !== undefined && !(open.isOver() && opensAgain.has(command.type))) {
      await open.send(command)
      return open
    }
    // Its end is being stored: right after that it can be opened again.
    await open?.result
    const run = await find(id)
    if (run === undefined) throw new RunNotFoundError(id)
    if (!opensAgain.has(command.type)) throw tooLate(run, command)
    while (opening.has(id)) await settledAttempt(id)
    // Somebody has opened it again meanwhile: then it is told like any other.
    if (active.has(id)) return send(id, command)
    const reopened = await takeUpRun(id, command)
    if (reopened === undefined) throw tooLate(run, command)
    return reopened
  }

  const findDecision = async (id: string): Promise<Decision | undefined> => {
    for (const run of active.values()) {
      const decision = run.current().decisions?.find((one) => one.id === id)
      if (decision !== undefined) return decision
    }
    return (await options.store()).findDecision(id)
  }

  const decide = async (id: string, answer: Omit<DecisionAnswer, 'at'>): Promise<Decision> => {
    const decision = await findDecision(id)
    if (decision === undefined) throw new DecisionNotFoundError(id)
    const { runId } = decision
    if (runId === undefined) return options.directApprovals.answer(id, answer)
    const command = { type: 'decide', decision: id, answer: { ...answer, at: now() } } as const
    const open = await takeUpRun(runId)
    try {
      await open?.send(command)
    } catch (error) {
      if (!(error instanceof CommandRefusedError)) throw error
    }
    const answered = open?.current().decisions?.find((one) => one.id === id)
    return isTaken(answered, command.answer) ? answered : answerEnded(id, command.answer)
  }

  /** Of a run that has ended: nothing can be decided any more, but the same answer again is no error, and any other is recorded. */
  const answerEnded = async (id: string, answer: DecisionAnswer): Promise<Decision> => {
    const store = await options.store()
    const decision = await store.findDecision(id)
    if (decision === undefined) throw new DecisionNotFoundError(id)
    const answered = answerDecision(decision, answer)
    if ('same' in answered) return answered.same
    if ('taken' in answered) throw new DecisionNotFoundError(id)
    await store.saveDecision(redactDecision(answered.decision, options.redact))
    const ended = recent.get(answered.decision.runId!)
    if (ended !== undefined)
      recent.keep({
        ...ended,
        decisions: (ended.decisions ?? []).map((one) => (one.id === id ? answered.decision : one)),
      })
    throw answered.refused
  }

  return {
    start(plan, start) {
      const { finished = [], validateLayers, caller } = start
      return begin(newId(), newBeginning(plan, { now: now(), caller, finished, validateLayers }), start)
    },
    find,
    messagesOf: async (id) =>
      active.get(id)?.messages() ??
      (await (await options.store()).loadCheckpoint(id))?.progress.messages ??
      [],
    open: (id) => takeUpRun(id),
    underWay: (id) => active.get(id),
    send,
    decide,
    findDecision,
    async pendingDecisions() {
      const stored = await (await options.store()).listPendingDecisions()
      return stored.filter(({ expiresAt }) => expiresAt > now())
    },
    async list(limit) {
      const stored = await (await options.store()).listRuns({ limit })
      return stored.map((run) => {
        const open = active.get(run.id)
        return open === undefined ? run : summarizeRun(open.current())
      })
    },
    events: listen,
    async takeUp() {
      const left = await (await options.store()).listOpenRuns(owner)
      for (const { id } of left.slice(-mostTakenUp))
        await takeUpRun(id).catch((error: unknown) =>
          log.error('a run could not be taken up again', { run: id, error: String(error) }),
        )
      await tellUnlearned().catch((error: unknown) =>
        log.warn('runs that ended before could not be learned from', { error: String(error) }),
      )
      void prune()
    },
    async close() {
      isClosing = true
      const letGo = Promise.all([...active.values()].map((handle) => handle.letGo(letGoWithinMs)))
      await withinMs(letGo, letGoWithinMs * 2, undefined)
      hub.end()
    },
  }
}

/** It was under way, or a question in it has lost its time, and what waited for that is free. */
function goesOnByItself({ status, decisions = [] }: Run, now: number): boolean {
  return status === 'running' || decisions.some((one) => isPending(one) && one.expiresAt <= now)
}

function isTaken(decision: Decision | undefined, { verdict }: DecisionAnswer): decision is Decision {
  return decision?.answer?.verdict === verdict
}

/** What makes sense for a run that has ended. */
const opensAgain: ReadonlySet<RunCommand['type']> = new Set(['retry', 'modify', 'inject', 'replan'])

function tooLate({ id, status }: Run, { type }: RunCommand): CommandRefusedError {
  return new CommandRefusedError(
    id,
    `${type} came too late: the workflow has ended, it is ${status}.`,
    `What works now: ${[...opensAgain].join(', ')}.`,
  )
}

/** Nobody is there to be asked by its tools: the client that began it is gone. */
function startOf({ run, progress }: StoredRun): StartOptions {
  const { caller } = progress.context
  return { session: `run-${run.id}`, caller: typeof caller === 'string' ? caller : 'unknown client' }
}

function without(run: Run, told: readonly TaskOutcome[]): Run {
  if (told.length === 0) return run
  const earlier = new Set(told)
  return { ...run, tasks: run.tasks.filter((task) => !earlier.has(task)) }
}

/** What comes next, but for tasks that want to be approved, with their elements. */
function unaskedCalls(run: OpenRun | undefined): readonly TaskOutcome[] {
  if (run === undefined) return []
  const asking = run.plan().tasks.filter(({ requireApproval }) => requireApproval === true)
  return run.upcoming().filter(({ id }) => !asking.some((task) => id.startsWith(task.id)))
}
