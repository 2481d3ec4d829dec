/**
 * Plan -> Run: events out, commands in. Promises: a task starts as soon as what it depends on has ended and is stored, at most
 * `concurrentCalls` at once; a call that may not be repeated is begun only when it is stored that it is; what is told is
 * stored (journal.ts); a failing task is a result, never an exception; calls that need a person wait for one, and the others go on.
 * Never touches the store, the catalogue or the clock: `record`, `callTool`, `rules` and `now` are given.
 *
 *     pending -> running -> complete | failed | skipped | aborted
 *      |   ^        |
 *      v   |        v  (the process died, and the call must not be repeated unasked)
 *     waiting    interrupted
 *
 * A task done for each (`PlannedTask.each`) makes no call of its own. When it is ready its elements are made (fan-out.ts),
 * which are tasks like any other, with the id `task[place]`; when the last of them has ended it has, too. An element without
 * a value leaves its place empty, and what goes on from there place by place leaves that place out in turn.
 *
 * A program, code of the agent or a capability, makes its calls while it runs (open-script.ts): each is a task like any other, too, with the
 * id `task[place]`, judged, stored and told before the program has its answer. After a crash it is begun anew, and calls that had
 * ended are answered from what is stored.
 */

import { describeProgram } from '../capabilities/program/describe-program.js'
import type { Program } from '../capabilities/program/program.js'
import { readProgram } from '../capabilities/program/read-program.js'
import { CallBlockedError, CommandRefusedError, PmlError, toErrorInfo } from '../errors.js'
import type { CallRules, CallVerdict } from '../model/call-rules.js'
import { isProgramTool } from '../model/capability.js'
import type { ClientSide } from '../model/client-side.js'
import { crashPoint } from '../model/crash-point.js'
import type { Decision } from '../model/decision.js'
import type { Json, JsonObject } from '../model/json.js'
import { jsonLength } from '../model/json-length.js'
import { newId } from '../model/new-id.js'
import type { Plan, PlannedTask } from '../model/plan.js'
import { isRedacted } from '../model/redact.js'
import {
  elementPlaceOf,
  isRunEnded,
  type Run,
  type RunStatus,
  rootTaskOf,
  type TaskOutcome,
} from '../model/run.js'
import type { PendingCommand, RunCommand } from '../model/run-command.js'
import type { RunEvent, WaitingStatus } from '../model/run-event.js'
import type { RunMessage, RunProgress } from '../model/run-state.js'
import type { CallTool } from '../model/tool-call.js'
import type { SandboxAnswer, SandboxCall, SandboxOutcome, SandboxRun } from '../sandbox/sandbox.js'
import { expired, withdrawn } from './answer-decision.js'
import type { Beginning, Restored } from './beginning.js'
import { callTask } from './call-task.js'
import { describeProgress } from './describe-progress.js'
import { endingOf, endingOfPlaces, isLeftOut, isSameCall } from './endings.js'
import { type Element, fanOut } from './fan-out.js'
import { fillArguments } from './fill-arguments.js'
import { withKey } from './idempotency-key.js'
import { createJournal, type Journal, type Step, type Update } from './journal.js'
import { answerOf, isAnyUnderWay, openScript, type Script } from './open-script.js'
import {
  aborted,
  blockedBy,
  completed,
  failed,
  gathered,
  interrupted,
  isBlocked,
  isEnded,
  pendingAgain,
  pendingElement,
  runStatus,
  skipped,
  started,
  waiting,
} from './outcomes.js'
import { prepareCommand, type Steered } from './prepare-command.js'
import type { Programs } from './programs.js'
import { type ApprovedCall, createRunDecisions, type RunDecisions } from './run-decisions.js'
import type { RunHandle } from './runs.js'
import { taskDepths } from './task-depths.js'
import { createTaskGraph, type Ending, type TaskGraph } from './task-graph.js'
import { createTaskList, type TaskList } from './task-list.js'
import { createTaskValues, type ElementPlace, elementPlace, isGap } from './task-values.js'

export interface RunOptions {
  readonly id: string
  readonly callTool: CallTool
  readonly session: string
  /** The client's name, for who is asked. */
  readonly caller: string
  /** Who may be asked by the tools; absent: nobody. */
  readonly client?: ClientSide
  readonly limits: { readonly concurrentCalls: number; readonly retries: number }
  readonly rules: CallRules
  readonly programs: Programs
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** Gives the function that ends the waiting. */
  after(ms: number, action: () => void): () => void
  /** Stores a step, all or nothing. Called one after the other; what it rejects is tried again. */
  record(step: Step): Promise<void>
  onEvent(event: RunEvent): void
}

export interface OpenRun extends RunHandle {
  /** Rejects where a run that had ended cannot go on with the command it was opened for; then nothing of it has changed. */
  readonly opened: Promise<void>
  /** It has come to its end, be it told or not: it takes no commands any more. */
  isOver(): boolean
  plan(): Plan
  /**
   * The gateway closes: nothing new is started, calls that must not be repeated have this long to end, and the rest is left for who
   * takes the run up again.
   */
  letGo(withinMs: number): Promise<void>
}

export function runPlan(beginning: Beginning, options: RunOptions): OpenRun {
  return new ScheduledRun(beginning, options)
}

/** A call to make: of a task, or of an element, whose arguments are filled in already. */
interface Job {
  readonly id: string
  readonly task: PlannedTask
  readonly arguments?: JsonObject
}

/** A task done for each, while its elements are under way. */
interface Fan {
  readonly task: PlannedTask
  /** By place; set when the element has ended. */
  readonly places: ElementPlace[]
  /** Elements whose end is not told yet. */
  left: number
  /** Of a task that is done in turn: those that wait, and the one under way. */
  readonly queue: Job[]
  active?: string | undefined
  /** Elements whose call was cut off: they wait for somebody. */
  readonly interrupted: Map<string, Job>
}

/** So deep may capabilities call one another. */
const deepestProgram = 8
/** Of one run, whoever makes them. */
const mostProgramCalls = 10_000
/** Of arguments and results, as JSON: they are in memory for as long as the run. */
const mostProgramChars = 64 * 1024 * 1024
/** A program that waits for a decision alone may be about to do something else at once. */
const idleAfterMs = 20
/** What is kept of what a program says on its console. */
const mostLogLines = 500
const mostLogChars = 20_000

type Change = Omit<Update, 'status' | 'endedAt' | 'progress' | 'context'>

class ScheduledRun implements OpenRun {
  readonly id: string
  readonly events: AsyncIterable<RunEvent>
  readonly result: Promise<Run>
  readonly opened: Promise<void>

  readonly #options: RunOptions
  readonly #startedAt: number
  readonly #isRestored: boolean
  #plan: Plan
  #depths: ReadonlyMap<string, number>
  #graph: TaskGraph
  readonly #tasks: TaskList
  readonly #values = createTaskValues()
  readonly #fans = new Map<string, Fan>()
  /** Programs under way, by task or call. */
  readonly #scripts = new Map<string, Script>()
  readonly #decisions: RunDecisions
  readonly #journal: Journal
  /** Tasks whose end is stored, and who waited for them has been told. */
  readonly #released = new Set<string>()
  readonly #calls = new Map<string, AbortController>()
  #ready: Job[] = []
  #running = 0
  #taskCount: number
  /** Of arguments and results of programs' calls. */
  #programChars = 0

