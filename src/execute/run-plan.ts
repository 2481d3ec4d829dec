/**
 * Plan -> Run: events out. Promises: a task starts as soon as what it depends on has ended, at most `concurrentCalls` at
 * once; every step is handed to `record`, and what builds on it waits until that has ended; `result` always resolves,
 * whatever tools or the journal do. A failing task is a result, never an exception. A record that fails or hangs stops
 * nothing: the run goes on and `isStored` says so. What may be resumed from a record with gaps is for a later version.
 * Never touches the store, the catalogue or the clock: `record`, `callTool` and `now` are given.
 *
 *     pending -> running -> complete | failed | skipped | aborted
 *        +--------------------------------------^---------^        what it depends on failed; the run was aborted
 */
import { setMaxListeners } from 'node:events'
import { PmlError } from '../errors.js'
import type { ClientSide } from '../model/client-side.js'
import type { Json } from '../model/json.js'
import type { Plan, PlannedTask } from '../model/plan.js'
import type { Run, TaskOutcome } from '../model/run.js'
import type { RunEvent } from '../model/run-event.js'
import type { CallTool } from '../model/tool-call.js'
import { unlessAborted } from '../model/unless-aborted.js'
import { fillArguments } from './fill-arguments.js'
import { createJournal, type Journal } from './journal.js'
import { aborted, blockedBy, completed, failed, isEnded, pending, runStatus, started } from './outcomes.js'
import { createTaskGraph, type Ending, type TaskGraph } from './task-graph.js'
import { taskResult } from './task-result.js'

export interface RunOptions {
  readonly id: string
  readonly callTool: CallTool
  readonly session: string
  /** Who may be asked by the tools; absent: nobody. */
  readonly client?: ClientSide
  readonly limits: { readonly concurrentCalls: number }
  now(): number
  /** The journal, awaited before an event is announced. It reports its own failures: here they only clear `isStored`. */
  record(event: RunEvent): Promise<void>
}

export interface RunHandle {
  readonly id: string
  current(): Run
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

class OpenRun implements RunHandle {
  readonly id: string
  readonly events: AsyncIterable<RunEvent>
  readonly result: Promise<Run>

  readonly #plan: Plan
  readonly #options: RunOptions
  readonly #startedAt: number
  #endedAt: number | undefined
  readonly #outcomes: Map<string, TaskOutcome>
  readonly #results = new Map<string, Json>()
  readonly #graph: TaskGraph
  readonly #journal: Journal
  readonly #stop = new AbortController()
  readonly #ready: PlannedTask[] = []
  #running = 0
  /** Tasks whose end is not announced yet; the run ends at zero. */
  #left: number
  #allEnded!: () => void

  constructor(plan: Plan, options: RunOptions) {
    this.id = options.id
    this.#plan = plan
    this.#options = options
    this.#startedAt = options.now()
    this.#outcomes = new Map(plan.tasks.map((task) => [task.id, pending(task)]))
    this.#left = plan.tasks.length
    this.#graph = createTaskGraph(plan.tasks)
    this.#journal = createJournal((event) => options.record(event))
    this.events = this.#journal.events
    setMaxListeners(0, this.#stop.signal)
    this.result = this.#run()
  }

  current(): Run {
    const tasks = this.#plan.tasks.map((task) => this.#outcomes.get(task.id)!)
    return {
      id: this.id,
      ...(this.#plan.intent !== undefined && { intent: this.#plan.intent }),
      status: this.#endedAt === undefined ? 'running' : runStatus(tasks),
      tasks,
      startedAt: this.#startedAt,
      ...(this.#endedAt !== undefined && { endedAt: this.#endedAt }),
    }
  }

  isStored(): boolean {
    return this.#journal.isComplete()
  }

  abort(reason: string): void {
    if (this.#stop.signal.aborted || this.#endedAt !== undefined) return
    for (const task of this.#plan.tasks) {
      const outcome = this.#outcomes.get(task.id)!
      if (isEnded(outcome.status)) continue
      void this.#end(task, this.#withMs(aborted(outcome, reason), outcome.startedAt), 'nothing')
    }
    this.#stop.abort(new PmlError('ABORTED', reason, 'Start the workflow again if it is still wanted.'))
  }

  async #run(): Promise<Run> {
    const allEnded = new Promise<void>((resolve) => {
      this.#allEnded = resolve
    })
    await this.#journal.write({ type: 'run-start', run: this.current() })
    this.#ready.push(...this.#graph.roots)
    this.#startReady()
    if (this.#left > 0) await allEnded
    this.#endedAt = this.#options.now()
    const run = this.current()
    await this.#journal.write({ type: 'run-end', run })
    this.#journal.end()
    return run
  }

  #startReady(): void {
    const limit = Math.max(1, this.#options.limits.concurrentCalls)
    while (this.#running < limit && this.#ready.length > 0) {
      const task = this.#ready.shift()!
      if (!this.#hasEnded(task)) void this.#runTask(task)
    }
  }

  async #runTask(task: PlannedTask): Promise<void> {
    this.#running++
    const outcome = await this.#tryTask(task)
    this.#running--
    // An abort may have ended the task meanwhile: then this answer is late.
    if (!this.#hasEnded(task)) void this.#end(task, outcome, endingOf(task, outcome))
    this.#startReady()
  }

  async #tryTask(task: PlannedTask): Promise<TaskOutcome> {
    const { callTool, session, client } = this.#options
    const { signal } = this.#stop
    let outcome = this.#outcomes.get(task.id)!
    let calledAt: number | undefined
    try {
      outcome = started(outcome, fillArguments(task.arguments, this.#results), this.#options.now())
      this.#outcomes.set(task.id, outcome)
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

  /** The outcome counts at once; what waits for it goes on when its record has ended. */
  async #end(task: PlannedTask, outcome: TaskOutcome, ending: Ending): Promise<void> {
    this.#outcomes.set(task.id, outcome)
    if (outcome.result !== undefined) this.#results.set(task.id, outcome.result)
    await this.#journal.write({ type: 'task-end', runId: this.id, task: outcome })

    const { ready, blocked } = this.#graph.ended(task.id, ending)
    for (const next of blocked) {
      if (this.#hasEnded(next)) continue
      void this.#end(next, blockedBy(this.#outcomes.get(next.id)!, outcome), 'nothing')
    }
    this.#ready.push(...ready)
    this.#startReady()
    this.#left--
    if (this.#left === 0) this.#allEnded()
  }

  #withMs(outcome: TaskOutcome, since: number | undefined): TaskOutcome {
    return since === undefined ? outcome : { ...outcome, ms: this.#options.now() - since }
  }

  #hasEnded(task: PlannedTask): boolean {
    return isEnded(this.#outcomes.get(task.id)!.status)
  }
}

function endingOf(task: PlannedTask, outcome: TaskOutcome): Ending {
  if (outcome.status === 'complete') return 'value'
  return task.onError === 'skip' ? 'left-out' : 'nothing'
}
