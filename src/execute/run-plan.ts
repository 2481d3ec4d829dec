/**
 * Plan -> Run: events out. Promises: a task starts as soon as what it depends on has ended, at most `concurrentCalls` at
 * once; every step is handed to `record`, and what builds on it waits until that has ended; `result` always resolves,
 * whatever tools or the journal do. A failing task is a result, never an exception. A record that fails or hangs stops
 * nothing: the run goes on and `isStored` says so. What may be resumed from a record with gaps is for a later version.
 * Never touches the store, the catalogue or the clock: `record`, `callTool` and `now` are given.
 *
 *     pending -> running -> complete | failed | skipped | aborted
 *        +--------------------------------------^---------^        what it depends on failed; the run was aborted
 *
 * A task done for each (`PlannedTask.each`) makes no call of its own. When it is ready its elements are made (fan-out.ts),
 * which are tasks like any other, with the id `task[place]`; when the last of them has ended it has, too. An element without
 * a value leaves its place empty, and what goes on from there place by place leaves that place out in turn.
 */
import { setMaxListeners } from 'node:events'
import { PmlError } from '../errors.js'
import type { ClientSide } from '../model/client-side.js'
import type { JsonObject } from '../model/json.js'
import type { Plan, PlannedTask } from '../model/plan.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { RunEvent } from '../model/run-event.js'
import type { CallTool } from '../model/tool-call.js'
import { unlessAborted } from '../model/unless-aborted.js'
import { type Element, fanOut } from './fan-out.js'
import { fillArguments } from './fill-arguments.js'
import { createJournal, type Journal } from './journal.js'
import {
  aborted,
  blockedBy,
  completed,
  failed,
  gathered,
  isEnded,
  pendingElement,
  runStatus,
  started,
} from './outcomes.js'
import { createTaskGraph, type Ending, type TaskGraph } from './task-graph.js'
import { createTaskList, placeOf, type TaskList } from './task-list.js'
import { taskResult } from './task-result.js'
import { createTaskValues, type ElementPlace, elementPlace, isGap, isHole } from './task-values.js'

export interface RunOptions {
  readonly id: string
  readonly callTool: CallTool
  readonly session: string
  /** Who may be asked by the tools; absent: nobody. */
  readonly client?: ClientSide
  readonly limits: { readonly concurrentCalls: number }
  /**
   * Outcomes of an earlier run: tasks of the plan that are not to be done again, with their elements. They are part of this
   * run as they are, and their results feed the others.
   */
  readonly finished: readonly TaskOutcome[]
  now(): number
  /** The journal, awaited before an event is announced. It reports its own failures: here they only clear `isStored`. */
  record(event: RunEvent): Promise<void>
}

export interface RunHandle {
  readonly id: string
  current(): Run
  /** The tasks and elements that this run has to do, as far as they are known: a task done for each brings its elements when it is ready. */
  taskCount(): number
  /** False once a step could not be recorded, or not in time. */
  isStored(): boolean
  /** May be read several times, at any time: each reader sees every event from `run-start` to `run-end`. */
  readonly events: AsyncIterable<RunEvent>
  /** Never rejects. */
  readonly result: Promise<Run>
  /** Cancels the calls under way and ends the run; their late answers are ignored. After the end it does nothing. */
  abort(reason: string): void
}

export function runPlan(plan: Plan, options: RunOptions): RunHandle {
  return new OpenRun(plan, options)
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
  /** Elements whose end is not announced yet. */
  left: number
  /** Of a task that is done in turn: those that wait, and the one under way. */
  readonly queue: Job[]
  active?: string
}

class OpenRun implements RunHandle {
  readonly id: string
  readonly events: AsyncIterable<RunEvent>
  readonly result: Promise<Run>

  readonly #plan: Plan
  readonly #options: RunOptions
  readonly #startedAt: number
  #endedAt: number | undefined
  readonly #tasks: TaskList
  readonly #values = createTaskValues()
  readonly #fans = new Map<string, Fan>()
  readonly #graph: TaskGraph
  readonly #journal: Journal
  readonly #stop = new AbortController()
  readonly #ready: Job[] = []
  #running = 0
  /** Tasks and elements whose end is not announced yet; the run ends at zero. */
  #left: number
  #taskCount: number
  #allEnded!: () => void