  #status: RunStatus = 'running'
  #endedAt: number | undefined
  #messages: readonly RunMessage[]
  #commands: readonly PendingCommand[]
  /** Commands that are being carried out: the run does not end before their end is told. */
  #carriedOut = 0
  #isPaused: boolean
  #openLayer: number | undefined
  /** It is stored that there is such a run. */
  #isBegun: boolean
  /** Not before it is stored that it began, and before what it was told is carried out. */
  #isOpen = false
  #isAborted = false
  #isClosing = false
  #isLetGo = false
  /** What is going on: calls, and whatever waits for a record. At zero the run has ended, or waits for somebody. */
  #flows = 0
  #isSettled = false
  #onSettled: ((run: Run) => void)[] = []
  #onEnd: (run: Run) => void = () => {}

  constructor(beginning: Beginning, options: RunOptions) {
    const { plan, outcomes, decisions, progress, restored } = beginning
    this.id = options.id
    this.#options = options
    this.#startedAt = beginning.startedAt
    this.#isRestored = restored !== undefined
    this.#isBegun = this.#isRestored
    this.#plan = plan
    this.#tasks = createTaskList(plan.tasks, outcomes)
    this.#taskCount = this.#tasks.openCount()
    this.#messages = progress.messages
    this.#commands = progress.commands
    this.#isPaused = progress.isPaused
    this.#openLayer = progress.openLayer
    this.#depths = taskDepths(plan.tasks)
    this.#graph = createTaskGraph([])
    this.#decisions = createRunDecisions({
      runId: this.id,
      caller: options.caller,
      known: decisions,
      decideWithinMs: options.rules.decideWithinMs,
      now: options.now,
      after: options.after,
      onExpire: (decision) => this.#expire(decision),
    })
    const { messages, context } = progress
    this.#journal = createJournal({
      runId: this.id,
      told: {
        state: { messages, tasks: this.#tasks.inOrder(), decisions, context },
        status: 'running',
        ...restored?.stored,
      },
      record: options.record,
      onEvent: options.onEvent,
      sleep: options.sleep,
    })
    this.events = this.#journal.events
    this.result = new Promise((resolve) => {
      this.#onEnd = resolve
    })
    this.opened = this.#open(restored)
    this.opened.catch(() => {})
  }

  isOver(): boolean {
    return this.#endedAt !== undefined || this.#isAborted
  }

  plan(): Plan {
    return this.#plan
  }

  current(): Run {
    const { state, status, endedAt } = this.#journal.told()
    return {
      id: this.id,
      ...(this.#plan.intent !== undefined && { intent: this.#plan.intent }),
      status,
      tasks: state.tasks,
      startedAt: this.#startedAt,
      ...(endedAt !== undefined && { endedAt }),
      ...(state.decisions.length > 0 && { decisions: state.decisions }),
    }
  }

  messages(): readonly RunMessage[] {
    return this.#journal.told().state.messages
  }

  upcoming(): readonly TaskOutcome[] {
    return this.#ready.flatMap(({ id, task, arguments: filled }) => {
      const outcome = this.#tasks.get(id)
      if (outcome?.status !== 'pending') return []
      return [{ ...outcome, arguments: filled ?? this.#filledIfKnown(task) }]
    })
  }

  taskCount(): number {
    return this.#taskCount
  }

  trouble(): string | undefined {
    return this.#journal.trouble() ?? (this.#isBegun ? undefined : 'its beginning is still being stored.')
  }

  settled(): Promise<Run> {
    if (this.#isSettled || this.#isLetGo) return Promise.resolve(this.current())
    return new Promise((resolve) => this.#onSettled.push(resolve))
  }

  async send(command: RunCommand): Promise<void> {
    if (command.type === 'abort') return this.#abortAndWait(command.reason)
    this.#refuseEnded(command)
    const pending: PendingCommand = { id: newId(), command }
    this.#isSettled = false
    this.#commands = [...this.#commands, pending]
    const carriedOut = this.#write({ events: [{ type: 'command-accept', runId: this.id, command }] }).then(
      () => {
        crashPoint('command-accepted')
        return this.#carryOut(pending)
      },
    )
    this.#track(carriedOut.catch(() => {}))
    await carriedOut
  }

  abort(reason: string): void {
    if (this.#isAborted || this.#endedAt !== undefined || this.#isLetGo) return
    this.#isAborted = true
    this.#isSettled = false
    for (const outcome of this.#tasks.inOrder()) {
      if (this.#hasEnded(outcome.id)) continue
      this.#end(this.#withMs(aborted(outcome, reason), outcome.startedAt), 'nothing')
    }
    const error = new PmlError('ABORTED', reason, 'Start the workflow again if it is still wanted.')
    for (const call of this.#calls.values()) call.abort(error)
    this.#check()
  }

  async letGo(withinMs: number): Promise<void> {
    this.#isClosing = true
    const { sleep } = this.#options
    const over = new AbortController()
    // What has ended is stored, too.
    const mustEnd = (): boolean =>
      !this.#journal.isIdle() ||
      (this.#isAborted && !isRunEnded(this.#journal.told().status)) ||
      [...this.#calls.keys()].some((id) => !this.#isRepeatable(this.#tasks.get(id)!))
    const late = sleep(withinMs, over.signal).then(
      () => true,
      () => true,
    )
    // Polled: it happens once in a process's life, and only where such a call is under way.
    while (mustEnd()) if (await Promise.race([late, sleep(10, over.signal).then(() => false)])) break
    over.abort()
    this.#isLetGo = true
    this.#decisions.close()
    this.#journal.close()
    const error = new PmlError(
      'CLOSING',
      'The gateway is closing.',
      'The run goes on when it is there again.',
    )
    for (const call of this.#calls.values()) call.abort(error)
    this.#settle()
  }

  // Beginning and end

  async #open(restored: Restored | undefined): Promise<void> {
    this.#flows++
    try {
      crashPoint('run-accepted')
      if (restored === undefined) await this.#openNew()
      else await this.#takeUp(restored)
      this.#isOpen = true
      this.#rewire()
      this.#startReady()
    } finally {
      this.#flows--
    }
    this.#check()
  }

  async #openNew(): Promise<void> {
    const tasks = this.#tasks.inOrder()
    const run = { ...this.current(), tasks }
    const begun = this.#write({ plan: this.#plan, tasks, events: [{ type: 'run-start', run }] }).then(() => {
      this.#isBegun = true
    })
    // A program may compute meanwhile: before it makes a call that must not be made twice, that is stored, too.
    if (this.#plan.tasks.every(({ tool, dependsOn }) => isProgramTool(tool) || dependsOn.length > 0))
      this.#track(begun)
    else await begun
    this.#releaseKnown()
  }

  async #takeUp({ changed, removed, repeated, interrupted: cutOff, first }: Restored): Promise<void> {
    for (const id of repeated) this.#decisions.allowAgain(id)
    this.#releaseKnown()
    const act = first === undefined ? undefined : this.#prepare(first)
    const asked = cutOff.map((task) => this.#requestRepeat(task))
    this.#tell({
      tasks: changed,
      removedTasks: removed,
      decisions: asked,
      ...this.#say('gateway', first === undefined ? 'Taken up again.' : `Opened again: ${first.type}.`),
      events: [
        { type: 'run-resume', runId: this.id },
        ...asked.map((decision) => ({ type: 'decision-request' as const, runId: this.id, decision })),
      ],
    })
    act?.()
    await this.#write({ events: [] })
    crashPoint('run-taken-up')
    for (const pending of [...this.#commands]) await this.#carryOut(pending).catch(() => {})
  }

  /** However it came that it is to be done once more: whether its call is repeated, somebody has to say. */
  #askRepeat(job: Job, outcome: TaskOutcome): void {
    const cutOff = interrupted(outcome)
    this.#tasks.set(cutOff)
    const fan = outcome.parent === undefined ? undefined : this.#fans.get(outcome.parent)
    if (fan !== undefined) {
      fan.interrupted.set(job.id, job)
      if (fan.active === job.id) this.#nextInTurn(fan)
    }
    const decision = this.#requestRepeat(cutOff)
    this.#tell({
      tasks: [cutOff],
      decisions: [decision],
      events: [{ type: 'decision-request', runId: this.id, decision }],
    })
    this.#lookAtScript(outcome.parent)
  }

  #requestRepeat(task: TaskOutcome): Decision {
    const verdict = this.#options.rules.judge({
      tool: task.tool,
      arguments: task.arguments,
      requireApproval: false,
    })
    const why = `An earlier call of it was cut off when the gateway ended, and may have taken effect. ${verdict.why}`
    return this.#decisions.request({
      kind: 'repeat',
      task,
      arguments: task.arguments,
      verdict: { ...verdict, why },
      soFar: describeProgress(this.#tasks.inOrder()),
    })
  }

  /** What has ended before counts as if it had just ended, and is not told again. */
  #releaseKnown(): void {
    for (const task of this.#plan.tasks) {
      const outcome = this.#tasks.get(task.id)!
      if (!isEnded(outcome.status)) continue
      this.#keep(outcome, this.#knownPlaces(outcome))
      this.#released.add(task.id)
    }
  }

  /** Of a list that is whole all that is missing was to be left out. */
  #knownPlaces(outcome: TaskOutcome): readonly ElementPlace[] {
    // Calls of a program are no places of its result.
    if (isProgramTool(outcome.tool) && this.#plannedOf(outcome.id)?.each === undefined) return []
    const isLeftOut = outcome.status === 'complete'
    return this.#tasks.elementsOf(outcome.id).map((element) => elementPlace(element, isLeftOut))
  }

  /** Called whenever something has come to its end: the run has ended, or waits for somebody, or goes on. */
  #check(): void {
    if (this.#flows > 0 || this.#endedAt !== undefined || this.#isLetGo) return
    if (this.#tasks.openCount() === 0) {
      this.#finish()
      return
    }
    // It does not wait for anybody: it is left where it is.
    if (this.#isClosing) return
    const status = this.#waitingStatus()
    if (this.#status === status) {
      this.#settle()
      return
    }
    this.#status = status
    this.#track(this.#write({ events: [{ type: 'run-pause', runId: this.id, status }] }))
  }

  #waitingStatus(): WaitingStatus {
    const open = this.#tasks.inOrder()
    if (this.#isPaused) return 'paused'
    if (open.some(({ status }) => status === 'interrupted')) return 'interrupted'
    if (open.some(({ status }) => status === 'waiting')) return 'approval_required'
    return 'layer_complete'
  }

  #settle(): void {
    this.#isSettled = true
    const waiters = this.#onSettled
    this.#onSettled = []
    for (const settled of waiters) settled(this.current())
  }

  #finish(): void {
    if (this.#endedAt !== undefined || this.#isLetGo) return
    this.#endedAt = this.#options.now()
    const tasks = this.#tasks.inOrder()
    // What a call of a program came to is the program's to judge.
    this.#status = runStatus(tasks.filter((task) => !this.#isProgramCall(task)))
    this.#decisions.close()
    const run: Run = { ...this.current(), status: this.#status, tasks, endedAt: this.#endedAt }
    void this.#write({ events: [{ type: 'run-end', run }] }).then(() => {
      crashPoint('run-end-stored')
      this.#journal.end()
      this.#settle()
      this.#onEnd(this.current())
    })
  }

  // Commands

  async #carryOut(pending: PendingCommand): Promise<void> {
    this.#carriedOut++
    try {
      await this.#carryOutOne(pending)
    } finally {
      this.#carriedOut--
    }
    this.#startReady()
  }

  async #carryOutOne(pending: PendingCommand): Promise<void> {
    const { command } = pending
    this.#commands = this.#commands.filter(({ id }) => id !== pending.id)
    let act: () => void
    try {
      this.#refuseEnded(command)
      act = this.#prepare(command)
    } catch (error) {
      const { code, message, hint } = error as PmlError
      await this.#write({
        events: [{ type: 'command-end', runId: this.id, command, refused: { code, message, hint } }],
      })
      throw error
    }
    act()
    await this.#write({ events: [{ type: 'command-end', runId: this.id, command }] })
  }

  #prepare(command: RunCommand): () => void {
    return prepareCommand(command, this.#steered)
  }

  /** What commands may see of the run, and do with it. */
  readonly #steered: Steered = {
    runId: () => this.id,
    plan: () => this.#plan,
    status: () => this.#status,
    isPaused: () => this.#isPaused,
    isLayerDone: () => this.#isLayerDone(),
    outcome: (id) => this.#tasks.get(id),
    elementsOf: (id) => this.#tasks.elementsOf(id),
    decision: (id) => this.#decisions.get(id),
    pendingDecision: (task) => this.#decisions.pendingOf(task),
    now: () => this.#options.now(),
    pause: () => {
      this.#isPaused = true
      for (const id of this.#scripts.keys()) this.#lookAtScript(id)
    },
    goOn: (through) => this.#goOn(through),
    abort: (reason) => this.abort(reason),
    add: (tasks, requirement) => this.#add(tasks, requirement),
    skip: (outcomes, reason) => this.#skip(outcomes, reason),
    doAgain: (task) => this.#doAgain(task),
    modify: (task) => this.#modify(task),
    takeAnswer: (decision) => this.#takeAnswer(decision),
    keepRefusal: (decision) => {
      this.#decisions.keep(decision)
      this.#tell({ decisions: [decision], events: [] })
    },
  }

  #goOn(through: boolean): void {
    this.#isPaused = false
    if (through) this.#openLayer = undefined
    else if (this.#isLayerDone()) this.#openLayer = this.#nextLayer()
    this.#tellGoingOn()
  }

  /** Told also where it waits again at once: who listens sees that it was heard, and what it waits for now. */
  #tellGoingOn(): void {
    if (this.#status === 'running') return
    this.#status = 'running'
    this.#tell({ events: [{ type: 'run-resume', runId: this.id }] })
  }

  #isLayerDone(): boolean {
    const next = this.#nextLayer()
    return this.#openLayer !== undefined && next > this.#openLayer && Number.isFinite(next)
  }

  /** Infinity where nothing is left to do. */
  #nextLayer(): number {
    const open = this.#plan.tasks.filter(({ id }) => !this.#hasEnded(id))
    return Math.min(...open.map(({ id }) => this.#depths.get(id)!))
  }

  #add(tasks: readonly PlannedTask[], requirement: string | undefined): void {
    this.#plan = { ...this.#plan, tasks: [...this.#plan.tasks, ...tasks] }
    this.#depths = taskDepths(this.#plan.tasks)
    this.#tasks.add(tasks)
    this.#taskCount += tasks.length
    const added = tasks.map(({ id }) => this.#tasks.get(id)!)
    this.#tell({
      plan: this.#plan,
      tasks: added,
      ...(requirement !== undefined && this.#say('agent', requirement)),
      events: [{ type: 'plan-change', runId: this.id, tasks: added }],
    })
    this.#rewire()
  }

  #skip(outcomes: readonly TaskOutcome[], reason: string | undefined): void {
    for (const outcome of outcomes) {
      this.#end(this.#withMs(skipped(outcome, reason), outcome.startedAt), 'left-out')
      this.#calls.get(outcome.id)?.abort(new PmlError('SKIPPED', 'The task was skipped.', ''))
    }
  }

  #modify(task: PlannedTask): void {
    const { id } = task
    this.#plan = { ...this.#plan, tasks: this.#plan.tasks.map((one) => (one.id === id ? task : one)) }
    // A layer that somebody waits to look at is not left by other arguments.
    const before = this.#depths.get(id)!
    const depths = taskDepths(this.#plan.tasks)
    this.#depths = new Map([...depths, [id, Math.max(before, depths.get(id)!)]])
    this.#withdraw(id, 'The arguments were changed.')
    this.#doAgain(task, this.#plan)
  }

  /** It is to be done, and what it kept from running with it. */
  #doAgain(first: PlannedTask, plan?: Plan): void {
    const again = new Map([[first.id, first]])
    for (const task of this.#plan.tasks)
      if (this.#wasKept(task) && task.dependsOn.some((id) => again.has(id))) again.set(task.id, task)
    const removedTasks: string[] = []
    for (const { id, arguments: args, each } of again.values()) {
      const isKept = each !== undefined || isProgramTool(this.#tasks.get(id)!.tool)
      for (const element of this.#tasks.elementsOf(id)) {
        if (element === undefined || (element.status === 'complete' && isKept)) continue
        removedTasks.push(...this.#removeWithElements(element))
      }
      this.#values.forget(id)
      this.#fans.delete(id)
      this.#released.delete(id)
      this.#decisions.forgetUse(id)
      this.#tasks.set(pendingAgain(this.#tasks.get(id)!, args))
    }
    this.#taskCount += again.size
    const outcomes = [...again.keys()].map((id) => this.#tasks.get(id)!)
    this.#tell({
      ...(plan !== undefined && { plan }),
      tasks: outcomes,
      removedTasks,
      events: [{ type: 'plan-change', runId: this.id, tasks: outcomes }],
    })
    this.#rewire()
  }

  #removeWithElements({ id }: TaskOutcome): readonly string[] {
    const within = this.#tasks.elementsOf(id).filter((one) => one !== undefined)
    const removed = within.flatMap((one) => this.#removeWithElements(one))
    this.#withdraw(id, 'The program is run anew.')
    this.#decisions.forgetUse(id)
    this.#tasks.remove(id)
    return [...removed, id]
  }

  /** It was not run, or not all of it: what it depends on had no value. */
  #wasKept({ id }: PlannedTask): boolean {
    const outcome = this.#tasks.get(id)!
    if (isBlocked(outcome)) return true
    const elements = this.#tasks.elementsOf(id)
    return outcome.status === 'failed' && elements.some((one) => one !== undefined && isBlocked(one))
  }

  // Decisions

  #takeAnswer(decision: Decision): void {
    const { taskId, kind, answer, tool } = decision
    this.#decisions.keep(decision)
    void this.#write({
      decisions: [decision],
      events: [{ type: 'decision-end', runId: this.id, decision }],
    }).then(() => crashPoint('decision-taken'))
    const outcome = this.#tasks.get(taskId!)!
    if (answer!.verdict === 'approve') {
      this.#goOnWith(outcome)
      return
    }
    const job = this.#jobOf(outcome)
    const told = answer!.reason === undefined ? '' : ` ${answer!.reason}`
    const how = answer!.verdict === 'expire' ? 'nobody answered in time.' : `rejected (${answer!.by}).${told}`
    const error =
      kind === 'call'
        ? new PmlError('NOT_APPROVED', `${tool} was not called: ${how}`, 'Go another way, or ask again.')
        : new PmlError(
            'INTERRUPTED',
            `The call of ${tool} was cut off and is not repeated: ${how}`,
            'Whether it took effect is not known.',
          )
    this.#endJob(job, failed(outcome, job.task, error))
  }

  #goOnWith(outcome: TaskOutcome): void {
    const job = this.#jobOf(outcome)
    const again = pendingAgain(outcome, outcome.parent === undefined ? job.task.arguments : outcome.arguments)
    this.#tasks.set(again)
    this.#tell({ tasks: [again], events: [] })
    if (this.#isProgramCall(outcome)) {
      // Where its program has not come so far again, it is made then.
      if (!this.#scripts.get(outcome.parent!)?.isOpen(outcome.id)) return
    } else if (outcome.parent !== undefined) {
      const fan = this.#fans.get(outcome.parent)
      // Where its task is not under way yet it comes with the others.
      if (!fan?.interrupted.delete(outcome.id)) return
      if (fan.task.inTurn) {
        fan.queue.unshift(job)
        if (fan.active === undefined) this.#nextInTurn(fan)
        return
      }
    }
    this.#ready.push(job)
  }

  #expire(decision: Decision): void {
    if (this.#endedAt !== undefined || this.#isLetGo || decision.answer !== undefined) return
    this.#isSettled = false
    this.#takeAnswer(expired(decision, this.#options.now()))
    this.#startReady()
    this.#check()
  }

  #withdraw(task: string, reason: string): void {
    const decision = this.#decisions.pendingOf(task)
    if (decision === undefined) return
    const gone = withdrawn(decision, this.#options.now(), reason)
    this.#decisions.keep(gone)
    this.#tell({
      decisions: [gone],
      events: [{ type: 'decision-end', runId: this.id, decision: gone }],
    })
  }

  #ask(outcome: TaskOutcome, args: JsonObject, verdict: CallVerdict): void {
    const decision = this.#decisions.request({
      kind: 'call',
      task: outcome,
      arguments: args,
      verdict,
      soFar: this.#soFar(outcome),
    })
    const asking = waiting(outcome, outcome.arguments)
    this.#tasks.set(asking)
    this.#tell({
      tasks: [asking],
      decisions: [decision],
      events: [{ type: 'decision-request', runId: this.id, decision }],
    })
    this.#lookAtScript(outcome.parent)
  }

  /** Who is asked about a call of a program sees what else that does. */
  #soFar({ parent }: TaskOutcome): string {
    const done = describeProgress(this.#tasks.inOrder())
    const script = parent === undefined ? undefined : this.#scripts.get(parent)
    return script === undefined ? done : `${done} The program:\n${script.outline}`
  }

  // Tasks

  /** Who may start, anew: the plan has changed, or what has ended is to be done again. */
  #rewire(): void {
    const { tasks } = this.#plan
    // What has ended has values for arguments: one that looks like a reference is none.
    this.#graph = createTaskGraph(
      tasks.map((task) => (this.#hasEnded(task.id) ? { ...task, arguments: {} } : task)),
    )
    this.#ready = this.#ready.filter(({ arguments: filled }) => filled !== undefined)
    this.#addReady(this.#graph.roots)
    for (const task of tasks) {
      if (!this.#released.has(task.id)) continue
      const outcome = this.#tasks.get(task.id)!
      const places = this.#knownPlaces(outcome)
      this.#release(outcome, places.length > 0 ? endingOfPlaces(places) : endingOf(task, outcome))
    }
  }

  #addReady(tasks: readonly PlannedTask[]): void {
    for (const task of tasks)
      if (this.#tasks.get(task.id)!.status === 'pending' && !this.#ready.some(({ id }) => id === task.id))
        this.#ready.push({ id: task.id, task })
  }

  #startReady(): void {
    if (!this.#isOpen || this.#isPaused || this.#isAborted || this.#isClosing) return
    const limit = Math.max(1, this.#options.limits.concurrentCalls)
    for (let at = 0; at < this.#ready.length && this.#running < limit; ) {
      const job = this.#ready[at]!
      if (this.#tasks.get(job.id)?.status === 'pending' && !this.#mayStart(job)) {
        at++
        continue
      }
      this.#ready.splice(at, 1)
      if (this.#tasks.get(job.id)?.status === 'pending') this.#begin(job)
    }
  }

  #mayStart({ task }: Job): boolean {
    return this.#openLayer === undefined || this.#depths.get(rootTaskOf(task.id))! <= this.#openLayer
  }

  #begin(job: Job): void {
    const { task } = job
    if (task.each !== undefined && job.arguments === undefined) {
      this.#fanOut(task)
      return
    }
    if (isProgramTool(task.tool)) {
      this.#beginProgram(job)
      return
    }
    const outcome = this.#tasks.get(job.id)!
    try {
      const args = this.#argumentsOf(job)
      const verdict = this.#judge(task, args)
      const approval = this.#decisions.approvalOf(job.id, approved(task, args, verdict))
      // Whoever approved a task done for each has seen all of its calls, but not that one was cut off.
      const isCutOff = this.#decisions.isCutOff(job.id) && !this.#isRepeatable(outcome)
      const isAsked = verdict.verdict === 'ask' && !this.#isElement(outcome)
      if (isCutOff && approval === undefined) this.#askRepeat(job, { ...outcome, arguments: args })
      else if (isAsked && approval === undefined) this.#ask({ ...outcome, arguments: args }, args, verdict)
      else this.#start(job, started(outcome, args, this.#options.now()), approval)
    } catch (thrown) {
      this.#endJob(job, failed(outcome, task, thrown))
    }
  }

  #argumentsOf({ id, task, arguments: filled }: Job): JsonObject {
    const args = filled ?? fillArguments(task.arguments, this.#values.read)
    if (this.#isRestored && isRedacted(JSON.stringify(args)))
      throw new PmlError(
        'SECRET_NOT_STORED',
        'Its arguments hold a secret, which is not kept beyond the process that knew it.',
        'Give it other arguments with modify, or start the workflow again.',
      )
    return withKey(args, this.#options.rules.keyArgument(task.tool), this.id, id)
  }

  /** @throws CallBlockedError */
  #judge({ tool, requireApproval = false }: PlannedTask, args: JsonObject): CallVerdict {
    const verdict = this.#options.rules.judge({ tool, arguments: args, requireApproval })
    if (verdict.verdict === 'block') throw new CallBlockedError(tool, verdict.why)
    return verdict
  }

  #start(job: Job, outcome: TaskOutcome, approval: Decision | undefined): void {
    const isGoingOn = this.#status !== 'running'
    this.#status = 'running'
    this.#isSettled = false
    this.#tasks.set(outcome)
    this.#running++
    const call = new AbortController()
    this.#calls.set(job.id, call)
    this.#wake(outcome.parent)
    const told = this.#write({
      tasks: [outcome],
      ...(approval !== undefined && { decisions: [this.#decisions.use(approval)] }),
      events: [
        ...(isGoingOn ? [{ type: 'run-resume' as const, runId: this.id }] : []),
        { type: 'task-start', runId: this.id, task: outcome },
      ],
    })
    this.#track(this.#call(job, outcome, told, call.signal))
  }

  async #call(job: Job, outcome: TaskOutcome, told: Promise<void>, signal: AbortSignal): Promise<void> {
    // Before a call that must not be made twice is begun, it is stored that it is.
    if (!this.#isRepeatable(outcome)) await told
    crashPoint('call-begin')
    const ended = signal.aborted ? outcome : await this.#tryCall(job, outcome, signal)
    crashPoint('call-answered')
    this.#running--
    this.#calls.delete(job.id)
    // It may have been ended meanwhile: then this answer is late.
    if (!this.#hasEnded(job.id) && !this.#isLetGo) this.#endJob(job, ended)
    this.#startReady()
  }

  #tryCall({ task }: Job, outcome: TaskOutcome, signal: AbortSignal): Promise<TaskOutcome> {
    return callTask(task, outcome, {
      ...this.#options,
      retries: this.#isRepeatable(outcome) ? this.#options.limits.retries : 0,
      signal,
      onRetry: (again, error, inMs) => {
        if (this.#hasEnded(again.id)) return
        this.#tasks.set(again)
        const event = { type: 'task-retry', runId: this.id, task: again, error, inMs } as const
        this.#tell({ tasks: [again], events: [event] })
      },
    })
  }

  /** A program is begun anew, and what it had done is not done again. */
  #isRepeatable({ tool }: TaskOutcome): boolean {
    return isProgramTool(tool) || this.#options.rules.isRepeatable(tool)
  }

  // Programs

  #beginProgram(job: Job): void {
    const { task } = job
    const outcome = this.#tasks.get(job.id)!
    try {
      const args = this.#argumentsOf(job)
      const program = this.#programOf(job)
      const missing = this.#options.programs.missing(task.tool, args)
      if (missing.length > 0)
        throw new PmlError(
          'BAD_ARGUMENTS',
          `${task.tool} needs ${missing.join(', ')}.`,
          'See its parameters with discover.',
        )
      const verdict = this.#judge(task, args)
      // Where it is asked for what it calls, each of these calls asks by itself.
      const isAsked = verdict.verdict === 'ask' && !this.#isElement(outcome)
      const approval = isAsked ? this.#decisions.approvalOf(job.id, approved(task, args, verdict)) : undefined
      const kept = this.#options.programs.kept({ ...this.#options, tool: task.tool, arguments: args })
      if (isAsked && approval === undefined) this.#ask({ ...outcome, arguments: args }, args, verdict)
      else if (kept !== undefined) this.#takeKept(job, args, kept)
      else this.#startProgram(job, program, args, approval)
    } catch (thrown) {
      this.#endJob(job, failed(outcome, task, thrown))
    }
  }

  #takeKept(job: Job, args: JsonObject, { value, at }: { value: Json; at: number }): void {
    const now = this.#options.now()
    const outcome = started(this.#tasks.get(job.id)!, args, now)
    this.#tell({
      ...this.#say('gateway', `${job.id}: what ${job.task.tool} gave ${now - at} ms ago still holds.`),
      events: [{ type: 'task-start', runId: this.id, task: outcome }],
    })
    this.#endJob(job, { ...completed(outcome, value), ms: 0 })
  }

  /** @throws PmlError */
  #programOf({ id, task }: Job): Program {
    const { programs } = this.#options
    const missing = programs.sandbox.unavailable()
    if (missing !== undefined) throw new PmlError(missing.code, missing.message, missing.hint)
    if (id.split('[').length > deepestProgram)
      throw new PmlError(
        'CODE_DEPTH',
        `Capabilities call one another more than ${deepestProgram} deep.`,
        'Call fewer of them from one another.',
      )
    const code = task.program?.code ?? programs.codeOf(task.tool)
    if (this.#isRestored && isRedacted(code))
      throw new PmlError(
        'SECRET_NOT_STORED',
        'The code holds a secret, which is not kept beyond the process that knew it.',
        'Run the code again; give secrets to servers by their configuration.',
      )
    return readProgram(code)
  }

  #startProgram(job: Job, program: Program, args: JsonObject, approval: Decision | undefined): void {
    const { id } = job
    const before = this.#tasks.get(id)!
    const { now, programs } = this.#options
    const outline = describeProgram(program)
    // Its clock begins where it first began: the same program, answered alike, does the same again.
    const startedAt = before.startedAt ?? now()
    const outcome = { ...started(before, args, now()), startedAt }
    this.#isSettled = false
    this.#tasks.set(outcome)
    this.#tellGoingOn()
    this.#tell({
      tasks: [outcome],
      ...(approval !== undefined && { decisions: [this.#decisions.use(approval)] }),
      events: [{ type: 'task-start', runId: this.id, task: outcome }],
    })
    const stop = new AbortController()
    this.#calls.set(id, stop)
    this.#flows++
    const { timeoutMs } = job.task
    const limits = programs.limits()
    const script = openScript({
      id,
      outline,
      known: this.#tasks.elementsOf(id).filter((one) => one !== undefined),
      after: this.#options.after,
      said: this.#messages.filter(({ from, task }) => from === 'program' && task === id).length,
      onIdle: (isIdle) => {
        this.#flows += isIdle ? -1 : 1
        this.#lookAtScript(outcome.parent)
        // Who waits with it sees what it said so far.
        if (isIdle) this.#keepLogs(id, script.takeLogs())
        if (isIdle) this.#check()
      },
    })
    this.#scripts.set(id, script)
    this.#wake(outcome.parent)
    const run = (): SandboxRun =>
      programs.sandbox.run(
        {
          javascript: program.javascript,
          arguments: args,
          seed: `${this.id}/${id}`,
          startedAt,
          depth: id.split('[').length - 1,
        },
        {
          call: (request) => this.#callFromProgram(id, request),
          limits: { ...limits, wallMs: Math.min(limits.wallMs, timeoutMs ?? limits.wallMs) },
          signal: stop.signal,
        },
      )
    const begun = { stopped: stop.signal, mark: programs.mark() }
    void script.start(run).then((result) => this.#endProgram(job, outcome, result, begun))
  }

  async #endProgram(
    job: Job,
    outcome: TaskOutcome,
    result: SandboxOutcome,
    { stopped, mark }: { readonly stopped: AbortSignal; readonly mark: number },
  ): Promise<void> {
    const script = this.#scripts.get(job.id)!
    script.setIdle(false)
    // What it did not wait for: calls on their way come to their end, the others are not made.
    const { value, error, logs } = result
    if (!this.#isLetGo) await this.#endCalls(job.id, script, stopped)
    script.setIdle(false)
    this.#scripts.delete(job.id)
    this.#calls.delete(job.id)
    if (!this.#hasEnded(job.id) && !this.#isLetGo) {
      const { tool } = job.task
      if (error === undefined)
        this.#options.programs.keep(
          { ...this.#options, tool, arguments: outcome.arguments },
          value ?? null,
          mark,
        )
      this.#keepLogs(job.id, script.takeLogs(logs))
      const ended =
        error === undefined
          ? completed(outcome, value ?? null)
          : failed(outcome, job.task, new PmlError(error.code, error.message, error.hint))
      this.#endJob(job, this.#withMs(ended, outcome.startedAt))
    } else if (!this.#isLetGo) this.#endLeftBehind(this.#tasks.get(job.id)!)
    this.#flows--
    this.#startReady()
    this.#check()
  }

  async #endCalls(job: string, script: Script, stopped: AbortSignal): Promise<void> {
    const left: Promise<unknown>[] = []
    for (const id of script.open()) {
      const call = this.#tasks.get(id)!
      if (isEnded(call.status)) continue
      if (stopped.aborted) {
        this.#calls.get(id)?.abort(stopped.reason)
        this.#end(this.#withMs(aborted(call, 'its program was ended.'), call.startedAt), 'nothing')
      } else if (call.status === 'running') left.push(script.wait(id))
      else this.#end(skipped(call, 'its program has ended.'), 'nothing')
    }
    if (left.length > 0) this.#lookAtScript(job)
    await Promise.all(left)
  }

  #keepLogs(task: string, logs: SandboxOutcome['logs']): void {
    if (logs.length === 0) return
    const at = this.#options.now()
    let chars = 0
    const kept = logs.slice(0, mostLogLines).filter(({ text }) => {
      chars += text.length
      return chars <= mostLogChars
    })
    const said = kept.map(({ level, text }): RunMessage => {
      return { at, from: 'program', task, text: level === 'log' ? text : `${level}: ${text}` }
    })
    this.#messages = [...this.#messages, ...said]
    this.#tell({ messages: said, events: [] })
  }

  /** Never rejects: what goes wrong is the answer. */
  async #callFromProgram(
    parent: string,
    { kind, name, arguments: args }: SandboxCall,
  ): Promise<SandboxAnswer> {
    const script = this.#scripts.get(parent)
    const { now, programs, rules } = this.#options
    try {
      if (script === undefined || this.isOver() || this.#isLetGo)
        throw new PmlError('ABORTED', 'The run has ended.', '')
      const tool = programs.resolve({ kind, name })
      const known = script.take(tool, args, rules.keyArgument(tool))
      if (typeof known !== 'string' && isEnded(known.status)) return await script.again(known)
      if (typeof known === 'string' && this.#taskCount >= mostProgramCalls)
        throw new PmlError(
          'CODE_CALLS',
          `A run makes ${mostProgramCalls} calls at most.`,
          'Do the work in several runs.',
        )
      this.#takeChars(args)
      const id = typeof known === 'string' ? known : known.id
      const call =
        typeof known === 'string'
          ? { id, parent, tool, arguments: args, status: 'pending' as const }
          : this.#tasks.get(id)!
      if (isEnded(call.status)) return answerOf(call)
      if (typeof known === 'string') {
        this.#taskCount++
        this.#tasks.set(call)
      }
      const answer = script.wait(id)
      if (call.status === 'pending') {
        this.#ready.push({ ...programCall(call), arguments: args })
        this.#startReady()
      }
      this.#lookAtScript(parent)
      return await answer
    } catch (thrown) {
      const { code, message, hint } = toErrorInfo(thrown)
      return { error: { code, message, hint }, at: now() }
    }
  }

  /** What calls are given and give is kept with the run until it has ended. @throws PmlError */
  #takeChars(value: Json): void {
    this.#programChars += jsonLength(value, mostProgramChars)
    if (this.#programChars < mostProgramChars) return
    throw new PmlError(
      'CODE_OUTPUT',
      `What the calls of a run are given and give may have ${mostProgramChars} characters in all.`,
      'Ask the tools for less, or do the work in several runs.',
    )
  }

  /** A moment from now: does it wait for a person alone? */
  #lookAtScript(id: string | undefined): void {
    if (id === undefined || !this.#scripts.has(id)) return
    this.#options.after(idleAfterMs, () => {
      const script = this.#scripts.get(id)
      const open = script?.open() ?? []
      if (script === undefined || script.isIdle || open.length === 0) return
      // A call that is a program is as idle as that.
      const calls = open.filter((one) => this.#scripts.get(one)?.isIdle !== true)
      if (
        isAnyUnderWay(
          calls.map((one) => this.#tasks.get(one)),
          this.#isPaused,
        )
      )
        return
      script.setIdle(true)
    })
  }

  /** Something goes on in it. */
  #wake(id: string | undefined): void {
    const script = id === undefined ? undefined : this.#scripts.get(id)
    if (script === undefined) return
    script.setIdle(false)
    this.#wake(this.#tasks.get(id!)?.parent)
  }

  /** One of the calls that a program makes. */
  #isProgramCall({ parent }: TaskOutcome): boolean {
    const caller = parent === undefined ? undefined : this.#tasks.get(parent)
    return (
      caller !== undefined && isProgramTool(caller.tool) && this.#plannedOf(caller.id)?.each === undefined
    )
  }

  /** One place of a task that is done for each: whoever approved that has seen it. */
  #isElement(outcome: TaskOutcome): boolean {
    return outcome.parent !== undefined && !this.#isProgramCall(outcome)
  }

  // Tasks that are done for each

  /** Makes the elements of a task done for each. It takes no turn of its own: its elements wait for theirs. */
  #fanOut(task: PlannedTask): void {
    const pending = this.#tasks.get(task.id)!
    let elements: readonly Element[]
    let approval: Decision | undefined
    try {
      elements = fanOut(task, this.#values)
      const asked = this.#judgeAll(task, elements)
      approval = asked && this.#approvalOfAll(task, elements, asked)
      if (asked !== undefined && approval === undefined) {
        this.#ask(pending, eachOf(this.#undone(task, elements)), asked)
        return
      }
    } catch (thrown) {
      const outcome = failed(pending, task, thrown)
      this.#end(outcome, endingOf(task, outcome))
      return
    }
    const outcome = started(pending, task.arguments, this.#options.now())
    this.#tasks.set(outcome)
    // Its elements are many calls; that they were approved holds for those that are not begun yet, too.
    if (approval !== undefined) this.#decisions.allowAgain(task.id)
    this.#tellGoingOn()
    this.#tell({
      tasks: [outcome],
      ...(approval !== undefined && { decisions: [this.#decisions.use(approval)] }),
      events: [{ type: 'task-start', runId: this.id, task: outcome }],
    })
    this.#openFan(task, elements)
  }

  #openFan(task: PlannedTask, elements: readonly Element[]): void {
    const fan: Fan = { task, places: [], left: 0, queue: [], interrupted: new Map() }
    this.#fans.set(task.id, fan)
    const removedTasks = this.#removeOthers(task, elements)
    const open = elements.filter((element, place) => {
      const known = this.#tasks.get(element.id)
      if (known === undefined || known.status === 'pending') return true
      if (isEnded(known.status)) fan.places[place] = elementPlace(known, isLeftOut(task, known, element))
      else if ('arguments' in element) {
        fan.interrupted.set(element.id, { ...element, task })
        fan.left++
      }
      return false
    })
    fan.left += open.length
    this.#taskCount += open.length
    const added = open.filter(({ id }) => this.#tasks.get(id) === undefined)
    for (const element of added) {
      const args = 'arguments' in element ? element.arguments : task.arguments
      this.#tasks.set(pendingElement(task, element.id, args))
    }
    this.#tell({ tasks: added.map(({ id }) => this.#tasks.get(id)!), removedTasks, events: [] })
    for (const element of open) this.#openElement(element, fan)
    if (task.inTurn) this.#nextInTurn(fan)
    if (fan.left === 0) this.#endFan(fan)
  }

  /** What went well before the task was given other arguments stays where the call is still the same, and only there. */
  #removeOthers(task: PlannedTask, elements: readonly Element[]): readonly string[] {
    const key = this.#options.rules.keyArgument(task.tool)
    const others = this.#tasks.elementsOf(task.id).filter((known, place) => {
      if (known?.status !== 'complete') return false
      const element = elements[place]
      return element === undefined || !isSameCall(known, element, key)
    })
    for (const { id } of others) this.#tasks.remove(id)
    return others.map(({ id }) => id)
  }

  /** One question for all calls of a task done for each; undefined where nobody has to be asked. @throws CallBlockedError */
  #judgeAll(task: PlannedTask, elements: readonly Element[]): CallVerdict | undefined {
    const verdicts = this.#undone(task, elements).map((args) => this.#judge(task, args))
    const asked = verdicts.filter(({ verdict }) => verdict === 'ask')
    // The strictest: one answer serves for all of them.
    return asked.find(({ answeredBy }) => answeredBy === 'human') ?? asked[0]
  }

  /** Given for all of them before some were done, or for those that were left. */
  #approvalOfAll(
    task: PlannedTask,
    elements: readonly Element[],
    verdict: CallVerdict,
  ): Decision | undefined {
    const all = elements.flatMap((element) => ('arguments' in element ? [element.arguments] : []))
    const of = (args: readonly JsonObject[]): Decision | undefined =>
      this.#decisions.approvalOf(task.id, approved(task, eachOf(args), verdict))
    return of(all) ?? of(this.#undone(task, elements))
  }

  /** The arguments of the calls that are still to be made. */
  #undone(task: PlannedTask, elements: readonly Element[]): readonly JsonObject[] {
    const key = this.#options.rules.keyArgument(task.tool)
    return elements.flatMap((element) => {
      if (!('arguments' in element)) return []
      const known = this.#tasks.get(element.id)
      const isDone = known?.status === 'complete' && isSameCall(known, element, key)
      return isDone ? [] : [element.arguments]
    })
  }

  #openElement(element: Element, fan: Fan): void {
    const { task, queue } = fan
    const outcome = this.#tasks.get(element.id)!
    if ('arguments' in element) (task.inTurn ? queue : this.#ready).push({ ...element, task })
    else if ('wrong' in element) {
      const wrong = failed(outcome, task, element.wrong)
      this.#end(wrong, endingOf(task, wrong))
    } else {
      const ending = isLeftOut(task, outcome, element) ? 'left-out' : 'nothing'
      this.#end(blockedBy(outcome, this.#tasks.get(element.hole.element)!), ending)
    }
  }

  #nextInTurn(fan: Fan): void {
    const next = fan.queue.shift()
    fan.active = next?.id
    if (next !== undefined) this.#ready.push(next)
  }

  #endFan({ task, places }: Fan): void {
    if (this.#hasEnded(task.id)) return
    const outcome = this.#tasks.get(task.id)!
    const elements = this.#tasks.elementsOf(task.id).slice(0, places.length)
    const gaps = elements.filter((_, place) => isGap(places[place]!))
    const whole = gathered(outcome, elements, gaps)
    this.#end(this.#withMs(whole, outcome.startedAt), endingOfPlaces(places))
  }

  #endJob({ task }: Job, outcome: TaskOutcome): void {
    this.#end(outcome, endingOf(task, outcome))
  }

  /** The outcome counts at once; what waits for it goes on when it is stored. */
  #end(outcome: TaskOutcome, ending: Ending): void {
    const fan = outcome.parent === undefined ? undefined : this.#fans.get(outcome.parent)
    if (!this.#fans.has(outcome.id) && !this.#scripts.has(outcome.id)) this.#endLeftBehind(outcome)
    this.#tasks.set(outcome)
    if (outcome.parent === undefined) this.#keep(outcome, this.#fans.get(outcome.id)?.places)
    else if (fan !== undefined)
      fan.places[elementPlaceOf(outcome.id)] = elementPlace(outcome, ending === 'left-out')
    this.#withdraw(outcome.id, `The task is ${outcome.status}.`)
    const told = this.#write({
      tasks: [outcome],
      events: [{ type: 'task-end', runId: this.id, task: outcome }],
    })
    this.#track(told.then(() => this.#afterEnd(outcome, ending, fan)))
    // The last one: that the run has ended is stored with it.
    const isLast = this.#tasks.openCount() === 0 && this.#isOpen
    if (isLast && this.#commands.length === 0 && this.#carriedOut === 0) this.#finish()
  }

  /** Elements that another process left, of a task that ends before it is done for each again. */
  #endLeftBehind(parent: TaskOutcome): void {
    for (const element of this.#tasks.elementsOf(parent.id)) {
      if (element === undefined || isEnded(element.status)) continue
      const isCutOff = element.status === 'interrupted'
      this.#end(isCutOff ? { ...element, status: 'failed' } : blockedBy(element, parent), 'nothing')
    }
  }

  #afterEnd(outcome: TaskOutcome, ending: Ending, fan: Fan | undefined): void {
    // Somebody had it done again before its end was told.
    if (this.#tasks.get(outcome.id) !== outcome) return
    if (outcome.parent === undefined) {
      this.#released.add(outcome.id)
      this.#release(outcome, ending)
    } else if (fan !== undefined && this.#fans.get(outcome.parent) === fan) {
      if (fan.active === outcome.id) this.#nextInTurn(fan)
      if (--fan.left === 0) this.#endFan(fan)
    } else {
      this.#wake(outcome.parent)
      this.#programChars += jsonLength(outcome.result ?? null, mostProgramChars)
      this.#scripts.get(outcome.parent)?.answer(outcome)
      this.#lookAtScript(outcome.parent)
    }
    this.#startReady()
  }

  #keep({ id, result }: TaskOutcome, places: readonly ElementPlace[] = []): void {
    if (result !== undefined) this.#values.keep(id, result)
    if (places.length > 0) this.#values.keepPlaces(id, places)
  }

  /** Who waited for it goes on, or never will. */
  #release(outcome: TaskOutcome, ending: Ending): void {
    const { ready, blocked } = this.#graph.ended(outcome.id, ending)
    for (const next of blocked) {
      if (this.#hasEnded(next.id)) continue
      this.#end(blockedBy(this.#tasks.get(next.id)!, outcome), 'nothing')
    }
    this.#addReady(ready)
  }

  // Small things

  #write(change: Change): Promise<void> {
    return this.#journal.write({
      ...change,
      status: this.#status,
      ...(this.#endedAt !== undefined && { endedAt: this.#endedAt }),
      progress: this.#progress(),
    })
  }

  /** Nobody waits for it, but the run does not settle before it is told. */
  #tell(change: Change): void {
    this.#track(this.#write(change))
  }

  #progress(): RunProgress {
    return {
      messages: this.#messages,
      context: this.#journal.told().state.context,
      commands: this.#commands,
      isPaused: this.#isPaused,
      ...(this.#openLayer !== undefined && { openLayer: this.#openLayer }),
    }
  }

  #say(from: RunMessage['from'], text: string): { readonly messages: readonly RunMessage[] } {
    const message = { at: this.#options.now(), from, text }
    this.#messages = [...this.#messages, message]
    return { messages: [message] }
  }

  #track(flow: Promise<void>): void {
    this.#flows++
    void flow.then(() => {
      this.#flows--
      this.#check()
    })
  }

  async #abortAndWait(reason: string): Promise<void> {
    this.abort(reason)
    await this.result
  }

  #jobOf(outcome: TaskOutcome): Job {
    if (this.#isProgramCall(outcome)) return programCall(outcome)
    const fan = outcome.parent === undefined ? undefined : this.#fans.get(outcome.parent)
    const task = this.#plannedOf(outcome.parent ?? outcome.id)!
    return fan?.interrupted.get(outcome.id) ?? { id: outcome.id, task }
  }

  #plannedOf(id: string): PlannedTask | undefined {
    return this.#plan.tasks.find((task) => task.id === id)
  }

  #refuseEnded({ type }: RunCommand): void {
    if (!this.isOver()) return
    throw new CommandRefusedError(
      this.id,
      `${type} came too late: the workflow has ended.`,
      'Ask for its status; retry and replan open it again.',
    )
  }

  #filledIfKnown(task: PlannedTask): JsonObject {
    if (task.each !== undefined) return task.arguments
    try {
      return fillArguments(task.arguments, this.#values.read)
    } catch {
      return task.arguments
    }
  }

  #withMs(outcome: TaskOutcome, since: number | undefined): TaskOutcome {
    return since === undefined ? outcome : { ...outcome, ms: this.#options.now() - since }
  }

  #hasEnded(id: string): boolean {
    return isEnded(this.#tasks.get(id)!.status)
  }
}

function approved({ tool }: PlannedTask, args: JsonObject, { policyVersion }: CallVerdict): ApprovedCall {
  return { tool, arguments: args, policyVersion }
}

function programCall({ id, tool, arguments: args }: TaskOutcome): Job {
  return { id, task: { id, tool, arguments: args, dependsOn: [], onError: 'fail' }, arguments: args }
}

function eachOf(calls: readonly JsonObject[]): JsonObject {
  return { each: calls }
}