  constructor(plan: Plan, options: RunOptions) {
    this.id = options.id
    this.#plan = plan
    this.#options = options
    this.#startedAt = options.now()
    this.#tasks = createTaskList(
      plan,
      options.finished.filter(({ status }) => isEnded(status)),
    )
    this.#left = plan.tasks.filter((task) => !this.#hasEnded(task.id)).length
    this.#taskCount = this.#left
    // What an earlier run did has values for arguments: one that looks like a reference is none.
    this.#graph = createTaskGraph(
      plan.tasks.map((task) => (this.#hasEnded(task.id) ? { ...task, arguments: {} } : task)),
    )
    this.#journal = createJournal((event) => options.record(event))
    this.events = this.#journal.events
    setMaxListeners(0, this.#stop.signal)
    this.result = this.#run()
  }

  current(): Run {
    const tasks = this.#tasks.inOrder()
    return {
      id: this.id,
      ...(this.#plan.intent !== undefined && { intent: this.#plan.intent }),
      status: this.#endedAt === undefined ? 'running' : runStatus(tasks),
      tasks,
      startedAt: this.#startedAt,
      ...(this.#endedAt !== undefined && { endedAt: this.#endedAt }),
    }
  }

  taskCount(): number {
    return this.#taskCount
  }

  isStored(): boolean {
    return this.#journal.isComplete()
  }

  abort(reason: string): void {
    if (this.#stop.signal.aborted || this.#endedAt !== undefined) return
    for (const outcome of this.#tasks.inOrder()) {
      if (isEnded(outcome.status)) continue
      void this.#end(this.#withMs(aborted(outcome, reason), outcome.startedAt), 'nothing')
    }
    this.#stop.abort(new PmlError('ABORTED', reason, 'Start the workflow again if it is still wanted.'))
  }

  async #run(): Promise<Run> {
    const allEnded = new Promise<void>((resolve) => {
      this.#allEnded = resolve
    })
    await this.#journal.write({ type: 'run-start', run: this.current() })
    this.#addReady(this.#graph.roots)
    this.#buildOnFinished()
    this.#startReady()
    if (this.#left > 0) await allEnded
    this.#endedAt = this.#options.now()
    const run = this.current()
    await this.#journal.write({ type: 'run-end', run })
    this.#journal.end()
    return run
  }

  /** What an earlier run did counts as if it had just ended, and is not told again. */
  #buildOnFinished(): void {
    const finished = new Set(this.#options.finished.map(({ id }) => id))
    for (const task of this.#plan.tasks) {
      const outcome = this.#tasks.get(task.id)!
      if (!finished.has(task.id) || !isEnded(outcome.status)) continue
      // Of a list that is whole all that is missing was to be left out.
      const isLeftOut = outcome.status === 'complete'
      const places = this.#tasks.elementsOf(task.id).map((element) => elementPlace(element, isLeftOut))
      this.#keep(outcome, places)
      this.#release(outcome, places.length > 0 ? endingOfPlaces(places) : endingOf(task, outcome))
    }
  }

  #addReady(tasks: readonly PlannedTask[]): void {
    for (const task of tasks) if (!this.#hasEnded(task.id)) this.#ready.push({ id: task.id, task })
  }

  #startReady(): void {
    const limit = Math.max(1, this.#options.limits.concurrentCalls)
    while (this.#running < limit && this.#ready.length > 0) {
      const job = this.#ready.shift()!
      if (this.#hasEnded(job.id)) continue
      if (job.task.each !== undefined && job.arguments === undefined) this.#fanOut(job.task)
      else void this.#runJob(job)
    }
  }

  async #runJob(job: Job): Promise<void> {
    this.#running++
    const outcome = await this.#tryJob(job)
    this.#running--
    // An abort may have ended the task meanwhile: then this answer is late.
    if (!this.#hasEnded(job.id)) void this.#end(outcome, endingOf(job.task, outcome))
    this.#startReady()
  }

  async #tryJob({ id, task, arguments: filled }: Job): Promise<TaskOutcome> {
    const { callTool, session, client } = this.#options
    const { signal } = this.#stop
    let outcome = this.#tasks.get(id)!
    let calledAt: number | undefined
    try {
      const args = filled ?? fillArguments(task.arguments, this.#values.read)
      outcome = started(outcome, args, this.#options.now())
      this.#tasks.set(outcome)
      await this.#journal.write({ type: 'task-start', runId: this.id, task: outcome })
      signal.throwIfAborted()
      calledAt = this.#options.now()
      const { tool, timeoutMs } = task
      const call = { tool, arguments: outcome.arguments, session, signal, ...(client && { client }) }
      const answering = callTool(timeoutMs === undefined ? call : { ...call, timeoutMs })
      const answer = await unlessAborted(Promise.resolve(answering), signal)
      return this.#withMs(completed(outcome, taskResult(tool, answer)), calledAt)
    } catch (thrown) {
      return this.#withMs(failed(outcome, task, thrown), calledAt)
    }
  }

  /** Makes the elements of a task done for each. It takes no turn of its own: its elements wait for theirs. */
  #fanOut(task: PlannedTask): void {
    const waiting = this.#tasks.get(task.id)!
    let elements: readonly Element[]
    try {
      elements = fanOut(task, this.#values)
    } catch (thrown) {
      const outcome = failed(waiting, task, thrown)
      void this.#end(outcome, endingOf(task, outcome))
      return
    }
    const outcome = started(waiting, task.arguments, this.#options.now())
    this.#tasks.set(outcome)
    void this.#journal.write({ type: 'task-start', runId: this.id, task: outcome })
    const fan: Fan = { task, places: [], left: 0, queue: [] }
    this.#fans.set(task.id, fan)
    const open = elements.filter(({ id }, place) => {
      const known = this.#tasks.get(id)
      if (known !== undefined) fan.places[place] = elementPlace(known, task.onError === 'skip')
      return known === undefined
    })
    fan.left = open.length
    this.#left += open.length
    this.#taskCount += open.length
    for (const element of open) {
      const args = 'arguments' in element ? element.arguments : task.arguments
      this.#tasks.set(pendingElement(task, element.id, args))
    }
    for (const element of open) this.#openElement(element, fan)
    if (task.inTurn) this.#nextInTurn(fan)
    if (fan.left === 0) this.#endFan(fan)
  }

  #openElement(element: Element, fan: Fan): void {
    const { task, queue } = fan
    const outcome = this.#tasks.get(element.id)!
    if ('arguments' in element) (task.inTurn ? queue : this.#ready).push({ ...element, task })
    else if ('wrong' in element) {
      const wrong = failed(outcome, task, element.wrong)
      void this.#end(wrong, endingOf(task, wrong))
    } else {
      const { element: source, isLeftOut } = element.hole
      const ending = isLeftOut || task.onError === 'skip' ? 'left-out' : 'nothing'
      void this.#end(blockedBy(outcome, this.#tasks.get(source)!), ending)
    }
  }

  #nextInTurn(fan: Fan): void {
    const next = fan.queue.shift()
    if (next === undefined) return
    fan.active = next.id
    this.#ready.push(next)
  }

  #endFan({ task, places }: Fan): void {
    if (this.#hasEnded(task.id)) return
    const outcome = this.#tasks.get(task.id)!
    const elements = this.#tasks.elementsOf(task.id).slice(0, places.length)
    const gaps = elements.filter((_, place) => isGap(places[place]!))
    const whole = gathered(outcome, elements, gaps)
    void this.#end(this.#withMs(whole, outcome.startedAt), endingOfPlaces(places))
  }

  /** The outcome counts at once; what waits for it goes on when its record has ended. */
  async #end(outcome: TaskOutcome, ending: Ending): Promise<void> {
    const fan = outcome.parent === undefined ? undefined : this.#fans.get(outcome.parent)
    this.#tasks.set(outcome)
    if (fan === undefined) this.#keep(outcome, this.#fans.get(outcome.id)?.places)
    else fan.places[placeOf(outcome.id)] = elementPlace(outcome, ending === 'left-out')
    await this.#journal.write({ type: 'task-end', runId: this.id, task: outcome })

    if (fan === undefined) this.#release(outcome, ending)
    else {
      if (fan.active === outcome.id) this.#nextInTurn(fan)
      if (--fan.left === 0) this.#endFan(fan)
    }
    this.#startReady()
    this.#left--
    if (this.#left === 0) this.#allEnded()
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
      void this.#end(blockedBy(this.#tasks.get(next.id)!, outcome), 'nothing')
    }
    this.#addReady(ready)
  }

  #withMs(outcome: TaskOutcome, since: number | undefined): TaskOutcome {
    return since === undefined ? outcome : { ...outcome, ms: this.#options.now() - since }
  }

  #hasEnded(id: string): boolean {
    return isEnded(this.#tasks.get(id)!.status)
  }
}

function endingOf(task: PlannedTask, outcome: TaskOutcome): Ending {
  if (outcome.status === 'complete') return 'value'
  return task.onError === 'skip' ? 'left-out' : 'nothing'
}

function endingOfPlaces(places: readonly ElementPlace[]): Ending {
  if (!places.some(isGap)) return 'value'
  return places.every(isHole) ? 'nothing' : 'in-part'
}
